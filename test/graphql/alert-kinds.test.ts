// Runs once: both kinds of databases run the same statements.

import { createAlerts, createPlace, createUser, grantAccess } from "../support/factories.js";
import { sharedWorkspace } from "../support/harness.js";
import { listOf } from "../support/list-of.js";

const query = "{ workspace { alertTypes alertSeverities } }";
const reader = { user: "kinds|reader" };
const siteUser = { user: "kinds|site" };

const { gateway, prisma, workspaceId } = await sharedWorkspace();
const near = await createPlace(prisma, { workspaceId });
const far = await createPlace(prisma, { workspaceId });
await createUser(prisma, {
  workspaceId,
  authId: reader.user,
  roles: ["alerts:read", "alerts:delete", "cameras:write"],
});
const siteUserId = await createUser(prisma, { workspaceId, authId: siteUser.user });
await grantAccess(prisma, {
  userId: siteUserId,
  workspaceId,
  facilityId: near.facilityId,
  actions: ["facilities:read"],
});

it("lists the types and severities of alerts at visible facilities once, by code point, as long as there are such alerts", async () => {
  const kinds = [
    { name: "fence", severity: "LOW" },
    { name: "SMOKE", severity: null },
    { name: "Ölleck", severity: "HIGH" },
    { name: "SMOKE", severity: "LOW" },
  ];
  await createAlerts(
    prisma,
    kinds.map((kind) => ({ ...near, ...kind })),
  );
  const [alertId] = await createAlerts(prisma, [{ ...far, name: "CROWD", severity: "URGENT" }]);
  const atNear = { alertTypes: ["SMOKE", "fence", "Ölleck"], alertSeverities: ["HIGH", "LOW"] };
  expect(await gateway.data(query, { as: reader })).toEqual({
    workspace: { alertTypes: ["CROWD", ...atNear.alertTypes], alertSeverities: ["HIGH", "LOW", "URGENT"] },
  });
  expect(await gateway.data(query, { as: siteUser })).toEqual({ workspace: atNear });
  await gateway.data("mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }", {
    as: reader,
    variables: { ids: [alertId] },
  });
  expect(await gateway.data(query, { as: reader })).toEqual({ workspace: atNear });
  await gateway.data("mutation ($id: UUID!) { deleteCamera(id: $id) { id } }", {
    as: reader,
    variables: { id: near.cameraId },
  });
  expect(await gateway.data(query, { as: reader })).toEqual({
    workspace: { alertTypes: [], alertSeverities: [] },
  });
});

it("lists the first thousand, however many there are", async () => {
  const names = listOf(1001, (index) => `TYPE_${1000 + index}`);
  await createAlerts(
    prisma,
    names.map((name) => ({ ...far, name, severity: name })),
  );
  const { workspace } = await gateway.data<{
    workspace: { alertTypes: string[]; alertSeverities: string[] };
  }>(query, { as: reader });
  expect(workspace).toEqual({ alertTypes: names.slice(0, 1000), alertSeverities: names.slice(0, 1000) });
});
