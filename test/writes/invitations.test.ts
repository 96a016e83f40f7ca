// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import type { Permission } from "../../src/engine/access/permissions.js";
import {
  createAdmin,
  createFacility,
  createInvitation,
  createTestUser,
  createUser,
  type TestUser,
} from "../support/factories.js";
import { type Call, refusal, run, sharedWorkspace } from "../support/harness.js";

const day = 24 * 3_600_000;
let now = new Date("2026-11-20T12:00:00.000Z");
const advance = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds);
};
const { gateway, prisma, workspaceId } = await sharedWorkspace({ now: () => now });
const facilityId = await createFacility(prisma, { workspaceId });
const admin = await createAdmin(prisma, workspaceId);

const fields =
  "id email firstName lastName roles accesses { facilityId actions } invitedBy { id } createdAt expiresAt acceptedAt revokedAt";
const invite = (input: object): Call => [
  `mutation ($input: InviteUserInput!) { inviteUser(input: $input) { ${fields} } }`,
  { input },
];
const revoke = (id: string): Call => [
  `mutation ($id: UUID!) { revokeInvitation(id: $id) { ${fields} } }`,
  { id },
];
const resend = (id: string): Call => [
  `mutation ($id: UUID!) { resendInvitation(id: $id) { ${fields} } }`,
  { id },
];
const newEmail = () => `${randomUUID()}@test.example`;
const invited = async (input: object = {}, by: Pick<TestUser, "as"> = admin) =>
  (
    await run<{ inviteUser: { id: string; email: string } }>(
      gateway,
      by,
      invite({ email: newEmail(), ...input }),
    )
  ).inviteUser;
const expire = (id: string) => prisma.invitation.updateMany({ where: { id }, data: { expiresAt: now } });
const newUser = (roles: readonly Permission[], at: Record<string, Permission[]> = {}) =>
  createTestUser(prisma, { workspaceId, roles, at });
const stored = () => prisma.invitation.findMany({ where: { workspaceId }, orderBy: { id: "asc" } });

describe("inviteUser", () => {
  it("makes an invitation for 14 days, which the workspace lists first", async () => {
    const input = {
      ...{ email: newEmail(), firstName: "Ada", lastName: "Lovelace", roles: ["alerts:read"] },
      accesses: [{ facilityId, actions: ["alerts:write"] }],
    };
    const { inviteUser } = await run<{ inviteUser: object }>(gateway, admin, invite(input));
    expect(inviteUser).toEqual({
      ...input,
      ...{ id: expect.any(String), invitedBy: { id: admin.id }, createdAt: now.toISOString() },
      ...{ expiresAt: new Date(now.getTime() + 14 * day).toISOString(), acceptedAt: null, revokedAt: null },
    });
    advance(1000);
    const later = await invited();
    const { workspace } = await gateway.data<{ workspace: { invitations: object[] } }>(
      `{ workspace { invitations { ${fields} } } }`,
      admin,
    );
    expect(workspace.invitations.slice(0, 2)).toEqual([later, inviteUser]);
  });

  it("names nobody by default, and hands out nothing", async () => {
    expect(await invited()).toMatchObject({ firstName: null, lastName: null, roles: [], accesses: [] });
  });

  it("merges what it hands out, each facility and permission once", async () => {
    const accesses = [
      { facilityId, actions: ["alerts:read", "alerts:read"] },
      { facilityId, actions: ["alerts:write", "alerts:read"] },
    ];
    expect(await invited({ roles: ["alerts:read", "alerts:read"], accesses })).toMatchObject({
      roles: ["alerts:read"],
      accesses: [{ facilityId, actions: ["alerts:read", "alerts:write"] }],
    });
  });

  it.each([
    [
      "belongs to a user of the workspace",
      (email: string) => createUser(prisma, { workspaceId, email: email.toUpperCase() }),
    ],
    ["is already invited", (email: string) => invited({ email })],
  ])("rejects an address that %s, in whichever case, and changes nothing", async (what, take) => {
    const email = newEmail();
    await take(email);
    const before = await stored();
    for (const address of [email, email.toUpperCase()])
      expect(await refusal(gateway, admin, invite({ email: address }))).toEqual({
        code: "CONFLICT",
        message: `This email address ${what}`,
      });
    expect(await stored()).toEqual(before);
  });

  it("makes one of several invitations of an address at the same moment", async () => {
    const [query, variables] = invite({ email: newEmail() });
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => gateway.graphql(query, { ...admin, variables })),
    );
    const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code ?? "ok");
    expect(codes.toSorted()).toEqual(["CONFLICT", "CONFLICT", "CONFLICT", "ok"]);
  });

  it.each<[string, (invitation: { id: string }, inviter: TestUser) => Promise<unknown> | unknown]>([
    ["revoked", ({ id }) => run(gateway, admin, revoke(id))],
    ["expired", ({ id }) => expire(id)],
    [
      "void, as its inviter was removed",
      (_invitation, { id }) =>
        run(gateway, admin, ["mutation ($id: UUID!) { removeUser(userId: $id) { id } }", { id }]),
    ],
    [
      "void, as the access of its inviter has ended",
      (_invitation, { id }) => prisma.user.updateMany({ where: { id }, data: { until: new Date(0) } }),
    ],
    [
      "void, as its inviter no longer holds what it hands out",
      (_invitation, { id }) =>
        run(gateway, admin, [
          "mutation ($id: UUID!) { setUserRoles(userId: $id, roles: []) { id } }",
          { id },
        ]),
    ],
  ])("replaces an invitation that is %s", async (_how, end) => {
    const inviter = await newUser(["users:write", "alerts:read"]);
    const { id, email } = await invited({ roles: ["alerts:read"] }, inviter);
    await end({ id }, inviter);
    await invited({ email });
    expect(await prisma.invitation.findFirst({ where: { id } })).toMatchObject({
      revokedAt: expect.any(Date),
    });
  });

  describe("does not hand out what the caller does not hold:", () => {
    const cases: [string, () => object][] = [
      ["in the workspace", () => ({ roles: ["alerts:read", "alerts:write"] })],
      ["in the workspace, held at a facility", () => ({ roles: ["alerts:delete"] })],
      ["at a facility", () => ({ accesses: [{ facilityId, actions: ["alerts:write"] }] })],
    ];
    const newCaller = () => newUser(["users:write", "alerts:read"], { [facilityId]: ["alerts:delete"] });

    it.each(cases)("%s", async (_where, input) => {
      const caller = await newCaller();
      const before = await stored();
      expect(await refusal(gateway, caller, invite({ email: newEmail(), ...input() }))).toMatchObject({
        code: "FORBIDDEN",
      });
      expect(await stored()).toEqual(before);
    });

    it("but what they hold there", async () => {
      await invited({ accesses: [{ facilityId, actions: ["alerts:delete"] }] }, await newCaller());
    });
  });
});

describe("revokeInvitation", () => {
  it("ends an open invitation; a repetition changes nothing", async () => {
    const { id } = await invited();
    const revokedAt = now.toISOString();
    expect(await run(gateway, admin, revoke(id))).toMatchObject({ revokeInvitation: { id, revokedAt } });
    advance(1000);
    expect(await run(gateway, admin, revoke(id))).toMatchObject({ revokeInvitation: { revokedAt } });
    expect(await prisma.auditEntry.count({ where: { targetId: id } })).toBe(2);
  });

  it("is a CONFLICT once the invitation was accepted", async () => {
    const id = await createInvitation(prisma, { workspaceId, acceptedAt: now });
    expect(await refusal(gateway, admin, revoke(id))).toMatchObject({ code: "CONFLICT" });
  });
});

describe("resendInvitation", () => {
  it("lets an invitation last for 14 days again, also an expired one, with the caller as inviter", async () => {
    const { id } = await invited({ roles: ["alerts:read"] });
    const other = await newUser(["users:write", "alerts:read", "users:read"]);
    await expire(id);
    expect(await run(gateway, other, resend(id))).toMatchObject({
      resendInvitation: {
        id,
        invitedBy: { id: other.id },
        expiresAt: new Date(now.getTime() + 14 * day).toISOString(),
      },
    });
  });

  it("is FORBIDDEN for those who do not hold what it hands out", async () => {
    const { id } = await invited({ roles: ["alerts:delete"] });
    const before = await stored();
    expect(await refusal(gateway, await newUser(["users:write"]), resend(id))).toMatchObject({
      code: "FORBIDDEN",
    });
    expect(await stored()).toEqual(before);
  });

  it("is a CONFLICT if it was accepted or revoked, or if its address has become a user's", async () => {
    const accepted = await createInvitation(prisma, { workspaceId, acceptedAt: now });
    const revoked = await createInvitation(prisma, { workspaceId, revokedAt: now });
    const { id: taken, email } = await invited();
    await createUser(prisma, { workspaceId, email });
    for (const id of [accepted, revoked, taken])
      expect(await refusal(gateway, admin, resend(id))).toMatchObject({ code: "CONFLICT" });
  });
});
