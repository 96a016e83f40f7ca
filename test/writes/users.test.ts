// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { type Permission, permissions } from "../../src/engine/access/permissions.js";
import {
  createAdmin,
  createApiKey,
  createFacility,
  createTestUser,
  createWorkspace,
  type TestUser,
} from "../support/factories.js";
import { type Call, refusal, run, sharedWorkspace } from "../support/harness.js";

const { gateway, workspaceId } = await sharedWorkspace();
const facilityId = await createFacility(gateway.prisma, { workspaceId });
const admin = await createAdmin(gateway.prisma, workspaceId);
const otherTenant = await createTestUser(gateway.prisma, {
  workspaceId: await createWorkspace(gateway.prisma),
  roles: permissions,
});

const fields = "id authId email firstName lastName fullName roles activeWorkspace";
const create = (input: object): Call => [
  `mutation ($input: CreateUserInput!) { createUser(input: $input) { ${fields} } }`,
  { input },
];
const update = (id: string, input: object): Call => [
  `mutation ($id: UUID!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { ${fields} updatedAt emailVerified } }`,
  { id, input },
];
const setRoles = (userId: string, roles: string[]): Call => [
  "mutation ($userId: UUID!, $roles: [String!]!) { setUserRoles(userId: $userId, roles: $roles) { id roles } }",
  { userId, roles },
];
const remove = (userId: string): Call => [
  `mutation ($userId: UUID!) { removeUser(userId: $userId) { ${fields} } }`,
  { userId },
];

const day = 24 * 3_600_000;
const takeAccess = (userId: string, actions: Permission[]): Call => [
  "mutation ($facilityId: UUID!, $actions: [String!]!, $userId: UUID) { removeFacilityAccess(facilityId: $facilityId, actions: $actions, userId: $userId) { actions } }",
  { facilityId, actions, userId },
];

/** Lets all access of a user have ended before a time. */
async function endAt(id: string, millisecondsAgo: number) {
  const data = { until: new Date(Date.now() - millisecondsAgo) };
  await gateway.prisma.user.updateMany({ where: { id, roles: { isEmpty: false } }, data });
  await gateway.prisma.facilityAccess.updateMany({ where: { userId: id }, data });
}
async function grantAfterEnd(userId: string) {
  await endAt(userId, day);
  await run(gateway, admin, [
    'mutation ($facilityId: UUID!, $userId: UUID) { grantFacilityAccess(facilityId: $facilityId, actions: ["alerts:read"], userId: $userId) { actions } }',
    { facilityId, userId },
  ]);
}

const newUser = (roles: readonly Permission[] = []) => createTestUser(gateway.prisma, { workspaceId, roles });
const newInput = (values: object = {}) => ({
  authId: `new|${randomUUID()}`,
  email: "new@test.example",
  roles: [],
  ...values,
});
const rolesOf = async (id: string) => (await gateway.prisma.user.findFirst({ where: { id } }))?.roles;
const userOf = (authId: string) => gateway.prisma.user.findFirst({ where: { authId } });

describe("createUser", () => {
  it("creates a user who has access from the next request, with the given roles", async () => {
    const input = newInput({
      firstName: "Ada",
      lastName: "Lovelace",
      roles: ["alerts:read", "cameras:read"],
    });
    const { createUser } = await run<{ createUser: { id: string } }>(gateway, admin, create(input));
    expect(createUser).toEqual({
      ...input,
      id: expect.any(String),
      fullName: "Ada Lovelace",
      activeWorkspace: workspaceId,
    });
    const data = await gateway.data("{ me { id roles } facilities { id } }", { as: { user: input.authId } });
    expect(data).toEqual({ me: { id: createUser.id, roles: input.roles }, facilities: [{ id: facilityId }] });
  });

  it("rejects a taken authId with the same error in every workspace, and changes nothing", async () => {
    const before = await gateway.prisma.user.findMany({ orderBy: { id: "asc" } });
    const errors: object[] = [];
    for (const authId of [admin.authId, otherTenant.authId])
      errors.push(await refusal(gateway, admin, create(newInput({ authId }))));
    expect(errors[0]).toMatchObject({ code: "CONFLICT" });
    expect(errors[1]).toEqual(errors[0]);
    expect(await gateway.prisma.user.findMany({ orderBy: { id: "asc" } })).toEqual(before);
  });

  it("rejects an authId that a user of the workspace has without a look-up, and leaves nothing behind", async () => {
    const { authId } = await newUser();
    await gateway.prisma.authIdLookup.deleteMany({ where: { authId } });
    const input = newInput({ authId, email: `${randomUUID()}@test.example` });
    expect(await refusal(gateway, admin, create(input))).toMatchObject({ code: "CONFLICT" });
    expect(await gateway.prisma.authIdLookup.count({ where: { authId } })).toBe(0);
    expect(await gateway.prisma.emailLookup.count({ where: { email: input.email } })).toBe(0);
  });

  it("of an authId that is freed at the same moment either succeeds or is a conflict", async () => {
    const users: TestUser[] = [];
    while (users.length < 8) users.push(await newUser());
    const codes = await Promise.all(
      users.map(async ({ id, authId }) => {
        const [query, variables] = create(newInput({ authId }));
        const [created] = await Promise.all([
          gateway.graphql(query, { as: admin.as, variables }),
          run(gateway, admin, remove(id)),
        ]);
        return created.errors?.[0]?.extensions.code ?? "created";
      }),
    );
    for (const code of codes) expect(["created", "CONFLICT"]).toContain(code);
  });
});

describe("setUserRoles", () => {
  it("replaces and deduplicates all roles", async () => {
    const user = await newUser(["alerts:read", "cameras:read"]);
    await run(gateway, admin, setRoles(user.id, ["cameras:write", "cameras:read", "cameras:write"]));
    expect(await rolesOf(user.id)).toEqual(["cameras:write", "cameras:read"]);
  });

  it("keeps a role that the caller does not hold, and takes it from nobody but the caller", async () => {
    const caller = await createTestUser(gateway.prisma, {
      workspaceId,
      roles: ["users:write", "cameras:write"],
      at: { [facilityId]: ["alerts:delete"] },
    });
    const user = await newUser(["alerts:delete", "cameras:write"]);
    await run(gateway, caller, setRoles(user.id, ["alerts:delete"]));
    expect(await refusal(gateway, caller, setRoles(user.id, []))).toEqual({
      code: "FORBIDDEN",
      message: "You cannot take away a permission you do not hold: alerts:delete",
    });
    expect(await rolesOf(user.id)).toEqual(["alerts:delete"]);
    await run(gateway, caller, setRoles(caller.id, ["users:write"]));
    expect(await rolesOf(caller.id)).toEqual(["users:write"]);
  });
});

describe("updateUser", () => {
  it("changes the given fields, and clears names with null", async () => {
    const user = await newUser();
    const before = await gateway.prisma.user.findFirstOrThrow({ where: { id: user.id } });
    const named = { email: "ada@test.example", firstName: "Ada", lastName: "Lovelace" };
    const { updateUser } = await run<{ updateUser: { updatedAt: string } }>(
      gateway,
      admin,
      update(user.id, named),
    );
    expect(updateUser).toMatchObject({ id: user.id, ...named, fullName: "Ada Lovelace" });
    expect(new Date(updateUser.updatedAt).getTime()).toBeGreaterThan(before.updatedAt.getTime());
    expect(await run(gateway, admin, update(user.id, { lastName: null }))).toMatchObject({
      updateUser: { ...named, lastName: null, fullName: "Ada" },
    });
  });

  it("changes nothing without a field, or with the same values", async () => {
    const user = await newUser();
    const before = await gateway.prisma.user.findFirstOrThrow({ where: { id: user.id } });
    for (const input of [{}, { email: before.email, firstName: null }])
      await run(gateway, admin, update(user.id, input));
    expect(await gateway.prisma.user.findFirst({ where: { id: user.id } })).toEqual(before);
    expect(await gateway.prisma.auditEntry.count({ where: { targetId: user.id } })).toBe(0);
  });

  it("takes a new address for unverified", async () => {
    const user = await newUser();
    await gateway.prisma.user.updateMany({ where: { id: user.id }, data: { emailVerified: true } });
    expect(await run(gateway, admin, update(user.id, { firstName: "Ada" }))).toMatchObject({
      updateUser: { emailVerified: true },
    });
    expect(await run(gateway, admin, update(user.id, { email: "new@test.example" }))).toMatchObject({
      updateUser: { emailVerified: false },
    });
  });

  describe("changes the address of a user", () => {
    const newCaller = () =>
      createTestUser(gateway.prisma, {
        workspaceId,
        roles: ["users:write", "alerts:read"],
        at: { [facilityId]: ["cameras:write"] },
      });
    const email = "taken-over@test.example";

    const newUserAt = (roles: Permission[], actions: Permission[]) =>
      createTestUser(gateway.prisma, { workspaceId, roles, at: { [facilityId]: actions } });

    it.each<[string, Permission[], Permission[]]>([
      ["in the workspace", ["alerts:read", "alerts:delete"], []],
      ["at a facility", ["alerts:read"], ["alerts:delete"]],
    ])("unless they hold more %s", async (_where, roles, actions) => {
      const user = await newUserAt(roles, actions);
      const before = await gateway.prisma.user.findFirst({ where: { id: user.id } });
      const caller = await newCaller();
      expect(await refusal(gateway, caller, update(user.id, { email }))).toEqual({
        code: "FORBIDDEN",
        message:
          "You cannot change the email address of a user who holds, or held in the last 30 days, permissions that you do not hold",
      });
      expect(await gateway.prisma.user.findFirst({ where: { id: user.id } })).toEqual(before);
      await run(gateway, caller, update(user.id, { firstName: "Ada" }));
    });

    const taking = (callOf: (userId: string) => Call) => (userId: string) =>
      run(gateway, admin, callOf(userId));
    it.each<[string, Permission[], Permission[], (userId: string) => Promise<unknown>]>([
      ["in the workspace", ["alerts:delete"], [], taking((userId) => setRoles(userId, []))],
      ["at a facility", [], ["alerts:delete"], taking((userId) => takeAccess(userId, ["alerts:delete"]))],
      ["at a facility, before another grant", [], ["alerts:delete"], grantAfterEnd],
    ])("unless they held more %s in the last 30 days", async (_where, roles, actions, take) => {
      const user = await newUserAt(roles, actions);
      const caller = await newCaller();
      await take(user.id);
      expect(await refusal(gateway, caller, update(user.id, { email }))).toMatchObject({ code: "FORBIDDEN" });
      await gateway.prisma.auditEntry.updateMany({
        where: { targetId: user.id },
        data: { createdAt: new Date(Date.now() - 30 * 24 * 3_600_000) },
      });
      await run(gateway, caller, update(user.id, { email }));
    });

    it.each<[string, Permission[], Permission[]]>([
      ["in the workspace", ["alerts:delete"], []],
      ["at a facility", [], ["alerts:delete"]],
    ])("unless access %s that they do not hold ended in the last 30 days", async (_where, roles, actions) => {
      const user = await newUserAt(roles, actions);
      const caller = await newCaller();
      await endAt(user.id, 29 * day);
      expect(await refusal(gateway, caller, update(user.id, { email }))).toMatchObject({ code: "FORBIDDEN" });
      await endAt(user.id, 30 * day);
      await run(gateway, caller, update(user.id, { email }));
    });

    it("who holds as much as the caller", async () => {
      const user = await newUserAt(["alerts:read"], ["cameras:write", "alerts:read"]);
      expect(await run(gateway, await newCaller(), update(user.id, { email }))).toMatchObject({
        updateUser: { email },
      });
    });
  });
});

describe("removeUser", () => {
  it("deletes the user and their facility access, and returns their last state", async () => {
    const user = await createTestUser(gateway.prisma, {
      workspaceId,
      roles: ["cameras:read"],
      at: { [facilityId]: ["alerts:read"] },
    });
    const { removeUser } = await run<{ removeUser: object }>(gateway, admin, remove(user.id));
    expect(removeUser).toMatchObject({ id: user.id, authId: user.authId, roles: ["cameras:read"] });
    expect(await userOf(user.authId)).toBeNull();
    expect(await gateway.prisma.facilityAccess.count({ where: { userId: user.id } })).toBe(0);
  });

  it.each<[string, Permission[], Permission[]]>([
    ["in the workspace", ["alerts:delete"], []],
    ["at a facility", [], ["alerts:delete"]],
  ])("needs what the user holds %s", async (_where, roles, actions) => {
    const user = await createTestUser(gateway.prisma, { workspaceId, roles, at: { [facilityId]: actions } });
    const caller = await newUser(["users:write", "alerts:read"]);
    expect(await refusal(gateway, caller, remove(user.id))).toEqual({
      code: "FORBIDDEN",
      message: "You cannot take away a permission you do not hold: alerts:delete",
    });
    expect(await userOf(user.authId)).not.toBeNull();
  });

  it("does not let callers remove themselves", async () => {
    expect(await refusal(gateway, admin, remove(admin.id))).toMatchObject({ code: "CONFLICT" });
    expect(await userOf(admin.authId)).not.toBeNull();
  });
});

describe("the last user with users:write in the workspace", () => {
  it.each<[string, (userId: string) => Call]>([
    ["is not removed", remove],
    ["is not stripped", (userId) => setRoles(userId, ["alerts:read"])],
    ["is not ended", (userId) => update(userId, { until: new Date(Date.now() + day) })],
  ])("%s, whoever asks", async (_what, call) => {
    const { prisma } = gateway;
    const own = await createWorkspace(prisma);
    const place = await createFacility(prisma, { workspaceId: own });
    const roles: Permission[] = ["alerts:read", "users:write"];
    const [first, last] = [
      await createTestUser(prisma, { workspaceId: own, roles }),
      await createTestUser(prisma, { workspaceId: own, roles }),
    ];
    await createTestUser(prisma, { workspaceId: own, at: { [place]: ["users:write"] } });
    const temporary = await createTestUser(prisma, { workspaceId: own, roles });
    await prisma.user.updateMany({
      where: { id: temporary.id },
      data: { until: new Date(Date.now() + day) },
    });
    const { authorization } = await createApiKey(prisma, { workspaceId: own, permissions: roles });
    const key = { as: { authorization } };
    await run(gateway, last, setRoles(first.id, []));
    for (const caller of [key, last])
      expect(await refusal(gateway, caller, call(last.id))).toMatchObject({ code: "CONFLICT" });
    expect(await rolesOf(last.id)).toEqual(roles);
    await run(gateway, last, setRoles(last.id, ["users:write"]));
  });
});

describe("a caller cannot grant a role that they do not hold in the whole workspace:", () => {
  const newCaller = () =>
    createTestUser(gateway.prisma, {
      workspaceId,
      roles: ["users:write", "alerts:read"],
      at: { [facilityId]: ["alerts:delete"] },
    });
  const cases: [string, (caller: TestUser) => Promise<Call> | Call][] = [
    ["to themselves, held at one facility only", ({ id }) => setRoles(id, ["users:write", "alerts:delete"])],
    ["to another user", async () => setRoles((await newUser()).id, ["alerts:read", "alerts:write"])],
    ["to a new user, held at one facility only", () => create(newInput({ roles: ["alerts:delete"] }))],
  ];

  it.each(cases)("%s", async (_case, callOf) => {
    const caller = await newCaller();
    const call = await callOf(caller);
    const before = await gateway.prisma.user.findMany({ orderBy: { id: "asc" } });
    expect(await refusal(gateway, caller, call)).toMatchObject({ code: "FORBIDDEN" });
    expect(await gateway.prisma.user.findMany({ orderBy: { id: "asc" } })).toEqual(before);
  });

  it("nor a role that they gave up themselves", async () => {
    const caller = await newCaller();
    await run(gateway, caller, setRoles(caller.id, ["users:write"]));
    expect(await refusal(gateway, caller, setRoles(caller.id, ["users:write", "alerts:read"]))).toMatchObject(
      { code: "FORBIDDEN" },
    );
  });
});
