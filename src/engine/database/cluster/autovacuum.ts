import { Prisma, type PrismaClient } from "../../../generated/prisma/client.js";
import type { StepOutcome } from "../../leases/worker.js";

const intervalMs = 60_000;

/**
 * The step of a worker that does the work of a server's autovacuum daemon for the embedded database, by the same
 * thresholds. Vacuuming tables as their rows change keeps files from growing without end. Analyzing tables lets the
 * planner know their contents.
 */
export function autovacuum(prisma: PrismaClient, clock: () => Date): () => Promise<StepOutcome> {
  let nextAt = clock().getTime() + intervalMs;
  return async () => {
    const now = clock().getTime();
    const dueInMs = nextAt - now;
    // It is never further ahead than that: the clock has been set back.
    if (dueInMs > 0 && dueInMs <= intervalMs) return { dueInMs };
    const [table] = await prisma.$queryRaw<{ name: string }[]>(Prisma.sql`
      SELECT format('%I.%I', schemaname, relname) AS "name" FROM pg_stat_user_tables
      WHERE n_dead_tup > 50 + 0.2 * n_live_tup OR n_ins_since_vacuum > 1000 + 0.2 * n_live_tup OR n_mod_since_analyze > 50 + 0.1 * n_live_tup
      ORDER BY n_mod_since_analyze DESC LIMIT 1`);
    if (!table) {
      nextAt = now + intervalMs;
      return { dueInMs: intervalMs };
    }
    await prisma.$executeRaw`VACUUM (ANALYZE) ${Prisma.raw(table.name)}`;
    return "more";
  };
}
