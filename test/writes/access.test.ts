// Runs once: both kinds of databases run the same statements.
import type { Permission } from "../../src/engine/access/permissions.js";
import {
  createAdmin,
  createApiKey,
  createFacility,
  createTestUser,
  type TestUser,
} from "../support/factories.js";
import { type Call, refusal, run, sharedWorkspace } from "../support/harness.js";

const { gateway, prisma, workspaceId } = await sharedWorkspace();
const here = await createFacility(prisma, { workspaceId });
const there = await createFacility(prisma, { workspaceId });
const admin = await createAdmin(prisma, workspaceId);

type Change = "grant" | "remove";

const change =
  (kind: Change) =>
  (facilityId: string, actions: string[], userId?: string): Call => [
    `mutation ($facilityId: UUID!, $actions: [String!]!, $userId: UUID) {
      access: ${kind}FacilityAccess(facilityId: $facilityId, actions: $actions, userId: $userId) { actions }
    }`,
    { facilityId, actions, userId },
  ];
const [grant, remove] = [change("grant"), change("remove")];
const access = (actions: string[]) => ({ access: { actions } });

const newUser = (at: Record<string, Permission[]> = {}, roles: Permission[] = []) =>
  createTestUser(prisma, { workspaceId, roles, at });
const held = async (user: TestUser, facilityId = here) =>
  (await prisma.facilityAccess.findFirst({ where: { userId: user.id, facilityId } }))?.actions;
describe("grantFacilityAccess", () => {
  it("adds to the existing actions without duplicates", async () => {
    const user = await newUser({ [here]: ["alerts:read"] });
    const granted = await run(
      gateway,
      admin,
      grant(here, ["cameras:read", "alerts:read", "cameras:read"], user.id),
    );
    expect(granted).toEqual(access(["alerts:read", "cameras:read"]));
    expect(await held(user)).toEqual(["alerts:read", "cameras:read"]);
  });

  it("rejects the whole grant when the caller lacks one of the permissions at that facility", async () => {
    const caller = await newUser({
      [here]: ["users:write", "alerts:read"],
      [there]: ["users:write", "alerts:write"],
    });
    const user = await newUser();
    for (const target of [user, caller]) {
      const error = await refusal(gateway, caller, grant(here, ["alerts:read", "alerts:write"], target.id));
      expect(error).toEqual({
        code: "FORBIDDEN",
        message: "You cannot grant a permission you do not hold: alerts:write",
      });
    }
    expect(await held(user)).toBeUndefined();
    expect(await held(caller)).toEqual(["users:write", "alerts:read"]);
  });

  it("grants permissions that the caller holds as a role or at the facility", async () => {
    const caller = await newUser({ [here]: ["users:write", "alerts:write"] }, ["alerts:read"]);
    const user = await newUser();
    await run(gateway, caller, grant(here, ["alerts:read", "alerts:write", "users:write"], user.id));
    expect(await held(user)).toEqual(["alerts:read", "alerts:write", "users:write"]);
  });
});

describe("removeFacilityAccess", () => {
  it("deletes the row when no action remains", async () => {
    const user = await newUser({ [here]: ["alerts:read", "cameras:read"] });
    await run(gateway, admin, remove(here, ["cameras:read", "alerts:read", "alerts:delete"], user.id));
    expect(await held(user)).toBeUndefined();
  });

  it("is idempotent and ignores actions that are not held", async () => {
    const user = await newUser({ [here]: ["alerts:read"] });
    for (let time = 0; time < 2; time += 1) {
      expect(await run(gateway, admin, remove(here, ["cameras:read"], user.id))).toEqual(
        access(["alerts:read"]),
      );
    }
    const noAccess = await newUser();
    expect(await run(gateway, admin, remove(here, ["cameras:read"], noAccess.id))).toEqual(access([]));
    expect(await held(noAccess)).toBeUndefined();
  });

  it("removes permissions that the caller does not hold only if the user also holds them by role", async () => {
    const caller = await newUser({ [here]: ["users:write", "alerts:delete"] });
    const user = await newUser({ [here]: ["alerts:delete", "alerts:read"] });
    expect(await refusal(gateway, caller, remove(here, ["alerts:delete", "alerts:read"], user.id))).toEqual({
      code: "FORBIDDEN",
      message: "You cannot take away a permission you do not hold: alerts:read",
    });
    expect(await held(user)).toEqual(["alerts:delete", "alerts:read"]);
    const withRole = await newUser({ [here]: ["alerts:delete", "alerts:read"] }, ["alerts:read"]);
    expect(await run(gateway, caller, remove(here, ["alerts:delete", "alerts:read"], withRole.id))).toEqual(
      access([]),
    );
    expect(await run(gateway, caller, remove(here, ["alerts:delete", "users:write"]))).toEqual(access([]));
  });

  it("does not change roles", async () => {
    const user = await newUser({ [here]: ["alerts:read"] }, ["alerts:read"]);
    await run(gateway, admin, remove(here, ["alerts:read"], user.id));
    expect(await prisma.user.findFirst({ where: { id: user.id } })).toMatchObject({ roles: ["alerts:read"] });
  });
});

describe.each<Change>(["grant", "remove"])("%sFacilityAccess", (kind) => {
  it("accepts an API key, which must pass a userId", async () => {
    const as = await createApiKey(prisma, {
      workspaceId,
      permissions: ["users:write"],
      facilityIds: [here],
    });
    const user = await newUser();
    await run(gateway, { as }, change(kind)(here, ["users:write"], user.id));
    expect(await refusal(gateway, { as }, change(kind)(here, ["users:write"]))).toMatchObject({
      code: "BAD_REQUEST",
      paths: ["userId"],
    });
  });
});
