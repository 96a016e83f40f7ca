import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import type { SignInGrant } from "../../src/engine/access/sign-in-links.js";
import { openSocket } from "../live/live-socket.js";
import { testSecrets } from "../support/environment.js";
import {
  createAdmin,
  createApiKey,
  createFacility,
  createInvitation,
  createTestUser,
  createUser,
  createWorkspace,
  type TestUser,
} from "../support/factories.js";
import { type Call, gatewayForTest, ownGateway, refusal, run, type Sender } from "../support/harness.js";
import { codeOf, signInLink } from "../support/sign-in-link.js";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
let offset = 0;
const now = () => new Date(Date.now() + offset);
const gateway = await ownGateway({ now });

const workspaceId = await createWorkspace(gateway.prisma, { name: "Ours" });
const facilityId = await createFacility(gateway.prisma, { workspaceId });
const admin = await createAdmin(gateway.prisma, workspaceId);

const nobody = { as: "nobody" as Sender };
const signIn = (code: string): Call => [
  "mutation ($code: String!) { signIn(code: $code) { token expiresAt } }",
  { code },
];
const rememberedBy = async (code: string) =>
  (
    await run<{ signIn: Session }>(gateway, nobody, [
      "mutation ($code: String!) { signIn(code: $code, remember: true) { token expiresAt } }",
      { code },
    ])
  ).signIn;
const sessionsOf = async (session: Session) =>
  (
    await gateway.data<{ me: { sessions: { id: string; name: string; current: boolean }[] } }>(
      "{ me { sessions { id name current } } }",
      withToken(session),
    )
  ).me.sessions;
const end = (id: string): Call => ["mutation ($id: UUID!) { endSession(id: $id) { id } }", { id }];
const renew: Call = ["mutation { renewSession { token expiresAt } }", {}];
const signOut: Call = ["mutation { signOutEverywhere }", {}];
interface Session {
  token: string;
  expiresAt: string;
}
const opened = async (code: string) => (await run<{ signIn: Session }>(gateway, nobody, signIn(code))).signIn;
const withToken = ({ token }: Pick<Session, "token">) => ({ as: { authorization: `Bearer ${token}` } });
const statusOf = async (as: Sender) => (await gateway.graphql("{ workspace { id } }", { as })).status;
const invalid = {
  code: "UNAUTHENTICATED",
  message: "The sign-in link is not valid: it may have been used, or have expired",
};

async function newUser() {
  const email = `${randomUUID()}@test.example`;
  const id = await createUser(gateway.prisma, { workspaceId, email, roles: ["alerts:read"] });
  const grant: SignInGrant = { kind: "user", workspaceId, id, email };
  return {
    id,
    email,
    grant,
    link: (expiresAt = new Date(now().getTime() + 15 * minute)) => signInLink(grant, { expiresAt }),
  };
}

/** Moves the clock until the test ends. */
async function later<Result>(milliseconds: number, work: () => Promise<Result>): Promise<Result> {
  offset += milliseconds;
  try {
    return await work();
  } finally {
    offset -= milliseconds;
  }
}

describe("signIn", () => {
  it("opens a session for 12 hours, with a token that works everywhere", async () => {
    const user = await newUser();
    const session = await opened(user.link().code);
    const lifetime = Date.parse(session.expiresAt) - now().getTime();
    expect(lifetime).toBeGreaterThan(12 * hour - minute);
    expect(lifetime).toBeLessThanOrEqual(12 * hour);
    expect(await gateway.data("{ me { id } }", withToken(session))).toEqual({ me: { id: user.id } });
    expect((await gateway.fetch("/user", withToken(session))).status).toBe(200);
    await later(12 * hour + minute, async () => expect(await statusOf(withToken(session).as)).toBe(401));
  });

  it("takes each code once, also at the same moment", async () => {
    const { code } = (await newUser()).link();
    const [query, variables] = signIn(code);
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => gateway.graphql<{ signIn: Session }>(query, { variables })),
    );
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    expect(await refusal(gateway, nobody, signIn(code))).toEqual(invalid);
  });

  it("needs no credentials alone in a document, and ignores those of others", async () => {
    const user = await newUser();
    const { signIn: session } = await run<{ signIn: Session }>(gateway, admin, signIn(user.link().code));
    expect(await gateway.data("{ me { id } }", withToken(session))).toEqual({ me: { id: user.id } });
    const beside = await gateway.graphql(
      `mutation ($code: String!) { signIn(code: $code) { token } signOutEverywhere }`,
      { variables: { code: user.link().code } },
    );
    expect(beside.status).toBe(401);
  });

  it.each<[string, () => Promise<string>]>([
    ["that has expired", async () => (await newUser()).link(now()).code],
    [
      "for a removed user",
      async () => {
        const user = await newUser();
        await run(gateway, admin, [
          "mutation ($id: UUID!) { removeUser(userId: $id) { id } }",
          { id: user.id },
        ]);
        return user.link().code;
      },
    ],
    [
      "for an address that the user no longer has",
      async () => {
        const user = await newUser();
        await run(gateway, admin, changeEmail(user.id));
        return user.link().code;
      },
    ],
    [
      "for an address that nobody has",
      async () => signInLink({ kind: "address", email: `${randomUUID()}@test.example`, workspaceId }).code,
    ],
    [
      "whose content was changed",
      async () => {
        const [content = "", signature] = (await newUser()).link().code.split(".");
        const changed = { ...JSON.parse(String(Buffer.from(content, "base64url"))), until: 8e15 };
        return `${Buffer.from(JSON.stringify(changed)).toString("base64url")}.${signature}`;
      },
    ],
    ["that is empty", async () => ""],
  ])("refuses a code %s", async (_what, makeCode) => {
    expect(await refusal(gateway, nobody, signIn(await makeCode()))).toEqual(invalid);
  });
});

const changeEmail = (id: string): Call => [
  "mutation ($id: UUID!, $email: String!) { updateUser(id: $id, input: { email: $email }) { id } }",
  { id, email: `${randomUUID()}@test.example` },
];

describe("an invitation without an identity provider", () => {
  const invited = async (input: object = {}, by: Pick<TestUser, "as"> = admin) => {
    const email = `Ada-${randomUUID()}@test.example`;
    const { inviteUser } = await run<{ inviteUser: { id: string; url: string } }>(gateway, by, [
      "mutation ($input: InviteUserInput!) { inviteUser(input: $input) { id url } }",
      { input: { email, ...input } },
    ]);
    return { email, ...inviteUser };
  };
  const urlOf = async (id: string, { as }: Pick<TestUser, "as">) => {
    const { workspace } = await gateway.data<{
      workspace: { invitations: { id: string; url: string | null }[] };
    }>("{ workspace { invitations { id url } } }", { as });
    return workspace.invitations.find((each) => each.id === id)?.url;
  };

  it("has a link that makes a user once, as long as it is open, with an audit entry of the new user", async () => {
    const accesses = [{ facilityId, actions: ["alerts:write"] }];
    const { id, email, url } = await invited({ roles: ["alerts:read"], accesses });
    const session = await later(13 * day, () => opened(codeOf(url)));
    const { me } = await later(13 * day, () =>
      gateway.data<{ me: { id: string } }>("{ me { id authId email roles } }", withToken(session)),
    );
    expect(me).toMatchObject({ authId: `email|${email}`, email, roles: ["alerts:read"] });
    const entries = await gateway.prisma.auditEntry.findMany({
      where: { actorId: me.id },
      orderBy: { id: "asc" },
    });
    expect(entries.map(({ action, targetId }) => [action, targetId])).toEqual([
      ["acceptInvitation", id],
      ["signIn", me.id],
    ]);
    expect(await urlOf(id, admin)).toBeNull();
    expect(await refusal(gateway, nobody, signIn(codeOf(url)))).toEqual(invalid);
  });

  it("makes users of one person in two workspaces", async () => {
    const { email, url } = await invited();
    const elsewhere = await createWorkspace(gateway.prisma, { name: "Elsewhere" });
    const other = await createAdmin(gateway.prisma, elsewhere);
    const second = await invited({ email }, other);
    for (const [link, name] of [
      [url, "Ours"],
      [second.url, "Elsewhere"],
    ] as const) {
      const data = await gateway.data(
        "{ me { authId } workspace { name } }",
        withToken(await opened(codeOf(link))),
      );
      expect(data).toEqual({ me: { authId: `email|${email}` }, workspace: { name } });
    }
  });

  it("is also accepted by the operator's link to its address, once", async () => {
    const { email } = await invited();
    const { code } = signInLink({ kind: "address", email: email.toLowerCase(), workspaceId });
    const session = await opened(code);
    expect(await gateway.data("{ me { email } }", withToken(session))).toEqual({ me: { email } });
    expect(await refusal(gateway, nobody, signIn(code))).toEqual(invalid);
  });

  it.each<[string, (id: string) => Call]>([
    ["revoked", (id) => ["mutation ($id: UUID!) { revokeInvitation(id: $id) { id } }", { id }]],
    [
      "resent, which makes another link",
      (id) => ["mutation ($id: UUID!) { resendInvitation(id: $id) { id } }", { id }],
    ],
  ])("has a link that ends when it is %s", async (_how, call) => {
    const { id, url } = await invited();
    await later(minute, () => run(gateway, admin, call(id)));
    expect(await refusal(gateway, nobody, signIn(codeOf(url)))).toEqual(invalid);
  });

  it("shows its link to those alone who hold what it hands out", async () => {
    const id = await createInvitation(gateway.prisma, {
      workspaceId,
      invitedById: admin.id,
      roles: ["alerts:delete"],
    });
    const caller = await createTestUser(gateway.prisma, { workspaceId, roles: ["users:write"] });
    expect(await urlOf(id, caller)).toBeNull();
    expect(await urlOf(id, admin)).toMatch(/#sign-in=/);
  });
});

describe("renewSession", () => {
  it("returns a token for 12 hours more, until the session ends after 7 days", async () => {
    let session = await opened((await newUser()).link().code);
    const begun = now().getTime();
    for (let halfDays = 1; halfDays <= 15; halfDays += 1) {
      session = await later(halfDays * 11 * hour, async () => {
        const { renewSession } = await run<{ renewSession: Session }>(gateway, withToken(session), renew);
        expect(await statusOf(withToken(renewSession).as)).toBe(200);
        return renewSession;
      });
    }
    const end = Date.parse(session.expiresAt);
    expect(end).toBeLessThanOrEqual(begun + 7 * day);
    expect(end).toBeGreaterThan(begun + 7 * day - minute);
    expect(await later(7 * day + minute, () => statusOf(withToken(session).as))).toBe(401);
  });

  it("is FORBIDDEN for tokens and keys that are no sessions", async () => {
    const key = await createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"] });
    for (const sender of [admin, { as: key }])
      expect(await refusal(gateway, sender, renew)).toMatchObject({ code: "FORBIDDEN" });
  });
});

describe("a remembered session", () => {
  it("lasts for 30 days, and for 30 more from each renewal", async () => {
    const first = await rememberedBy((await newUser()).link().code);
    const begun = now().getTime();
    expect(Math.abs(Date.parse(first.expiresAt) - begun - 30 * day)).toBeLessThan(minute);
    const second = await later(29 * day, async () => {
      const { renewSession } = await run<{ renewSession: Session }>(gateway, withToken(first), renew);
      return renewSession;
    });
    expect(Math.abs(Date.parse(second.expiresAt) - begun - 59 * day)).toBeLessThan(minute);
    await later(58 * day, async () => {
      expect(await statusOf(withToken(first).as)).toBe(401);
      expect(await statusOf(withToken(second).as)).toBe(200);
    });
  });
});

describe("the sessions of a user", () => {
  it("are listed with their browsers, for the user alone", async () => {
    const user = await newUser();
    const [query, variables] = signIn(user.link().code);
    const userAgent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0";
    const { data } = await gateway.graphql<{ signIn: Session }>(query, {
      variables,
      headers: { "user-agent": userAgent },
    });
    await opened(user.link().code);
    const listed = await sessionsOf(data?.signIn as Session);
    expect(listed).toHaveLength(2);
    expect(listed.find(({ current }) => current)).toMatchObject({ name: "Firefox, Windows" });
    expect(await gateway.data("{ workspace { users { id sessions { id } } } }", admin)).toMatchObject({
      workspace: { users: expect.arrayContaining([{ id: user.id, sessions: [] }]) },
    });
  });

  it("end one by one, at once and with their sockets", async () => {
    const user = await newUser();
    const [here, there] = [await opened(user.link().code), await rememberedBy(user.link().code)];
    const live = await openSocket(gateway, withToken(there));
    const { id } = (await sessionsOf(there)).find(({ current }) => current) as { id: string };
    const otherUser = await opened((await newUser()).link().code);
    expect(await refusal(gateway, withToken(otherUser), end(id))).toMatchObject({ code: "NOT_FOUND" });
    expect(await run(gateway, withToken(here), end(id))).toEqual({ endSession: { id: user.id } });
    expect(await live.closed()).toMatchObject({ code: 4401 });
    expect(await statusOf(withToken(there).as)).toBe(401);
    expect(await statusOf(withToken(here).as)).toBe(200);
    expect(await sessionsOf(here)).toMatchObject([{ current: true }]);
  });
});

describe("sessions end at once with", () => {
  it.each<[string, (user: { id: string }, session: Session) => Promise<unknown>]>([
    ["signOutEverywhere", (_user, session) => run(gateway, withToken(session), signOut)],
    [
      "removeUser",
      ({ id }) => run(gateway, admin, ["mutation ($id: UUID!) { removeUser(userId: $id) { id } }", { id }]),
    ],
    ["a changed address", ({ id }) => run(gateway, admin, changeEmail(id))],
  ])("%s, with their sockets", async (_how, end) => {
    const user = await newUser();
    const session = await opened(user.link().code);
    const other = await opened(user.link().code);
    expect(await statusOf(withToken(other).as)).toBe(200);
    const live = await openSocket(gateway, withToken(other));
    await end(user, session);
    expect(await live.closed()).toMatchObject({ code: 4401 });
    expect(await statusOf(withToken(session).as)).toBe(401);
    expect(await statusOf(withToken(other).as)).toBe(401);
  });

  it("signOutEverywhere, with the links that were made in it", async () => {
    const session = await opened((await newUser()).link().code);
    const { exportAlerts } = await gateway.data<{ exportAlerts: { url: string } }>(
      `{ exportAlerts(filter: { start: "2026-01-01T00:00:00Z", end: "2026-01-02T00:00:00Z" }) { url } }`,
      withToken(session),
    );
    const { pathname, search } = new URL(exportAlerts.url);
    expect((await gateway.fetch(pathname + search, { method: "HEAD" })).status).toBe(200);
    await run(gateway, withToken(session), signOut);
    expect((await gateway.fetch(pathname + search, { method: "HEAD" })).status).toBe(404);
  });

  it("signOutEverywhere, while tokens that are no sessions stay", async () => {
    const user = await createTestUser(gateway.prisma, { workspaceId, roles: ["alerts:read"] });
    await run(gateway, user, signOut);
    expect(await statusOf(user.as)).toBe(200);
    const key = await createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"] });
    expect(await refusal(gateway, { as: key }, signOut)).toMatchObject({ code: "FORBIDDEN" });
  });

  it("nothing else: other users' sessions stay", async () => {
    const [one, other] = [await newUser(), await newUser()];
    const session = await opened(one.link().code);
    await run(gateway, withToken(await opened(other.link().code)), signOut);
    expect(await statusOf(withToken(session).as)).toBe(200);
  });
});

it("a token cannot name a session of its own choice", async () => {
  const user = await createTestUser(gateway.prisma, { workspaceId, roles: [] });
  const sign = (session: unknown) =>
    new SignJWT({ session })
      .setProtectedHeader({ alg: "HS256" })
      .setSubject(user.authId)
      .setExpirationTime("1h")
      .sign(new TextEncoder().encode(testSecrets.AUTH_JWT_SECRET));
  for (const session of [`${workspaceId}/${admin.id}/${randomUUID()}`, "session", 1, null])
    expect(await statusOf({ authorization: `Bearer ${await sign(session)}` })).toBe(401);
});

it("guessed codes count against the address", async () => {
  const limited = await gatewayForTest({
    environment: { RATE_LIMIT: undefined, RATE_LIMIT_ADDRESS: "9" },
  });
  const codes = [];
  for (let count = 0; count < 8; count += 1)
    codes.push((await refusal(limited, nobody, signIn(`guess-${count}`))).code);
  // Each failure counts twice. Of the fifth, the second time is refused.
  expect(codes).toEqual([...Array(4).fill("UNAUTHENTICATED"), ...Array(4).fill("RATE_LIMITED")]);
});

it("with an identity provider, links and sessions are FORBIDDEN", async () => {
  const issuer = await gatewayForTest({
    environment: { AUTH_JWT_SECRET: undefined, AUTH_ISSUER: "http://127.0.0.1:1", AUTH_AUDIENCE: "gateway" },
  });
  expect(await refusal(issuer, nobody, signIn((await newUser()).link().code))).toMatchObject({
    code: "FORBIDDEN",
  });
});
