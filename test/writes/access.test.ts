import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Permission, permissions } from "../../src/access/permissions.js";
import { createApiKey, createFacility, createWorkspace } from "../support/factories.js";
import { type Gateway, startGateway } from "../support/harness.js";
import { type Call, newWriter, refusal, run, unknownId, type Writer } from "./writer.js";

let gateway: Gateway;
let workspaceId: string;
let here: string;
let there: string;
let elsewhere: string;
let admin: Writer;
let foreigner: Writer;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  const { prisma } = gateway;
  workspaceId = await createWorkspace(prisma, {});
  const otherWorkspaceId = await createWorkspace(prisma, {});
  here = await createFacility(prisma, { workspaceId, name: "A" });
  there = await createFacility(prisma, { workspaceId, name: "B" });
  elsewhere = await createFacility(prisma, { workspaceId: otherWorkspaceId });
  admin = await newWriter(prisma, { workspaceId, roles: permissions });
  foreigner = await newWriter(prisma, { workspaceId: otherWorkspaceId, roles: permissions });
});
afterAll(() => gateway.close());

type Change = "grant" | "remove";

const change = (kind: Change, facilityId: string, actions: string[], userId?: string): Call => [
  `mutation ($facilityId: UUID!, $actions: [String!]!, $userId: UUID) {
    access: ${kind}FacilityAccess(facilityId: $facilityId, actions: $actions, userId: $userId) { actions }
  }`,
  { facilityId, actions, userId },
];
const grant = (facilityId: string, actions: string[], userId?: string) => change("grant", facilityId, actions, userId);
const remove = (facilityId: string, actions: string[], userId?: string) => change("remove", facilityId, actions, userId);
const access = (actions: string[]) => ({ access: { actions } });

const newUser = (at: Record<string, Permission[]> = {}, roles: Permission[] = []) => newWriter(gateway.prisma, { workspaceId, roles, at });
const held = async (user: Writer, facilityId = here) =>
  (await gateway.prisma.facilityAccess.findUnique({ where: { userId_facilityId: { userId: user.id, facilityId } } }))?.actions;
const seenBy = async (user: Writer) =>
  (await gateway.data<{ facilities: { name: string }[] }>("{ facilities { name } }", user)).facilities.map(({ name }) => name);

describe("grantFacilityAccess", () => {
  it("counts from the next request on, at that facility alone", async () => {
    const user = await newUser();
    expect(await run(gateway, admin, grant(here, ["facilities:read"], user.id))).toEqual(access(["facilities:read"]));
    expect(await seenBy(user)).toEqual(["A"]);
  });

  it("adds to what is held, in which nothing is twice", async () => {
    const user = await newUser({ [here]: ["alerts:read"] });
    const granted = await run(gateway, admin, grant(here, ["cameras:read", "alerts:read", "cameras:read"], user.id));
    expect(granted).toEqual(access(["alerts:read", "cameras:read"]));
    expect(await held(user)).toEqual(["alerts:read", "cameras:read"]);
  });

  it("changes nothing when it is repeated", async () => {
    const user = await newUser();
    for (let time = 0; time < 2; time += 1) {
      expect(await run(gateway, admin, grant(here, ["alerts:read"], user.id))).toEqual(access(["alerts:read"]));
    }
    expect(await held(user)).toEqual(["alerts:read"]);
  });

  it("gives to the caller without a userId", async () => {
    const caller = await newUser({}, ["users:write", "alerts:read"]);
    expect(await run(gateway, caller, grant(here, ["alerts:read"]))).toEqual(access(["alerts:read"]));
  });

  it("refuses what the caller does not hold at that facility, all of it", async () => {
    const caller = await newUser({ [here]: ["users:write", "alerts:read"], [there]: ["users:write", "alerts:write"] });
    const user = await newUser();
    for (const target of [user, caller]) {
      const answer = await refusal(gateway, caller, grant(here, ["alerts:read", "alerts:write"], target.id));
      expect(answer).toEqual({ code: "FORBIDDEN", message: "Nobody hands out what they do not hold: alerts:write" });
    }
    expect(await held(user)).toBeUndefined();
    expect(await held(caller)).toEqual(["users:write", "alerts:read"]);
  });

  it("refuses what was taken from the caller the request before", async () => {
    const caller = await newUser({ [here]: ["users:write", "alerts:read"] });
    await run(gateway, caller, remove(here, ["alerts:read"]));
    expect(await refusal(gateway, caller, grant(here, ["alerts:read"]))).toMatchObject({ code: "FORBIDDEN" });
  });

  it("gives what the caller holds as a role, or at the facility", async () => {
    const caller = await newUser({ [here]: ["users:write", "alerts:write"] }, ["alerts:read"]);
    const user = await newUser();
    await run(gateway, caller, grant(here, ["alerts:read", "alerts:write", "users:write"], user.id));
    expect(await held(user)).toEqual(["alerts:read", "alerts:write", "users:write"]);
  });
});

describe("removeFacilityAccess", () => {
  it("counts from the next request on", async () => {
    const user = await newUser({ [here]: ["alerts:read"], [there]: ["alerts:read"] });
    expect(await run(gateway, admin, remove(here, ["alerts:read"], user.id))).toEqual(access([]));
    expect(await seenBy(user)).toEqual(["B"]);
  });

  it("leaves the rest of what is held", async () => {
    const user = await newUser({ [here]: ["alerts:read", "cameras:read", "alerts:write"] });
    await run(gateway, admin, remove(here, ["cameras:read"], user.id));
    expect(await held(user)).toEqual(["alerts:read", "alerts:write"]);
  });

  it("leaves no row behind when everything is taken", async () => {
    const user = await newUser({ [here]: ["alerts:read", "cameras:read"] });
    await run(gateway, admin, remove(here, ["cameras:read", "alerts:read", "alerts:delete"], user.id));
    expect(await held(user)).toBeUndefined();
  });

  it("changes nothing when nothing of it is held, and when it is repeated", async () => {
    const user = await newUser({ [here]: ["alerts:read"] });
    for (let time = 0; time < 2; time += 1) {
      expect(await run(gateway, admin, remove(here, ["cameras:read"], user.id))).toEqual(access(["alerts:read"]));
    }
    const nobody = await newUser();
    expect(await run(gateway, admin, remove(here, ["cameras:read"], nobody.id))).toEqual(access([]));
    expect(await held(nobody)).toBeUndefined();
  });

  it("takes what the caller does not hold, too", async () => {
    const caller = await newUser({ [here]: ["users:write"] });
    const user = await newUser({ [here]: ["alerts:delete"] });
    expect(await run(gateway, caller, remove(here, ["alerts:delete"], user.id))).toEqual(access([]));
  });

  it("leaves roles alone", async () => {
    const user = await newUser({ [here]: ["alerts:read"] }, ["alerts:read"]);
    await run(gateway, admin, remove(here, ["alerts:read"], user.id));
    expect(await seenBy(user)).toEqual(["A", "B"]);
  });
});

describe.each<Change>(["grant", "remove"])("%sFacilityAccess", (kind) => {
  it("needs users:write at the facility, and that is enough for it alone", async () => {
    const caller = await newUser({ [here]: ["users:write"], [there]: ["facilities:read"] });
    const user = await newUser();
    await run(gateway, caller, change(kind, here, ["users:write"], user.id));
    const answer = await refusal(gateway, caller, change(kind, there, ["facilities:read"], user.id));
    expect(answer).toEqual({ code: "FORBIDDEN", message: "This needs the permission users:write at the facility" });
    expect(await held(user, there)).toBeUndefined();
  });

  it("works with users:write as a role at every facility", async () => {
    const caller = await newUser({}, ["users:write"]);
    const user = await newUser();
    for (const facilityId of [here, there]) await run(gateway, caller, change(kind, facilityId, ["users:write"], user.id));
  });

  it("works with an API key, which must name a user", async () => {
    const as = await createApiKey(gateway.prisma, { workspaceId, permissions: ["users:write"], facilityIds: [here] });
    const user = await newUser();
    await run(gateway, { as }, change(kind, here, ["users:write"], user.id));
    expect(await refusal(gateway, { as }, change(kind, here, ["users:write"]))).toMatchObject({ code: "BAD_REQUEST", paths: ["userId"] });
  });

  it("answers for a facility that the caller does not see exactly as for one that never was", async () => {
    const caller = await newUser({ [here]: ["users:write"] });
    const never = await refusal(gateway, caller, change(kind, unknownId, ["users:write"], caller.id));
    expect(never).toEqual({ code: "NOT_FOUND", message: "Not found" });
    for (const facilityId of [there, elsewhere]) {
      expect(await refusal(gateway, caller, change(kind, facilityId, ["users:write"], caller.id))).toEqual(never);
    }
  });

  it("answers for a user of another workspace exactly as for one who never was", async () => {
    const never = await refusal(gateway, admin, change(kind, here, ["alerts:read"], unknownId));
    expect(never).toEqual({ code: "NOT_FOUND", message: "Not found" });
    expect(await refusal(gateway, admin, change(kind, here, ["alerts:read"], foreigner.id))).toEqual(never);
    expect(await held(foreigner)).toBeUndefined();
  });

  it.each<[string, string[], string]>([
    ["no action", [], "actions"],
    ["an action that is none", ["alerts:read", "alerts:admin"], "actions.1"],
    ["an empty action", [""], "actions.0"],
  ])("refuses %s", async (_what, actions, path) => {
    const user = await newUser({ [here]: ["alerts:read"] });
    expect(await refusal(gateway, admin, change(kind, here, actions, user.id))).toMatchObject({ code: "BAD_REQUEST", paths: [path] });
    expect(await held(user)).toEqual(["alerts:read"]);
  });
});
