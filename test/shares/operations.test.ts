// Runs once: both kinds of databases run the same statements.

import { inject } from "vitest";
import { createCamera, createFacility, createUser, createWorkspace } from "../support/factories.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";

const { server } = inject("resources");

// The embedded database runs one statement at a time: there, one stuck statement makes
// everything stuck.
describe.runIf(server)("operations that are stuck in the database", () => {
  const poolSize = 6;
  let gateway: Gateway;
  let cameraId: string;
  const callers: Record<"stuck" | "colleague" | "elsewhere", Sender> = {
    stuck: { user: "shares|stuck" },
    colleague: { user: "shares|colleague" },
    elsewhere: { user: "shares|elsewhere" },
  };
  beforeAll(async () => {
    gateway = await startGateway({ environment: { DATABASE_POOL_SIZE: String(poolSize) } });
    const { prisma } = gateway;
    const [here, there] = [await createWorkspace(prisma), await createWorkspace(prisma)];
    const facilityId = await createFacility(prisma, { workspaceId: here });
    cameraId = await createCamera(prisma, { workspaceId: here, facilityId });
    await prisma.calibration.create({
      data: { workspaceId: here, cameraId, pixelLength: 1, width: 1, height: 1, points: [] },
    });
    for (const [name, workspaceId] of [
      ["stuck", here],
      ["colleague", here],
      ["elsewhere", there],
    ])
      await createUser(prisma, {
        workspaceId: workspaceId as string,
        authId: `shares|${name}`,
        roles: ["facilities:read", "cameras:read"],
      });
  });
  afterAll(() => gateway.close());

  const calibrations = (index: number) =>
    index % 2 === 0
      ? gateway.fetch(`/cameras/${cameraId}/calibration`, { as: callers.stuck })
      : gateway.graphql("{ cameras { calibration { cameraId } } }", { as: callers.stuck });

  it("are those of a few connections, and leave the others to other callers", async () => {
    const operations = await gateway.prisma.$transaction(
      async (transaction) => {
        await transaction.$executeRaw`LOCK TABLE "Calibration" IN ACCESS EXCLUSIVE MODE`;
        const operations = listOf(2 * poolSize, (index) => calibrations(index));
        const stuck = () =>
          transaction.$queryRaw<
            object[]
          >`SELECT 1 FROM pg_locks WHERE relation = '"Calibration"'::regclass AND NOT granted`;
        await expect.poll(async () => (await stuck()).length).toBe(poolSize - 2);
        for (const as of [callers.colleague, callers.elsewhere])
          expect(await gateway.data("{ me { id } }", { as })).toHaveProperty("me.id");
        expect(await stuck()).toHaveLength(poolSize - 2);
        return operations;
      },
      { timeout: 60_000 },
    );
    expect(new Set((await Promise.all(operations)).map(({ status }) => status))).toEqual(new Set([200]));
  });
});
