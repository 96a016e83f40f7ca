// Runs once: no database can influence what is tested here.
import { randomUUID } from "node:crypto";
import { type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { testSecrets } from "../support/environment.js";
import { createUser, createWorkspace } from "../support/factories.js";
import { sharedGateway } from "../support/harness.js";

const now = new Date("2026-11-20T12:00:00.000Z");
const seconds = now.getTime() / 1000;
const user = "test|user";
let clock = now;
const gateway = await sharedGateway({ now: () => clock });
const { prisma } = gateway;
await createUser(prisma, { workspaceId: await createWorkspace(prisma), authId: user });

const sign = (claims: JWTPayload, { alg = "HS256", secret = testSecrets.AUTH_JWT_SECRET } = {}) =>
  new SignJWT(claims).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));

const valid = { sub: user, exp: seconds + 60 };

const send = (authorization?: string) =>
  gateway.graphql<{ me: { authId: string } }>("{ me { authId } }", {
    as: authorization === undefined ? "nobody" : { authorization },
  });

it.each<[string, JWTPayload]>([
  ["that is valid", valid],
  ["that expired 29 seconds ago", { ...valid, exp: seconds - 29 }],
  ["that becomes valid in 30 seconds", { ...valid, nbf: seconds + 30 }],
  ["for another audience when none is configured", { ...valid, aud: "https://elsewhere.example" }],
])("accepts a token %s", async (_case, claims) => {
  const { status, data } = await send(`Bearer ${await sign(claims)}`);
  expect(status).toBe(200);
  expect(data).toEqual({ me: { authId: user } });
});

it("accepts the scheme in any case and with more than one space", async () => {
  const { data } = await send(`bEARER   ${await sign(valid)}`);
  expect(data).toEqual({ me: { authId: user } });
});

const withOtherClaims = async () => {
  const [header, , signature] = (await sign({ ...valid, sub: "test|other" })).split(".");
  return [header, Buffer.from(JSON.stringify(valid)).toString("base64url"), signature].join(".");
};

/** Sets an unused bit at the end of the signature. */
const withUnusedBit = async () => {
  const token = await sign(valid);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1) as string) + 1];
};

const rejected: [string, () => string | undefined | Promise<string | undefined>][] = [
  ["no credentials", () => undefined],
  ["an empty header", () => ""],
  ["only a scheme", () => "Bearer"],
  ["a token without a scheme", () => sign(valid)],
  ["a token under an unknown scheme", async () => `Token ${await sign(valid)}`],
  [
    "a token signed with another secret",
    async () => `Bearer ${await sign(valid, { secret: "x".repeat(39) })}`,
  ],
  ["a token with modified claims", async () => `Bearer ${await withOtherClaims()}`],
  ["a token of alg none", () => `Bearer ${new UnsecuredJWT(valid).encode()}`],
  ["a token of alg HS384", async () => `Bearer ${await sign(valid, { alg: "HS384" })}`],
  [
    "a token that expired 30 seconds ago",
    async () => `Bearer ${await sign({ ...valid, exp: seconds - 30 })}`,
  ],
  ["a token without exp", async () => `Bearer ${await sign({ sub: user })}`],
  [
    "a token whose exp is a string",
    async () => `Bearer ${await sign({ ...valid, exp: `${seconds + 60}` as unknown as number })}`,
  ],
  [
    "a token that becomes valid in 31 seconds",
    async () => `Bearer ${await sign({ ...valid, nbf: seconds + 31 })}`,
  ],
  ["a token without sub", async () => `Bearer ${await sign({ exp: valid.exp })}`],
  ["a token whose sub is not a user", async () => `Bearer ${await sign({ ...valid, sub: "test|unknown" })}`],
  ["a token whose sub is a pattern", async () => `Bearer ${await sign({ ...valid, sub: "test|%" })}`],
  ["a token with a NUL in its sub", async () => `Bearer ${await sign({ ...valid, sub: `${user}\0` })}`],
  [
    "a token with a lone surrogate in its sub",
    async () => `Bearer ${await sign({ ...valid, sub: `${user}\ud800` })}`,
  ],
  [
    "a token whose sub is a number",
    async () => `Bearer ${await sign({ ...valid, sub: 1 as unknown as string })}`,
  ],
  ["garbage", () => "Bearer garbage"],
  ["a token with white space inside", async () => `Bearer ${(await sign(valid)).replace(/.$/, " $&")}`],
  ["a token with padding", async () => `Bearer ${await sign(valid)}=`],
  ["a token with another spelling of its signature", async () => `Bearer ${await withUnusedBit()}`],
  [
    "a token of more than 8 KiB",
    async () => `Bearer ${await sign({ ...valid, padding: "x".repeat(6 * 1024) })}`,
  ],
];

it.each(rejected)(
  "rejects %s, and reveals only whether it is missing or has expired",
  async (name, authorization) => {
    const { status, headers, data, errors } = await send(await authorization());
    expect(status).toBe(401);
    expect(headers.get("www-authenticate")).toBe(
      'Bearer realm="camera-monitoring", Basic realm="camera-monitoring", charset="UTF-8"',
    );
    expect(data).toBeUndefined();
    const [message, reason] = /expired/.test(name)
      ? ["The Bearer token or API key has expired", "EXPIRED"]
      : /^(?:no credentials|an empty header)$/.test(name)
        ? ["A Bearer token or an API key is required", "MISSING"]
        : ["The Bearer token or API key is not valid", "INVALID"];
    expect(errors).toEqual([{ message, extensions: { code: "UNAUTHENTICATED", reason } }]);
  },
);

it("runs no statements for an invalid token", async () => {
  gateway.clearStatements();
  await send(`Bearer ${await sign(valid, { secret: "x".repeat(39) })}`);
  expect(gateway.statements).toEqual([]);
});

it("rejects a token that it has accepted once that has expired", async () => {
  const authorization = `Bearer ${await sign(valid)}`;
  expect((await send(authorization)).status).toBe(200);
  onTestFinished(() => {
    clock = now;
  });
  clock = new Date(now.getTime() + 90_000);
  expect((await send(authorization)).status).toBe(401);
});

describe("a user who was seen before, and whose subject is another user now", () => {
  const subject = `test|${randomUUID()}`;
  const removeUser = async (id: string) => {
    await prisma.user.deleteMany({ where: { id } });
    await prisma.authIdLookup.deleteMany({ where: { userId: id } });
  };
  const successors: [string, (workspaceId: string, id: string) => Promise<string>][] = [
    [
      "in the same workspace",
      async (workspaceId, id) => {
        await removeUser(id);
        return createUser(prisma, { workspaceId, authId: subject });
      },
    ],
    [
      "in another workspace",
      async (_workspaceId, id) => {
        await removeUser(id);
        return createUser(prisma, {
          workspaceId: await createWorkspace(prisma),
          authId: subject,
        });
      },
    ],
    [
      "who took it over",
      async (workspaceId, id) => {
        await prisma.user.updateMany({ where: { id }, data: { authId: `former ${subject}` } });
        await prisma.authIdLookup.deleteMany({ where: { userId: id } });
        return createUser(prisma, { workspaceId, authId: subject });
      },
    ],
  ];

  it.each(successors)("is the new one from the next request on: %s", async (_where, replace) => {
    const workspaceId = await createWorkspace(prisma);
    const id = await createUser(prisma, { workspaceId, authId: subject });
    const authorization = `Bearer ${await sign({ ...valid, sub: subject })}`;
    const me = async () =>
      (await gateway.data<{ me: { id: string } }>("{ me { id } }", { as: { authorization } })).me.id;
    expect(await me()).toBe(id);
    const successor = await replace(workspaceId, id);
    expect(await me()).toBe(successor);
    await removeUser(successor);
  });
});
