// Runs once: both kinds of databases run the same statements.
import {
  createAdmin,
  createAlerts,
  createApiKey,
  createPlace,
  createTestUser,
} from "../support/factories.js";
import { type Sender, sharedGateway } from "../support/harness.js";

type Place = Awaited<ReturnType<typeof createPlace>>;
const gateway = await sharedGateway();
const { prisma } = gateway;
const here = await createPlace(prisma, { name: "A" });
const { workspaceId } = here;
const there = await createPlace(prisma, { workspaceId, name: "B" });
const admin = await createAdmin(prisma, workspaceId);
const ids = await createAlerts(prisma, [
  here,
  here,
  { ...here, observation: true },
  { ...here, falsePositive: true },
  { ...here, acknowledgedAt: new Date(), acknowledgedById: admin.id },
  { ...here, falsePositive: true, acknowledgedAt: new Date(), acknowledgedById: admin.id },
  there,
  // The camera was at the other facility then.
  { ...here, facilityId: there.facilityId },
  await createPlace(prisma),
]);

interface Counts {
  workspace: { openAlertCount: number };
  facilities: { openAlertCount: number; cameras: { openAlertCount: number }[] }[];
}
const counts = async (as: Sender = admin.as) => {
  const { workspace, facilities } = await gateway.data<Counts>(
    "{ workspace { openAlertCount } facilities { openAlertCount cameras { openAlertCount } } }",
    { as },
  );
  const cameras = facilities.flatMap((facility) => facility.cameras.map((camera) => camera.openAlertCount));
  return [workspace.openAlertCount, facilities.map(({ openAlertCount }) => openAlertCount), cameras];
};

// Listed and counted by a filter in alert-statistics.test.ts.
describe("open alerts", () => {
  it("are counted for workspace, facilities and cameras as the caller sees them", async () => {
    expect(await counts()).toEqual([4, [2, 2], [3, 1]]);
    const at = (place: Place) =>
      createTestUser(prisma, {
        workspaceId: here.workspaceId,
        at: { [place.facilityId]: ["alerts:read"] },
      });
    expect(await counts((await at(here)).as)).toEqual([2, [2], [2]]);
    expect(await counts((await at(there)).as)).toEqual([2, [2], [1]]);
    const key = await createApiKey(prisma, {
      workspaceId: here.workspaceId,
      permissions: ["alerts:read"],
      facilityIds: [there.facilityId],
    });
    expect(await counts(key)).toEqual([2, [2], [1]]);
  });

  it("are counted anew by the answers of marks and deletions, and of what changed their parents", async () => {
    const [fresh = ""] = await createAlerts(prisma, [there]);
    expect((await counts())[0]).toBe(5);
    const { markAlerts } = await gateway.data<{ markAlerts: { alerts: object[] } }>(
      `mutation ($ids: [UUID!]!) { markAlerts(ids: $ids, marks: { acknowledged: true }) {
        alerts { camera { openAlertCount } facility { openAlertCount workspace { openAlertCount } } } } }`,
      { as: admin.as, variables: { ids: [fresh] } },
    );
    expect(markAlerts.alerts).toEqual([
      {
        camera: { openAlertCount: 1 },
        facility: { openAlertCount: 2, workspace: { openAlertCount: 4 } },
      },
    ]);
    const { renameFacility } = await gateway.data<{ renameFacility: object }>(
      'mutation ($id: UUID!) { renameFacility(id: $id, name: "A") { openAlertCount } }',
      { as: admin.as, variables: { id: here.facilityId } },
    );
    expect(renameFacility).toEqual({ openAlertCount: 2 });
    await gateway.data("mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }", {
      as: admin.as,
      variables: { ids: [fresh, ids[6]] },
    });
    expect(await counts()).toEqual([3, [2, 1], [3, 0]]);
  });
});
