import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { Due } from "../platform/due.js";
import { deleteBatch } from "./delete-batch.js";

const size = 2_000;

/** For how long a connector is kept after its last report. */
const keptForMs = 30 * 24 * 3_600_000;

/**
 * Purges a batch of a workspace's connectors that were not heard for 30 days. Returns
 * whether there may be more.
 */
export async function purgeSilentConnectors(
  prisma: PrismaClient,
  workspaceId: string,
  now: Date,
): Promise<boolean> {
  const condition = Due.ofAge(keptForMs, now).of(Prisma.sql`"lastReportedAt"`);
  const purged = await deleteBatch(
    prisma,
    { table: "Connector", workspaceId, condition, size, locked: "skip" },
    Prisma.sql`"id"`,
  );
  return purged.length === size;
}
