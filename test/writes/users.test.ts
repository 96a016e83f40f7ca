import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Permission, permissions } from "../../src/access/permissions.js";
import { createApiKey, createFacility, createWorkspace } from "../support/factories.js";
import { type Gateway, startGateway } from "../support/harness.js";
import { type Call, newWriter, refusal, run, unknownId, type Writer } from "./writer.js";

let gateway: Gateway;
let workspaceId: string;
let facilityId: string;
let admin: Writer;
let foreigner: Writer;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  workspaceId = await createWorkspace(gateway.prisma, {});
  facilityId = await createFacility(gateway.prisma, { workspaceId });
  admin = await newWriter(gateway.prisma, { workspaceId, roles: permissions });
  foreigner = await newWriter(gateway.prisma, { workspaceId: await createWorkspace(gateway.prisma, {}), roles: permissions });
});
afterAll(() => gateway.close());

const fields = "id authId email firstName lastName fullName roles activeWorkspace";
const create = (input: object): Call => [`mutation ($input: CreateUserInput!) { createUser(input: $input) { ${fields} } }`, { input }];
const setRoles = (userId: string, roles: string[]): Call => [
  "mutation ($userId: UUID!, $roles: [String!]!) { setUserRoles(userId: $userId, roles: $roles) { id roles } }",
  { userId, roles },
];
const remove = (userId: string): Call => [`mutation ($userId: UUID!) { removeUser(userId: $userId) { ${fields} } }`, { userId }];

const newUser = (roles: readonly Permission[] = []) => newWriter(gateway.prisma, { workspaceId, roles });
const newInput = (values: object = {}) => ({ authId: `new|${randomUUID()}`, email: "new@test.example", roles: [], ...values });
const rolesOf = async (id: string) => (await gateway.prisma.user.findUnique({ where: { id } }))?.roles;
const userOf = (authId: string) => gateway.prisma.user.findUnique({ where: { authId } });
const facilitiesSeenBy = (writer: Writer) => gateway.data("{ facilities { id } }", writer);

describe("createUser", () => {
  it("adds a user who is let in from the next request on, with the roles that were given", async () => {
    const input = newInput({ firstName: "Ada", lastName: "Lovelace", roles: ["alerts:read", "cameras:read"] });
    const { createUser } = await run<{ createUser: { id: string } }>(gateway, admin, create(input));
    expect(createUser).toEqual({ ...input, id: expect.any(String), fullName: "Ada Lovelace", activeWorkspace: workspaceId });
    const data = await gateway.data("{ me { id roles } facilities { id } }", { as: { user: input.authId } });
    expect(data).toEqual({ me: { id: createUser.id, roles: input.roles }, facilities: [{ id: facilityId }] });
  });

  it("adds a user without names and roles, who sees nothing", async () => {
    const input = newInput();
    const { createUser } = await run<{ createUser: object }>(gateway, admin, create(input));
    expect(createUser).toMatchObject({ firstName: null, lastName: null, fullName: null, roles: [] });
    expect(await gateway.data("{ facilities { id } }", { as: { user: input.authId } })).toEqual({ facilities: [] });
  });

  it("keeps a role that is given twice once", async () => {
    const input = newInput({ roles: ["alerts:read", "alerts:read"] });
    expect(await run(gateway, admin, create(input))).toMatchObject({ createUser: { roles: ["alerts:read"] } });
  });

  it("refuses a taken authId with one and the same answer, whoever has it, and changes nothing", async () => {
    const before = await gateway.prisma.user.findMany({ orderBy: { id: "asc" } });
    const answers: object[] = [];
    for (const authId of [admin.authId, foreigner.authId]) answers.push(await refusal(gateway, admin, create(newInput({ authId }))));
    expect(answers[0]).toMatchObject({ code: "CONFLICT" });
    expect(answers[1]).toEqual(answers[0]);
    expect(await gateway.prisma.user.findMany({ orderBy: { id: "asc" } })).toEqual(before);
  });

  it("lets two users have one e-mail address", async () => {
    await run(gateway, admin, create(newInput()));
    expect(await run(gateway, admin, create(newInput()))).toMatchObject({ createUser: { email: "new@test.example" } });
  });

  it.each<[string, object, string]>([
    ["an e-mail address that is none", { email: "nobody" }, "input.email"],
    ["an e-mail address of more than 320 characters", { email: `${"a".repeat(312)}@test.example` }, "input.email"],
    ["an empty authId", { authId: "" }, "input.authId"],
    ["a blank authId", { authId: "  " }, "input.authId"],
    ["an authId of 256 characters", { authId: "a".repeat(256) }, "input.authId"],
    ["a NUL in the authId", { authId: "a\0b" }, "input.authId"],
    ["a blank first name", { firstName: " " }, "input.firstName"],
    ["a last name of 101 characters", { lastName: "a".repeat(101) }, "input.lastName"],
    ["a role that is none", { roles: ["alerts:read", "alerts:admin"] }, "input.roles.1"],
    ["a role in capitals", { roles: ["ALERTS:READ"] }, "input.roles.0"],
  ])("refuses %s", async (_what, values, path) => {
    expect(await refusal(gateway, admin, create(newInput(values)))).toMatchObject({ code: "BAD_REQUEST", paths: [path] });
  });
});

describe("setUserRoles", () => {
  it("gives and takes roles, which counts from the next request on", async () => {
    const user = await newUser();
    expect(await facilitiesSeenBy(user)).toEqual({ facilities: [] });
    expect(await run(gateway, admin, setRoles(user.id, ["alerts:read"]))).toEqual({ setUserRoles: { id: user.id, roles: ["alerts:read"] } });
    expect(await facilitiesSeenBy(user)).toEqual({ facilities: [{ id: facilityId }] });
    expect(await run(gateway, admin, setRoles(user.id, []))).toEqual({ setUserRoles: { id: user.id, roles: [] } });
    expect(await facilitiesSeenBy(user)).toEqual({ facilities: [] });
  });

  it("replaces all roles, and keeps each once", async () => {
    const user = await newUser(["alerts:read", "cameras:read"]);
    await run(gateway, admin, setRoles(user.id, ["cameras:write", "cameras:read", "cameras:write"]));
    expect(await rolesOf(user.id)).toEqual(["cameras:write", "cameras:read"]);
  });

  it("lets a role stay that the caller does not hold, and lets them take it", async () => {
    const caller = await newUser(["users:write"]);
    const user = await newUser(["alerts:delete", "cameras:write"]);
    await run(gateway, caller, setRoles(user.id, ["alerts:delete"]));
    expect(await rolesOf(user.id)).toEqual(["alerts:delete"]);
    await run(gateway, caller, setRoles(user.id, []));
    expect(await rolesOf(user.id)).toEqual([]);
  });

  it("refuses a role that is none", async () => {
    const user = await newUser();
    expect(await refusal(gateway, admin, setRoles(user.id, ["root"]))).toMatchObject({ code: "BAD_REQUEST", paths: ["roles.0"] });
  });
});

describe("removeUser", () => {
  it("removes the user with all accesses, and answers who it was", async () => {
    const user = await newWriter(gateway.prisma, { workspaceId, roles: ["cameras:read"], at: { [facilityId]: ["alerts:read"] } });
    const { removeUser } = await run<{ removeUser: object }>(gateway, admin, remove(user.id));
    expect(removeUser).toMatchObject({ id: user.id, authId: user.authId, roles: ["cameras:read"] });
    expect(await userOf(user.authId)).toBeNull();
    expect(await gateway.prisma.facilityAccess.count({ where: { userId: user.id } })).toBe(0);
  });

  it("counts from the next request on: the user's token is good no more", async () => {
    const user = await newUser(["alerts:read"]);
    expect((await gateway.graphql("{ me { id } }", user)).status).toBe(200);
    await run(gateway, admin, remove(user.id));
    const { status, errors } = await gateway.graphql("{ me { id } }", user);
    expect({ status, code: errors?.[0]?.extensions.code }).toEqual({ status: 401, code: "UNAUTHENTICATED" });
  });

  it("makes the authId free again", async () => {
    const user = await newUser();
    await run(gateway, admin, remove(user.id));
    expect(await run(gateway, admin, create(newInput({ authId: user.authId })))).toMatchObject({ createUser: { authId: user.authId } });
  });

  it("refuses to remove oneself", async () => {
    expect(await refusal(gateway, admin, remove(admin.id))).toMatchObject({ code: "CONFLICT" });
    expect(await userOf(admin.authId)).not.toBeNull();
  });

  it("finds no one who was removed before", async () => {
    const user = await newUser();
    await run(gateway, admin, remove(user.id));
    expect(await refusal(gateway, admin, remove(user.id))).toMatchObject({ code: "NOT_FOUND" });
  });
});

const mutations: [string, (userId: string) => Call][] = [
  ["createUser", () => create(newInput())],
  ["setUserRoles", (userId) => setRoles(userId, [])],
  ["removeUser", remove],
];

describe.each(mutations)("%s", (_name, call) => {
  const others = permissions.filter((each) => each !== "users:write");

  it("succeeds with users:write in the workspace alone", async () => {
    await run(gateway, await newUser(["users:write"]), call((await newUser()).id));
  });

  it("succeeds with an API key that has users:write everywhere", async () => {
    const as = await createApiKey(gateway.prisma, { workspaceId, permissions: ["users:write"] });
    await run(gateway, { as }, call((await newUser()).id));
  });

  it.each<[string, () => Promise<Pick<Writer, "as">>]>([
    ["with every other permission", () => newUser(others)],
    ["with users:write at a facility alone", () => newWriter(gateway.prisma, { workspaceId, at: { [facilityId]: ["users:write"] } })],
    ["with nothing", () => newUser()],
  ])("is FORBIDDEN %s, and changes nothing", async (_case, caller) => {
    const user = await newUser(["alerts:read"]);
    const as = await caller();
    const count = await gateway.prisma.user.count();
    expect(await refusal(gateway, as, call(user.id))).toEqual({
      code: "FORBIDDEN",
      message: "This needs the permission users:write in the workspace",
    });
    expect(await gateway.prisma.user.count()).toBe(count);
    expect(await rolesOf(user.id)).toEqual(["alerts:read"]);
  });

  it("is FORBIDDEN to a key that is limited to a facility", async () => {
    const key = await createApiKey(gateway.prisma, { workspaceId, permissions: ["users:write"], facilityIds: [facilityId] });
    expect(await refusal(gateway, { as: key }, call((await newUser()).id))).toMatchObject({ code: "FORBIDDEN" });
  });
});

describe.each(mutations.slice(1))("%s", (_name, call) => {
  it("answers for a user of another workspace exactly as for one who never was", async () => {
    const never = await refusal(gateway, admin, call(unknownId));
    expect(never).toMatchObject({ code: "NOT_FOUND" });
    expect(await refusal(gateway, admin, call(foreigner.id))).toEqual(never);
    expect(await rolesOf(foreigner.id)).toEqual([...permissions]);
  });
});

describe("nobody hands out a role that they do not hold in the whole workspace:", () => {
  const holding = () => newWriter(gateway.prisma, { workspaceId, roles: ["users:write", "alerts:read"], at: { [facilityId]: ["alerts:delete"] } });
  const cases: [string, (caller: Writer) => Promise<Call> | Call][] = [
    ["to themselves", ({ id }) => setRoles(id, ["users:write", "alerts:read", "alerts:write"])],
    ["to themselves, of what they hold at a facility", ({ id }) => setRoles(id, ["users:write", "alerts:delete"])],
    ["to another", async () => setRoles((await newUser()).id, ["alerts:read", "alerts:write"])],
    ["to another, of what they hold at a facility", async () => setRoles((await newUser()).id, ["alerts:delete"])],
    ["to a new user", () => create(newInput({ roles: ["alerts:read", "api-keys:write"] }))],
    ["to a new user, of what they hold at a facility", () => create(newInput({ roles: ["alerts:delete"] }))],
  ];

  it.each(cases)("%s", async (_case, callOf) => {
    const caller = await holding();
    const call = await callOf(caller);
    const before = await gateway.prisma.user.findMany({ orderBy: { id: "asc" } });
    expect(await refusal(gateway, caller, call)).toMatchObject({ code: "FORBIDDEN" });
    expect(await gateway.prisma.user.findMany({ orderBy: { id: "asc" } })).toEqual(before);
  });

  it("what they hold, they may give", async () => {
    const user = await newUser();
    await run(gateway, await holding(), setRoles(user.id, ["alerts:read", "users:write"]));
    expect(await rolesOf(user.id)).toEqual(["alerts:read", "users:write"]);
  });

  it("a role that they gave up is not theirs to take back", async () => {
    const caller = await holding();
    await run(gateway, caller, setRoles(caller.id, ["users:write"]));
    expect(await refusal(gateway, caller, setRoles(caller.id, ["users:write", "alerts:read"]))).toMatchObject({ code: "FORBIDDEN" });
  });
});
