// Runs once: both kinds of databases run the same statements.

import { randomUUID } from "node:crypto";
import { bulkInsert } from "../../src/engine/database/bulk-insert.js";
import { createCamera, createFacility, createStreamRequest, createWorkspace } from "../support/factories.js";
import { ownGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { reportByRest } from "../writes/callbacks.js";

const minute = 60_000;
const day = 24 * 60 * minute;

let time = Date.now();
const ago = (milliseconds: number) => new Date(time - milliseconds);

const gateway = await ownGateway({ now: () => new Date(time) });

const { prisma } = gateway;
const workspaceId = await createWorkspace(prisma);
const cameraId = await createCamera(prisma, {
  workspaceId,
  facilityId: await createFacility(prisma, { workspaceId }),
});
/** The capability of a stream request whose reports wake the workers. */
const requestId = randomUUID();
await createStreamRequest(prisma, { workspaceId, cameraId, requestId });

/** Moves the clock to the next round of purging, and waits for its end. */
async function nextRound(): Promise<void> {
  time += 15 * minute;
  await reportByRest(gateway, "thumbnail", requestId);
  await gateway.app.idle();
}

const delivery = (workspaceId: string, state: string, age: number) => ({
  id: randomUUID(),
  workspaceId,
  facilityId: randomUUID(),
  kind: "ALERT",
  channel: "EMAIL",
  target: "guard@test.example",
  targetId: randomUUID(),
  queueId: state === "PENDING" ? randomUUID() : null,
  host: "EMAIL",
  state,
  position: 0,
  attempts: 0,
  queuedAt: ago(age),
  createdAt: ago(age),
  expiresAt: ago(age - day),
});

it("deliveries that were sent or given up 30 days ago are purged in every workspace, however many, and no others", async () => {
  const { prisma } = gateway;
  const [one, other] = [await createWorkspace(prisma), await createWorkspace(prisma)];
  const [old, recent] = [30 * day, 30 * day - 20 * minute];
  const pending = delivery(one, "PENDING", old);
  await prisma.deliveryTarget.create({
    data: { workspaceId: one, id: pending.targetId, failures: 1, retryAt: ago(-50 * minute) },
  });
  const kept = [delivery(one, "SENT", recent), delivery(one, "PARKED", recent), pending];
  const purged = listOf(2_001, () => delivery(one, "SENT", old));
  await bulkInsert(prisma, "Delivery", [
    ...kept,
    ...purged,
    delivery(one, "PARKED", old),
    delivery(other, "SENT", old),
  ]);
  await nextRound();
  const left = await prisma.delivery.findMany({
    where: { workspaceId: { in: [one, other] } },
    orderBy: { state: "asc" },
  });
  expect(left.map(({ workspaceId, state }) => [workspaceId, state])).toEqual(
    ["PARKED", "PENDING", "SENT"].map((state) => [one, state]),
  );
});

it("records about queues, targets and days are purged when they are over", async () => {
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma);
  const ids = { old: randomUUID(), recent: randomUUID() };
  await prisma.deliveryQueue.createMany({
    data: [
      { workspaceId, id: ids.old, availableAt: ago(60 * minute) },
      { workspaceId, id: ids.recent, availableAt: ago(40 * minute) },
    ],
  });
  await prisma.deliveryTarget.createMany({
    data: [
      { workspaceId, id: ids.old, failures: 3, retryAt: ago(day) },
      { workspaceId, id: ids.recent, failures: 3, retryAt: ago(day - 20 * minute) },
    ],
  });
  // A day counts from its start, so that the 29th day back began nearly 30 days ago
  // shortly before midnight.
  await prisma.messageCount.createMany({
    data: [31, 28].map((days) => ({ workspaceId, day: ago(days * day), count: days })),
  });
  await nextRound();
  const where = { workspaceId };
  expect(await prisma.deliveryQueue.findMany({ where })).toMatchObject([{ id: ids.recent }]);
  expect(await prisma.deliveryTarget.findMany({ where })).toMatchObject([{ id: ids.recent }]);
  expect(await prisma.messageCount.findMany({ where })).toMatchObject([{ count: 28 }]);
});
