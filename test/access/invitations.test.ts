// Runs once: no database can influence what is tested here.

import { randomUUID } from "node:crypto";
import type { RequestListener } from "node:http";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { permissions } from "../../src/engine/access/permissions.js";
import {
  createApiKey,
  createFacility,
  createInvitation,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import { type Sender, startGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { startIssuer } from "./issuer-server.js";

const audience = "https://gateway.example";
const day = 24 * 3_600_000;

const log: string[] = [];
const keys = await generateKeyPair("RS256");
const privateKey = keys.privateKey;
const issuer = await startIssuer([
  { ...(await exportJWK(keys.publicKey)), kid: "rsa", alg: "RS256", use: "sig" },
]);
issuer.userInfo = (request, response) => respondToUserInfo(request, response);
const gateway = await startGateway({
  logDestination: { write: (line) => void log.push(line) },
  environment: {
    AUTH_JWT_SECRET: undefined,
    AUTH_ISSUER: issuer.url,
    AUTH_AUDIENCE: audience,
  },
});
const workspaceId = await createWorkspace(gateway.prisma, { name: "Ours" });
const facilityId = await createFacility(gateway.prisma, { workspaceId });
const inviterId = await createUser(gateway.prisma, {
  workspaceId,
  authId: "issuer|admin",
  roles: [...permissions],
});
afterAll(async () => {
  await gateway.close();
  await issuer.close();
});

let respondToUserInfo: RequestListener;
const userInfo =
  (claims: object): RequestListener =>
  (_request, response) =>
    void response.end(JSON.stringify(claims));
beforeEach(() => {
  respondToUserInfo = (_request, response) => void response.writeHead(500).end();
  issuer.requests.length = 0;
  log.length = 0;
});

const newEmail = () => `Ada-${randomUUID()}@Test.Example`;
const newSubject = () => `issuer|${randomUUID()}`;
const tokenFor = async (sub: string, claims: JWTPayload = {}): Promise<Sender> => ({
  authorization: `Bearer ${await new SignJWT({
    iss: issuer.url,
    aud: audience,
    sub,
    jti: randomUUID(),
    ...claims,
  })
    .setProtectedHeader({ alg: "RS256", kid: "rsa" })
    .setExpirationTime("1h")
    .sign(privateKey)}`,
});
const verified = (email: string) => ({ email, email_verified: true });
const fields = "id authId email emailVerified fullName roles";
interface Me {
  me: { id: string; authId: string; email: string };
  workspace: { name: string };
}
const askAs = (as: Sender) => gateway.graphql<Me>(`{ me { ${fields} } workspace { name } }`, { as });
const statusOf = async (as: Sender) => (await askAs(as)).status;
const invite = (values: Partial<Parameters<typeof createInvitation>[1]> = {}) =>
  createInvitation(gateway.prisma, { workspaceId, invitedById: inviterId, ...values });
const stored = (id: string) => gateway.prisma.invitation.findFirstOrThrow({ where: { id } });
const usersOf = (authId: string) => gateway.prisma.user.count({ where: { authId } });
const askedUserInfo = () => issuer.requests.filter((path) => path === "/userinfo").length;

describe("the first token with an invited address", () => {
  it("makes a user with what the invitation hands out, and the audit log names that user", async () => {
    const email = newEmail();
    const id = await invite({
      ...{ email, firstName: "Ada", lastName: "Lovelace", roles: ["alerts:read"] },
      accesses: [
        { facilityId, actions: ["alerts:write"] },
        { facilityId: randomUUID(), actions: ["alerts:read"] },
      ],
    });
    const sub = newSubject();
    const { data, errors } = await askAs(await tokenFor(sub, verified(email.toUpperCase())));
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      me: {
        ...{ id: expect.any(String), authId: sub, email, emailVerified: true },
        ...{ fullName: "Ada Lovelace", roles: ["alerts:read"] },
      },
      workspace: { name: "Ours" },
    });
    const userId = data.me.id;
    expect(await stored(id)).toMatchObject({ acceptedAt: expect.any(Date), acceptedById: userId });
    expect(await gateway.prisma.facilityAccess.findMany({ where: { userId } })).toEqual([
      { workspaceId, userId, facilityId, actions: ["alerts:write"], until: null },
    ]);
    expect(await gateway.prisma.auditEntry.findMany({ where: { targetId: id } })).toMatchObject([
      {
        action: "acceptInvitation",
        targetType: "Invitation",
        actorId: userId,
        actorKind: "USER",
        via: "GATEWAY",
        client: null,
        workspaceId,
      },
    ]);
    expect(askedUserInfo()).toBe(0);
  });

  it("binds its subject for ever: another subject with the address is nobody", async () => {
    const email = newEmail();
    await invite({ email });
    const sub = newSubject();
    expect(await statusOf(await tokenFor(sub, verified(email)))).toBe(200);
    expect(await statusOf(await tokenFor(newSubject(), verified(email)))).toBe(401);
    // Later tokens need no address.
    expect(await statusOf(await tokenFor(sub))).toBe(200);
  });

  it("makes one user, also if several requests arrive at the same moment", async () => {
    const email = newEmail();
    const id = await invite({ email });
    const sub = newSubject();
    const token = await tokenFor(sub, verified(email));
    expect(await Promise.all([1, 2, 3, 4].map(() => statusOf(token)))).toEqual([200, 200, 200, 200]);
    expect(await usersOf(sub)).toBe(1);
    expect(await gateway.prisma.auditEntry.count({ where: { targetId: id } })).toBe(1);
  });

  it("accepts the older of two workspaces' invitations, then with another subject the other one", async () => {
    const email = newEmail();
    const elsewhere = await createWorkspace(gateway.prisma, { name: "Elsewhere" });
    await invite({ email });
    await invite({ email, workspaceId: elsewhere, invitedById: null, createdAt: new Date(Date.now() - day) });
    const names = [];
    for (const sub of [newSubject(), newSubject()])
      names.push((await askAs(await tokenFor(sub, verified(email)))).data.workspace.name);
    expect(names).toEqual(["Elsewhere", "Ours"]);
  });
});

describe("a token is nobody's, and nothing changes, if", () => {
  const cases: [string, (email: string) => JWTPayload][] = [
    ["its address is another one", () => verified(newEmail())],
    ["its address is not verified", (email) => ({ email, email_verified: false })],
    ["its address begins with the invited one", (email) => verified(`${email}.evil.example`)],
  ];

  it.each(cases)("%s", async (_case, claims) => {
    const email = newEmail();
    const id = await invite({ email });
    const sub = newSubject();
    expect(await statusOf(await tokenFor(sub, claims(email)))).toBe(401);
    expect(await stored(id)).toMatchObject({ acceptedAt: null });
    expect(await usersOf(sub)).toBe(0);
    expect(askedUserInfo()).toBe(0);
  });

  it.each<[string, (email: string) => Promise<unknown>]>([
    ["the invitation was revoked", (email) => invite({ email, revokedAt: new Date() })],
    ["the invitation has expired", (email) => invite({ email, expiresAt: new Date() })],
    ["the invitation was accepted", (email) => invite({ email, acceptedAt: new Date() })],
    ["the inviter was removed", (email) => invite({ email, invitedById: randomUUID() })],
    [
      "the inviter no longer holds a role that is handed out",
      async (email) =>
        invite({
          ...{ email, roles: ["alerts:read", "alerts:delete"] },
          invitedById: await createUser(gateway.prisma, {
            workspaceId,
            roles: ["alerts:read", "users:write"],
          }),
        }),
    ],
    [
      "the inviter no longer holds what is handed out at a facility",
      async (email) =>
        invite({
          ...{ email, accesses: [{ facilityId, actions: ["alerts:read"] }] },
          invitedById: await createUser(gateway.prisma, { workspaceId, roles: ["users:write"] }),
        }),
    ],
    [
      "the inviter may no longer invite",
      async (email) =>
        invite({
          ...{ email, roles: ["alerts:read"] },
          invitedById: await createUser(gateway.prisma, {
            workspaceId,
            roles: ["alerts:read", "users:read"],
          }),
        }),
    ],
    [
      "the inviting API key was revoked",
      async (email) => {
        const { id } = await createApiKey(gateway.prisma, { workspaceId, permissions: ["users:write"] });
        await gateway.prisma.apiKey.updateMany({ where: { id }, data: { revokedAt: new Date() } });
        return invite({ email, invitedById: id, invitedByKind: "API_KEY" });
      },
    ],
  ])("%s", async (_case, makeInvitation) => {
    const email = newEmail();
    await makeInvitation(email);
    const sub = newSubject();
    expect(await statusOf(await tokenFor(sub, verified(email)))).toBe(401);
    expect(await usersOf(sub)).toBe(0);
  });
});

describe("for a token without an address, or without a word on whether it is verified, the issuer", () => {
  it.each<[string, (email: string) => JWTPayload]>([
    ["without an address", () => ({})],
    ["with an address alone", (email) => ({ email })],
    ["with another address alone", () => ({ email: newEmail() })],
  ])("is asked once for a token %s", async (_case, claims) => {
    const email = newEmail();
    const sub = newSubject();
    const token = await tokenFor(sub, claims(email));
    const authorizations: unknown[] = [];
    respondToUserInfo = (request, response) => {
      authorizations.push(request.headers.authorization);
      userInfo({ sub, ...verified(email) })(request, response);
    };
    expect(await statusOf(token)).toBe(401);
    await invite({ email });
    expect(await statusOf(token)).toBe(200);
    expect(authorizations).toEqual([(token as { authorization: string }).authorization]);
  });

  it.each<[string, (sub: string, email: string) => object]>([
    ["about another subject", (_sub, email) => ({ sub: newSubject(), ...verified(email) })],
    ["about an address that is not verified", (sub, email) => ({ sub, email, email_verified: false })],
    ["without an address", (sub) => ({ sub })],
    ["about an address alone", (sub, email) => ({ sub, email })],
  ])("is not believed when it answers %s", async (_case, claims) => {
    const email = newEmail();
    await invite({ email });
    const sub = newSubject();
    respondToUserInfo = userInfo(claims(sub, email));
    expect(await statusOf(await tokenFor(sub))).toBe(401);
    expect(await usersOf(sub)).toBe(0);
  });

  it("is asked again after a failure, which is answered with 503", async () => {
    const email = newEmail();
    await invite({ email });
    const sub = newSubject();
    const token = await tokenFor(sub);
    const { status, errors, headers } = await askAs(token);
    expect({ status, code: errors?.[0]?.extensions.code }).toEqual({ status: 503, code: "UNAVAILABLE" });
    expect(headers.get("retry-after")).toBe("5");
    const rest = await gateway.fetch("/user", { as: token });
    expect({ status: rest.status, retryAfter: rest.headers.get("retry-after") }).toEqual({
      status: 503,
      retryAfter: "5",
    });
    respondToUserInfo = (request) => void request.socket.destroy();
    expect(await statusOf(token)).toBe(503);
    respondToUserInfo = userInfo({ sub, ...verified(email) });
    expect(await statusOf(token)).toBe(200);
  });

  it("may have no such endpoint: the token is then nobody's, and the log says so", async () => {
    const discovered = issuer.userInfo;
    issuer.userInfo = undefined;
    const other = await startGateway({
      logDestination: { write: (line) => void log.push(line) },
      environment: { AUTH_JWT_SECRET: undefined, AUTH_ISSUER: issuer.url, AUTH_AUDIENCE: audience },
    });
    try {
      const answer = await other.graphql("{ me { id } }", { as: await tokenFor(newSubject()) });
      expect(answer.status).toBe(401);
      expect(log.join("")).toContain("the identity provider has no userinfo endpoint");
      expect(log.join("")).toContain("no such user, and no email address in the token or at the issuer");
    } finally {
      issuer.userInfo = discovered;
      await other.close();
    }
  });
});

it("a revocation and an acceptance at the same moment leave either a user or a revoked invitation", async () => {
  const admin = await tokenFor("issuer|admin");
  const outcomes = await Promise.all(
    listOf(8, async () => {
      const email = newEmail();
      const id = await invite({ email });
      const sub = newSubject();
      const token = await tokenFor(sub, verified(email));
      const [status, revocation] = await Promise.all([
        statusOf(token),
        gateway.graphql("mutation ($id: UUID!) { revokeInvitation(id: $id) { id } }", {
          as: admin,
          variables: { id },
        }),
      ]);
      const { acceptedAt, revokedAt } = await stored(id);
      return {
        isUser: status === 200,
        users: await usersOf(sub),
        isAccepted: acceptedAt !== null,
        isRevoked: revokedAt !== null,
        code: revocation.errors?.[0]?.extensions.code ?? "ok",
      };
    }),
  );
  const accepted = { isUser: true, users: 1, isAccepted: true, isRevoked: false, code: "CONFLICT" };
  const revoked = { isUser: false, users: 0, isAccepted: false, isRevoked: true, code: "ok" };
  for (const outcome of outcomes) expect([accepted, revoked]).toContainEqual(outcome);
});
