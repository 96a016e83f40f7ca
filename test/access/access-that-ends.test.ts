import { randomUUID } from "node:crypto";
import type { Permission } from "../../src/engine/access/permissions.js";
import { heartbeats, openSocket, subscriber } from "../live/live-socket.js";
import {
  createAdmin,
  createFacility,
  createTestUser,
  createUser,
  createWorkspace,
  type TestUser,
} from "../support/factories.js";
import { type Call, refusal, run, sharedGateway } from "../support/harness.js";
import { codeOf, signInLink } from "../support/sign-in-link.js";

const [hour, day] = [3_600_000, 24 * 3_600_000];
let ahead = 0;
const gateway = await sharedGateway({ now: () => new Date(Date.now() + ahead) });
const { prisma } = gateway;
const workspaceId = await createWorkspace(prisma);
const facilityId = await createFacility(prisma, { workspaceId });
const otherFacilityId = await createFacility(prisma, { workspaceId });
const admin = await createAdmin(prisma, workspaceId);
beforeEach(() => {
  ahead = 0;
});

const newUser = (roles: readonly Permission[], ...actions: Permission[]) =>
  createTestUser(prisma, { workspaceId, roles, at: actions.length > 0 ? { [facilityId]: actions } : {} });
const inMs = (milliseconds: number) => new Date(Date.now() + milliseconds);
const update = (id: string, until: Date | null): Call => [
  "mutation ($id: UUID!, $until: DateTimeISO) { updateUser(id: $id, input: { until: $until }) { until } }",
  { id, until },
];
const grant = (userId: string, actions: Permission[], until?: Date | null): Call => [
  "mutation ($facilityId: UUID!, $userId: UUID, $actions: [String!]!, $until: DateTimeISO) { grantFacilityAccess(facilityId: $facilityId, userId: $userId, actions: $actions, until: $until) { actions until } }",
  { facilityId, userId, actions, ...(until !== undefined && { until }) },
];
const signIn = (code: string): Call => [
  "mutation ($code: String!) { signIn(code: $code) { token } }",
  { code },
];
const signedIn = async (code: string) => {
  const { signIn: session } = await run<{ signIn: { token: string } }>(gateway, nobody, signIn(code));
  return { as: { authorization: `Bearer ${session.token}` } };
};
const nobody = { as: "nobody" } as const;
/** Lets access end as if its time had been set before. */
const endUser = (id: string, until = inMs(-1000)) =>
  prisma.user.updateMany({ where: { id }, data: { until } });
const endAccess = (userId: string, until = inMs(-1000)) =>
  prisma.facilityAccess.updateMany({ where: { userId, facilityId }, data: { until } });
const facilitiesOf = async ({ as }: Pick<TestUser, "as">) =>
  (await gateway.data<{ facilities: { id: string }[] }>("{ facilities { id } }", { as })).facilities;
const me: Call = ["{ me { id } }", {}];
const ended = {
  code: "UNAUTHENTICATED",
  message: "Your access has ended: ask whoever manages the users to prolong it",
};
const past = (path: string) => ({ code: "BAD_REQUEST", message: `${path}: must be in the future` });
const denied = (act: string) => ({
  code: "FORBIDDEN",
  message: `You cannot ${act} a permission you do not hold: alerts:delete`,
});
const otherEnds: [string, Date | null, Date | null, string][] = [
  ["is taken away by a first end", null, inMs(hour), "take away"],
  ["is taken away by an earlier end", inMs(day), inMs(hour), "take away"],
  ["is handed out by a later end", inMs(hour), inMs(day), "grant"],
  ["is handed out without an end", inMs(hour), null, "grant"],
];

describe("the access of a user", () => {
  it("ends for requests, which learn why, also of a cached caller", async () => {
    const user = await newUser(["alerts:read"]);
    await run(gateway, user, me);
    await endUser(user.id);
    expect(await refusal(gateway, user, me)).toMatchObject(ended);
    expect(await (await gateway.fetch("/user", user)).json()).toMatchObject({ reason: "ENDED" });
  });

  it("ends by the database's clock, not by that of an instance", async () => {
    const user = await newUser([]);
    ahead = hour;
    await run(gateway, admin, update(user.id, inMs(hour / 2)));
    await run(gateway, user, me);
    ahead = -hour;
    expect(await refusal(gateway, admin, update(user.id, inMs(-1)))).toMatchObject(past("input.until"));
    await endUser(user.id);
    expect(await refusal(gateway, user, me)).toMatchObject(ended);
  });

  it("closes sockets at that second, also those that were opened later, and no others", async () => {
    const [user, other] = [await newUser(["facilities:read"]), await newUser(["facilities:read"])];
    const kept = await subscriber(gateway, other.as, heartbeats);
    const live = await subscriber(gateway, user.as, heartbeats);
    const until = inMs(1500);
    await run(gateway, admin, update(user.id, until));
    const second = await openSocket(gateway, user);
    for (const each of [live, second])
      expect(await each.closed()).toEqual({ code: 4401, reason: "The caller's access has ended" });
    expect(Date.now()).toBeGreaterThanOrEqual(until.getTime());
    expect(kept.ended).toBeUndefined();
  });

  it("lets nobody sign in, which says why, nor go on with an earlier session when prolonged", async () => {
    const email = `${randomUUID()}@test.example`;
    const id = await createUser(prisma, { workspaceId, email });
    const code = () => signInLink({ kind: "user", workspaceId, id, email }).code;
    const session = await signedIn(code());
    await endUser(id);
    expect(await refusal(gateway, nobody, signIn(code()))).toMatchObject(ended);
    await run(gateway, admin, update(id, null));
    expect(await refusal(gateway, session, me)).toMatchObject({ code: "UNAUTHENTICATED" });
    await signedIn(code());
  });

  it("is shown to callers with users:write, and when it has ended, to them alone", async () => {
    const user = await newUser(["alerts:read"], "alerts:write");
    const reader = await newUser(["users:read"]);
    const { me: own } = await run<{ me: { nodeId: string } }>(gateway, user, ["{ me { nodeId } }", {}]);
    const seenBy = async ({ as }: TestUser) => {
      const { workspace, facility, node } = await gateway.data<{
        workspace: { users: { id: string; until: string | null }[] };
        facility: { access: { user: { id: string } }[] };
        node: object | null;
      }>(
        `{ workspace { users { id until } } facility(id: "${facilityId}") { access { user { id } } } node(nodeId: "${own.nodeId}") { nodeId } }`,
        { as },
      );
      const listed = workspace.users.find(({ id }) => id === user.id);
      return [listed?.until, facility.access.some((access) => access.user.id === user.id), node !== null];
    };
    for (const [until, seen] of [
      [inMs(hour), [null, true, true]],
      [inMs(-1000), [undefined, false, false]],
    ] as const) {
      await endUser(user.id, until);
      expect(await seenBy(admin)).toEqual([until.toISOString(), true, true]);
      expect(await seenBy(reader)).toEqual(seen);
    }
  });

  it("is recorded in the audit log with its end", async () => {
    const until = inMs(hour).toISOString();
    const input = { authId: randomUUID(), email: "a@test.example", roles: [], until };
    const { createUser: created } = await run<{ createUser: { id: string } }>(gateway, admin, [
      "mutation ($input: CreateUserInput!) { createUser(input: $input) { id until } }",
      { input },
    ]);
    expect(created).toMatchObject({ until });
    await run(gateway, admin, update(created.id, null));
    const where = { targetId: created.id };
    expect(await prisma.auditEntry.findMany({ where, orderBy: { id: "asc" } })).toMatchObject([
      { changes: { until: { from: null, to: until } } },
      { changes: { until: { from: until, to: null } } },
    ]);
  });

  it.each<[string, Date | null, Date | null, string]>([
    ...otherEnds,
    ["is handed out again after its end", inMs(-day), inMs(hour), "grant"],
  ])("needs what %s, themselves excepted", async (_how, before, until, act) => {
    const caller = await newUser(["users:write", "alerts:read"]);
    for (const user of [await newUser(["alerts:delete"]), await newUser([], "alerts:delete")]) {
      if (before) await endUser(user.id, before);
      expect(await refusal(gateway, caller, update(user.id, until))).toEqual(denied(act));
      if ((await endAccess(user.id)).count > 0) await run(gateway, caller, update(user.id, until));
    }
    await run(gateway, caller, update(caller.id, inMs(hour)));
  });
});

describe("the access at a facility", () => {
  it("ends for requests of a cached caller, and at that second for subscriptions alone", async () => {
    const user = await createTestUser(prisma, { workspaceId, at: { [otherFacilityId]: ["alerts:read"] } });
    const until = inMs(1500);
    expect(await run(gateway, admin, grant(user.id, ["alerts:read"], until))).toEqual({
      grantFacilityAccess: { actions: ["alerts:read"], until: until.toISOString() },
    });
    const query = `subscription { alertRaised(facilityId: "${facilityId}") { id } }`;
    const live = await subscriber(gateway, user.as, query);
    live.subscribe(heartbeats, { id: "2" });
    expect(await facilitiesOf(user)).toHaveLength(2);
    await expect.poll(() => live.errors()).toEqual(["NOT_FOUND"]);
    expect(Date.now()).toBeGreaterThanOrEqual(until.getTime());
    expect(await facilitiesOf(user)).toEqual([{ id: otherFacilityId }]);
    live.send({ type: "ping" });
    await live.received("pong");
    expect(live.errors("2")).toBeUndefined();
  });

  it("is listed once it has ended for callers with users:write there alone", async () => {
    const user = await newUser([], "alerts:read");
    const until = inMs(-1000);
    await endAccess(user.id, until);
    const listedBy = async ({ as }: TestUser) => {
      const { facility } = await gateway.data<{ facility: { access: { user: { id: string } }[] } }>(
        `{ facility(id: "${facilityId}") { access { user { id } until } } }`,
        { as },
      );
      return facility.access.filter((access) => access.user.id === user.id);
    };
    const listed = { user: { id: user.id }, until: until.toISOString() };
    expect(await listedBy(await newUser([], "users:read", "users:write"))).toEqual([listed]);
    expect(await listedBy(await newUser(["users:read"]))).toEqual([]);
    const at: Record<string, Permission[]> = {
      [facilityId]: ["users:read"],
      [otherFacilityId]: ["users:write"],
    };
    expect(await listedBy(await createTestUser(prisma, { workspaceId, at }))).toEqual([]);
  });

  it("is granted anew without what had ended, and otherwise keeps its end", async () => {
    const user = await newUser([], "alerts:delete");
    await endAccess(user.id);
    const caller = await newUser([], "users:write", "alerts:read", "alerts:write");
    const until = inMs(hour);
    const granted = (call: Call) => run<{ grantFacilityAccess: object }>(gateway, caller, call);
    await granted(grant(user.id, ["alerts:read"], until));
    expect((await granted(grant(user.id, ["alerts:write"]))).grantFacilityAccess).toEqual({
      actions: ["alerts:read", "alerts:write"],
      until: until.toISOString(),
    });
    expect(await granted(grant(user.id, ["alerts:read"], null))).toMatchObject({
      grantFacilityAccess: { until: null },
    });
    const late = grant(user.id, ["alerts:read"], inMs(-1));
    expect(await refusal(gateway, caller, late)).toMatchObject(past("until"));
    const [entry] = await prisma.auditEntry.findMany({
      where: { targetId: user.id },
      orderBy: { id: "asc" },
    });
    expect(entry?.changes).toMatchObject({
      actions: { from: ["alerts:delete"], to: ["alerts:read"] },
      until: { to: until.toISOString() },
    });
  });

  it.each(otherEnds)(
    "needs what %s, but what is held by role is not lost",
    async (_how, before, until, act) => {
      const caller = await newUser([], "users:write", "alerts:read");
      for (const user of [
        await newUser([], "alerts:delete"),
        await newUser(["alerts:delete"], "alerts:delete"),
      ]) {
        if (before) await endAccess(user.id, before);
        const change = grant(user.id, ["alerts:read"], until);
        const { roles } = await prisma.user.findFirstOrThrow({ where: { id: user.id } });
        if (act === "take away" && roles.length > 0) await run(gateway, caller, change);
        else expect(await refusal(gateway, caller, change)).toEqual(denied(act));
      }
    },
  );
});

describe("the access that an invitation gives", () => {
  const invite = (until: Date): Call => [
    "mutation ($input: InviteUserInput!) { inviteUser(input: $input) { id until url } }",
    { input: { email: `${randomUUID()}@test.example`, until } },
  ];
  const invited = async () =>
    (
      await run<{ inviteUser: { id: string; until: string; url: string } }>(
        gateway,
        admin,
        invite(inMs(hour)),
      )
    ).inviteUser;

  it("ends for the new user", async () => {
    const { until, url } = await invited();
    expect(await run(gateway, await signedIn(codeOf(url)), ["{ me { until } }", {}])).toEqual({
      me: { until },
    });
  });

  it("is neither accepted nor handed out again once it has ended, and the link says so", async () => {
    expect(await refusal(gateway, admin, invite(inMs(-1)))).toMatchObject(past("input.until"));
    const { id, url } = await invited();
    await prisma.invitation.updateMany({ where: { id }, data: { until: inMs(-1000) } });
    expect(await refusal(gateway, nobody, signIn(codeOf(url)))).toMatchObject(ended);
    expect(
      await refusal(gateway, admin, ["mutation ($id: UUID!) { resendInvitation(id: $id) { id } }", { id }]),
    ).toMatchObject({ code: "CONFLICT" });
  });
});
