import pLimit from "p-limit";
import { bulkInsert } from "../../engine/database/bulk-insert.js";
import type { Database } from "../../engine/database/client.js";
import type { Transaction } from "../../engine/database/transaction.js";
import type { ObjectStore } from "../../engine/storage/object-store.js";
import type { Prisma } from "../../generated/prisma/client.js";
import type { Logger } from "../../platform/telemetry/log.js";
import { readRulePictures, storePictures } from "./camera-pictures.js";
import { planDeliveries } from "./delivery-plan.js";
import { demoFacilities, otherFacilities } from "./fleet-definition.js";
import { FleetPlan, planUsers, planWorkspace } from "./fleet-plan.js";
import { planTriage } from "./triage-plan.js";

interface SeedOptions {
  database: Pick<Database, "prisma" | "transact">;
  store: ObjectStore;
  log: Logger;
  now: Date;
  /** All permissions. The demo administrators hold every one. */
  permissions: readonly string[];
  apiKey: { id: string; secretHash: Buffer };
}

const rowsPerInsert = 2000;
const maxConcurrentCopies = 64;

const insertionOrder: Prisma.ModelName[] = [
  "Workspace",
  "Facility",
  "AuthIdLookup",
  "EmailLookup",
  "User",
  "FacilityAccess",
  "ApiKeyLookup",
  "ApiKey",
  "Camera",
  "StatusChange",
  "StreamRequestLookup",
  "StreamRequest",
  "Calibration",
  "AnalysisJob",
  "AlertRule",
  "Alert",
  "AlertClip",
  "AlertComment",
  "Delivery",
];

/**
 * Fills an empty database with the demo fleet, which depends only on `now`. Stores the pictures first, then inserts the
 * rows in one transaction, so an interrupted run leaves no partial fleet. Returns false if the database already holds a
 * workspace.
 */
export async function seedDemo(options: SeedOptions): Promise<boolean> {
  const {
    database: { prisma, transact },
    store,
    log,
  } = options;
  if ((await prisma.workspace.count()) > 0) return false;
  const fleet = new FleetPlan(options.now, store.kind, await readRulePictures());
  const demo = planWorkspace(fleet, {
    name: "Demo",
    facilities: demoFacilities,
    alerts: 20_000,
    firstCamera: 0,
  });
  const other = planWorkspace(fleet, {
    name: "Other",
    facilities: otherFacilities,
    alerts: 50,
    firstCamera: 24,
  });
  planUsers(fleet, { demo, other, permissions: options.permissions, apiKey: options.apiKey });
  planTriage(fleet);
  planDeliveries(fleet);
  log.info(`demo fleet: storing the pictures of ${fleet.rows("Alert").length} alerts`);
  await storePictures(store);
  await pLimit(maxConcurrentCopies).map(fleet.pictureCopies, ([from, to]) => store.copy(from, to));
  log.info("demo fleet: writing to the database");
  const seeded = await transact((transaction) => insertFleet(transaction, fleet), {
    timeout: 120_000,
  });
  await prisma.$executeRaw`ANALYZE`;
  return seeded;
}

async function insertFleet(transaction: Transaction, fleet: FleetPlan): Promise<boolean> {
  // Several gateways may start against the same empty database.
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(72707370)`;
  if ((await transaction.workspace.count()) > 0) return false;
  for (const table of insertionOrder) {
    const rows = fleet.rows(table);
    for (let start = 0; start < rows.length; start += rowsPerInsert)
      await bulkInsert(transaction, table, rows.slice(start, start + rowsPerInsert));
  }
  return true;
}
