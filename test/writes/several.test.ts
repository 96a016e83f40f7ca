// Runs once: both kinds of databases run the same statements.
import type { Permission } from "../../src/engine/access/permissions.js";
import { allTime, type CompleteFacility, createCompleteFacility } from "../support/complete-facility.js";
import {
  createAdmin,
  createAlerts,
  createApiKey,
  createFacility,
  createTestUser,
  unknownId,
} from "../support/factories.js";
import { type Sender, sharedWorkspace } from "../support/harness.js";

const { gateway, prisma, workspaceId } = await sharedWorkspace();
const admin = await createAdmin(prisma, workspaceId);

const newFacility = () => createFacility(prisma, { workspaceId, name: "Old" });
const newSite = () =>
  createCompleteFacility(prisma, {
    workspaceId,
    name: "Site",
    alerts: 3,
    newest: "2026-11-20T12:00:00Z",
  });
const newUser = (roles: readonly Permission[], at: Record<string, Permission[]> = {}) =>
  createTestUser(prisma, { workspaceId, roles, at });
const nameOf = async (id: string) => (await prisma.facility.findFirstOrThrow({ where: { id } })).name;

/** The result of each mutation of a document: its data or its error code. */
async function outcomes(fields: string, { as }: { as: Sender }): Promise<Record<string, unknown>> {
  const {
    status,
    data,
    errors = [],
  } = await gateway.graphql<Record<string, unknown> | null>(`mutation { ${fields} }`, { as });
  expect(status).toBe(200);
  return {
    ...data,
    ...Object.fromEntries(errors.map(({ path, extensions }) => [String(path?.[0]), extensions.code])),
  };
}

describe("with several mutations in one document", () => {
  it("a failed last mutation does not undo the previous ones", async () => {
    const id = await newFacility();
    const result = await gateway.graphql(
      `mutation { a: renameFacility(id: "${id}", name: "New") { name } b: renameFacility(id: "${unknownId}", name: "New") { name } }`,
      admin,
    );
    expect(result.errors).toMatchObject([{ path: ["b"], extensions: { code: "NOT_FOUND" } }]);
    expect(await nameOf(id)).toBe("New");
  });

  it("a failed mutation prevents later ones, as GraphQL specifies for non-null fields", async () => {
    const id = await newFacility();
    const result = await outcomes(
      `a: renameFacility(id: "${unknownId}", name: "New") { name } b: renameFacility(id: "${id}", name: "New") { name }`,
      admin,
    );
    expect(result).toEqual({ a: "NOT_FOUND" });
    expect(await nameOf(id)).toBe("Old");
  });

  it("invalid input in one rejects the document before anything is written", async () => {
    const id = await newFacility();
    const { status, errors } = await gateway.graphql(
      `mutation { a: renameFacility(id: "${id}", name: "New") { name } b: renameFacility(id: "${id}", name: "") { name } }`,
      admin,
    );
    expect({ status, code: errors?.[0]?.extensions.code }).toEqual({ status: 400, code: "BAD_REQUEST" });
    expect(await nameOf(id)).toBe("Old");
  });

  it("each writes its own audit entry, in order", async () => {
    const id = await newFacility();
    await outcomes(
      `a: renameFacility(id: "${id}", name: "First") { name } b: recordHeartbeat(facilityId: "${id}") { id }`,
      admin,
    );
    const entries = await prisma.auditEntry.findMany({
      where: { targetId: id },
      orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    });
    expect(entries.map(({ action }) => action)).toEqual(["renameFacility", "recordHeartbeat"]);
  });
});

describe("a later mutation in a document", () => {
  it("may use a permission granted by an earlier one", async () => {
    const id = await newFacility();
    // The second mutation removes facilities:read as a role, which leaves only the grant
    // by the first.
    const caller = await newUser(["users:write", "facilities:read"]);
    const result = await outcomes(
      `a: grantFacilityAccess(facilityId: "${id}", actions: ["facilities:read"]) { actions }
       b: setUserRoles(userId: "${caller.id}", roles: []) { roles }
       c: renameFacility(id: "${id}", name: "New") { name }`,
      caller,
    );
    expect(result).toEqual({ a: { actions: ["facilities:read"] }, b: { roles: [] }, c: { name: "New" } });
  });

  it("may not use a permission removed by an earlier one", async () => {
    const id = await newFacility();
    const caller = await newUser([], { [id]: ["users:write", "facilities:read"] });
    const removeAction = (action: string) =>
      `a: removeFacilityAccess(facilityId: "${id}", actions: ["${action}"]) { actions }`;
    expect(
      await outcomes(
        `${removeAction("facilities:read")} b: renameFacility(id: "${id}", name: "New") { name }`,
        caller,
      ),
    ).toEqual({
      b: "FORBIDDEN",
    });
    expect(
      await outcomes(`${removeAction("users:write")} b: recordHeartbeat(facilityId: "${id}") { id }`, caller),
    ).toEqual({ b: "NOT_FOUND" });
    expect(await nameOf(id)).toBe("Old");
  });

  it("is rejected when an earlier one revoked the key", async () => {
    const key = await createApiKey(prisma, {
      workspaceId,
      permissions: ["api-keys:write", "facilities:read"],
    });
    const id = await newFacility();
    const result = await outcomes(
      `a: revokeApiKey(id: "${key.id}") { id } b: renameFacility(id: "${id}", name: "New") { name }`,
      { as: key },
    );
    expect(result).toEqual({ b: "UNAUTHENTICATED" });
    expect(await nameOf(id)).toBe("Old");
  });

  it.each<[string, (site: CompleteFacility) => string]>([
    [
      "the camera",
      ({ cameraId }) =>
        `setCameraStatusDetail(id: "${cameraId}", input: { statusDetail: "A", source: TRACKER }) { id }`,
    ],
    ["an alert to mark", ({ alertIds }) => `setAlertBookmark(id: "${alertIds[0]}", bookmark: true) { id }`],
    ["a rule", ({ ruleId }) => `deleteAlertRule(id: "${ruleId}") { id }`],
  ])("no longer finds %s after an earlier one deleted the camera", async (_what, later) => {
    const site = await newSite();
    const result = await outcomes(`a: deleteCamera(id: "${site.cameraId}") { id } b: ${later(site)}`, admin);
    expect(result).toEqual({ b: "NOT_FOUND" });
  });
});

describe("a mutation's result", () => {
  it("reflects its changes: lists and counts of the facility exclude a deleted camera's alerts", async () => {
    const { cameraId, facilityId } = await newSite();
    // Too many for the purge to finish before the response.
    await createAlerts(prisma, Array(20_000).fill({ workspaceId, facilityId, cameraId }));
    const facility = `facility { cameraCount alerts { nodes { id } totalCount } alertCounts(filter: ${allTime()}, aggregate: DAY) { count } }`;
    expect(await outcomes(`a: deleteCamera(id: "${cameraId}") { ${facility} }`, admin)).toEqual({
      a: { facility: { cameraCount: 0, alerts: { nodes: [], totalCount: 0 }, alertCounts: [] } },
    });
  });

  it("reflects its changes: counts and lists are current after each mutation of a document", async () => {
    const { cameraId, alertIds } = await newSite();
    const other = alertIds.slice(1).map((id) => ({ id }));
    const result = await outcomes(
      `a: setAlertBookmark(id: "${alertIds[1]}", bookmark: true) { camera { alerts { totalCount nodes { id bookmark } } } }
       b: deleteAlerts(ids: ["${alertIds[0]}"]) { deletedIds }
       c: setAlertBookmark(id: "${alertIds[1]}", bookmark: false) { camera { id alerts { totalCount nodes { id } } } }`,
      admin,
    );
    expect(result).toMatchObject({
      a: {
        camera: {
          alerts: { totalCount: 3, nodes: [{ bookmark: false }, { bookmark: true }, { bookmark: false }] },
        },
      },
      c: { camera: { id: cameraId, alerts: { totalCount: 2, nodes: other } } },
    });
  });

  it("no longer shows a password to a caller who removed their own cameras:write before", async () => {
    const { facilityId, cameraId } = await newSite();
    await prisma.camera.updateMany({
      where: { id: cameraId },
      data: { url: "rtsp://admin:secret@10.0.0.1/" },
    });
    const caller = await newUser([], {
      [facilityId]: ["users:write", "users:read", "alerts:read", "facilities:read", "cameras:write"],
    });
    const result = await outcomes(
      `a: removeFacilityAccess(facilityId: "${facilityId}", actions: ["cameras:write"]) { actions }
       b: renameFacility(id: "${facilityId}", name: "New") { cameras { url } }`,
      caller,
    );
    expect(result).toMatchObject({ b: { cameras: [{ url: "rtsp://admin:***@10.0.0.1/" }] } });
  });
});
