import type { Prisma, PrismaClient } from "../../generated/prisma/client.js";
import type { Logger } from "../../platform/log.js";
import type { ObjectStore } from "../../storage/object-store.js";
import { bulkInsert } from "../bulk-insert.js";
import { mapLimited } from "./concurrency.js";
import { demoFacilities, otherFacilities } from "./fleet.js";
import { FleetPlan, planUsers, planWorkspace } from "./plan.js";

/** What seeding needs from outside. */
export interface DemoSources {
  prisma: PrismaClient;
  store: ObjectStore;
  log: Logger;
  now: Date;
  /** Every permission there is: what the demo administrators hold. */
  permissions: readonly string[];
  /** The stored half of the demo API key. */
  apiKey: { id: string; secretHash: Buffer };
}

const rowsAtOnce = 2000;
const copiesAtOnce = 64;

const insertionOrder: Prisma.ModelName[] = [
  "Workspace",
  "Facility",
  "User",
  "FacilityAccess",
  "ApiKey",
  "Camera",
  "StatusChange",
  "StreamRequest",
  "Calibration",
  "AnalysisJob",
  "AlertRule",
  "Alert",
];

/**
 * Fills an empty database with the demo fleet: the same for the same `now`. The rows come in one transaction after the
 * pictures, so that an interrupted seeding leaves no half fleet. Answers whether it did anything.
 */
export async function seedDemo(sources: DemoSources): Promise<boolean> {
  const { prisma, store, log } = sources;
  if ((await prisma.workspace.count()) > 0) return false;
  log.info("demo fleet: drawing the pictures of 26 cameras");
  const fleet = new FleetPlan(sources.now, store);
  const demo = await planWorkspace(fleet, { name: "Demo", facilities: demoFacilities, alerts: 20_000, firstCamera: 0 });
  const other = await planWorkspace(fleet, { name: "Other", facilities: otherFacilities, alerts: 50, firstCamera: 24 });
  planUsers(fleet, { demo, other, permissions: sources.permissions, apiKey: sources.apiKey });
  log.info(`demo fleet: storing the pictures of ${fleet.rows("Alert").length} alerts`);
  await mapLimited(fleet.copies, copiesAtOnce, ([from, to]) => store.copy(from, to));
  log.info("demo fleet: writing to the database");
  const seeded = await prisma.$transaction((transaction) => write(transaction, fleet), { timeout: 120_000 });
  await prisma.$executeRaw`ANALYZE`;
  return seeded;
}

async function write(transaction: Prisma.TransactionClient, fleet: FleetPlan): Promise<boolean> {
  // Several gateways may start on one empty database.
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(72707370)`;
  if ((await transaction.workspace.count()) > 0) return false;
  for (const table of insertionOrder) {
    const rows = fleet.rows(table);
    for (let start = 0; start < rows.length; start += rowsAtOnce) await bulkInsert(transaction, table, rows.slice(start, start + rowsAtOnce));
  }
  return true;
}
