// Runs on the embedded database: a server has an autovacuum daemon.

import { randomUUID } from "node:crypto";
import { createAlerts, createPlace, createUser } from "../support/factories.js";
import { gatewayForTest } from "../support/harness.js";
import { listOf } from "../support/list-of.js";

it("the embedded database is vacuumed and analyzed where rows have changed", async () => {
  let time = Date.now();
  const gateway = await gatewayForTest({ now: () => new Date(time) });
  const { prisma } = gateway;
  const { workspaceId, facilityId, cameraId } = await createPlace(prisma);
  const authId = `test|${randomUUID()}`;
  await createUser(prisma, { workspaceId, authId, roles: ["alerts:delete"] });
  const ids = await createAlerts(
    prisma,
    listOf(1000, () => ({ workspaceId, facilityId, cameraId })),
  );
  await prisma.alert.deleteMany({ where: { workspaceId, id: { in: ids.slice(500) } } });
  const statistics = async () => {
    // Otherwise changes are counted up to a second later.
    await prisma.$queryRaw`SELECT pg_stat_force_next_flush()::text`;
    const [{ dead, rows }] = await prisma.$queryRaw<[{ dead: bigint; rows: number }]>`
      SELECT n_dead_tup AS "dead", reltuples AS "rows" FROM pg_stat_user_tables JOIN pg_class ON oid = relid WHERE pg_class.relname = 'Alert'`;
    return { dead: Number(dead), rows };
  };
  expect(await statistics()).toEqual({ dead: 500, rows: -1 });
  time += 60_000;
  // A deletion wakes the workers.
  await gateway.data("mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }", {
    as: { user: authId },
    variables: { ids: ids.slice(0, 1) },
  });
  await gateway.app.idle();
  const { dead, rows } = await statistics();
  expect(rows).toBe(499);
  // The last deletion may be counted after the rows have gone.
  expect(dead).toBeLessThanOrEqual(1);
});
