// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { claimRing } from "../../src/features/camera-feed/ring/ring-leases.js";
import { createCamera, createFacility, createWorkspace } from "../support/factories.js";
import { gatewayForTest } from "../support/harness.js";

it("a camera whose instance was killed while it took a picture from its ring is free when the lease has ended", async () => {
  const { prisma } = await gatewayForTest();
  const workspaceId = await createWorkspace(prisma);
  const facilityId = await createFacility(prisma, { workspaceId });
  const now = new Date();
  const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  const claim = async (openedAt: number | null, ringUntil: number | null) => {
    const cameraId = await createCamera(prisma, {
      ...{ workspaceId, facilityId, keepClips: true },
    });
    const data = {
      ...{ workspaceId, cameraId, streamRequestId: randomUUID(), probedAt: at(-60), dueAt: at(90) },
      ...{ openedAt: openedAt === null ? null : at(openedAt) },
      ...(ringUntil !== null && { ringHolder: randomUUID(), ringUntil: at(ringUntil) }),
    };
    await prisma.cameraFeed.create({ data });
    const instanceId = randomUUID();
    const claimed = await claimRing(prisma, workspaceId, { instanceId, now, except: [] });
    const { openedAt: opened, dueAt } = await prisma.cameraFeed.findFirstOrThrow({ where: { cameraId } });
    await prisma.cameraFeed.deleteMany({ where: { cameraId } });
    return { count: claimed.length, opened: opened?.getTime(), dueAt: dueAt?.getTime() };
  };
  const free = { count: 1, opened: undefined };
  expect(await claim(null, null)).toEqual({ ...free, dueAt: at(90).getTime() });
  expect(await claim(-30, -1)).toEqual({ ...free, dueAt: now.getTime() });
  // It is open for another that holds no ring, or that may still be at work.
  for (const [openedAt, ringUntil] of [
    [-30, null],
    [-30, 1],
    [-30, -31],
    [-10, -1],
  ] as const)
    expect(await claim(openedAt, ringUntil)).toEqual({
      ...{ count: 0, opened: at(openedAt).getTime(), dueAt: at(90).getTime() },
    });
});
