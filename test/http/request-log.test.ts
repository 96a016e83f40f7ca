// Runs once: no database can influence what is tested here.
import { randomUUID } from "node:crypto";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { startIssuer } from "../access/issuer-server.js";
import { openSocket, tryToOpen } from "../live/live-socket.js";
import { testSecrets } from "../support/environment.js";
import { createAdmin, createApiKey, createPlace } from "../support/factories.js";
import { gatewayForTest, ownGateway, type Sender } from "../support/harness.js";

type Line = Record<string, unknown> & { msg: string; req?: { id: string; url: string } };

const origin = "https://console.example";
let lines: Line[] = [];

const logDestination = { write: (line: string) => void lines.push(JSON.parse(line)) };
const environment = {
  TRUST_PROXY: "1",
  CORS_ORIGIN: origin,
  MAX_QUERY_COST: "1000",
  MAX_SUBSCRIPTIONS: "1",
  LOG_LEVEL: "info",
};
const gateway = await ownGateway({ environment, logDestination });
const { workspaceId, facilityId, cameraId } = await createPlace(gateway.prisma);
const admin = await createAdmin(gateway.prisma, workspaceId);
const key = await createApiKey(gateway.prisma, { workspaceId, permissions: ["facilities:read"] });
beforeEach(() => {
  lines = [];
});

/** The log line of a request, without parts that differ each time. */
async function lineOf(target: string, init: RequestInit & { as?: Sender } = {}): Promise<Line> {
  const id = randomUUID();
  const headers = new Headers(init.headers);
  headers.set("x-request-id", id);
  await (await gateway.fetch(target, { ...init, headers })).arrayBuffer();
  await expect.poll(() => lines.filter(({ req }) => req?.id === id)).toHaveLength(1);
  return lines.find(({ req }) => req?.id === id) as Line;
}

const post = (body: object, as: Sender = "nobody", headers: Record<string, string> = {}) => ({
  method: "POST",
  as,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

/** The statements of requests, without the start and end of transactions. */
const statementsRun = () => gateway.statements.filter((sql) => !/^(?:BEGIN|COMMIT|ROLLBACK|--)/.test(sql));

const ofAdmin = () => ({ callerKind: "user", callerId: admin.id, workspaceId });

describe("the line of a GraphQL request", () => {
  it("has the operation, its cost and statements, and the caller", async () => {
    await lineOf("/graphql", post({ query: "{ me { id } }" }, admin.as));
    gateway.clearStatements();
    const line = await lineOf(
      "/graphql",
      post({ query: "query CameraNames { cameras { name } }" }, admin.as),
    );
    expect(line).toEqual({
      level: "info",
      time: expect.any(String),
      msg: "request completed",
      req: { id: line.req?.id, method: "POST", url: "/graphql" },
      res: { statusCode: 200 },
      responseTime: expect.any(Number),
      route: "/graphql",
      address: "127.0.0.1",
      operationType: "query",
      operation: "CameraNames",
      ...ofAdmin(),
      cost: 20,
      statements: statementsRun().length,
    });
    expect(line.statements).toBe(1);
  });

  it("counts the statements of mutations, and those of authentication", async () => {
    const newUser = await createAdmin(gateway.prisma, workspaceId);
    await gateway.app.idle();
    gateway.clearStatements();
    const query =
      'mutation Rename($id: UUID!) { renameFacility(id: $id, name: "Yard") { name cameras { name } } }';
    const line = await lineOf("/graphql", post({ query, variables: { id: facilityId } }, newUser.as));
    expect(line).toMatchObject({ operationType: "mutation", operation: "Rename", res: { statusCode: 200 } });
    expect(line).not.toHaveProperty("errorCodes");
    expect(line.statements).toBe(statementsRun().length);
    expect(line.statements).toBeGreaterThan(5);
  });

  it.each<[string, RequestInit & { as?: Sender }, object]>([
    ["a document that cannot be parsed", post({ query: "{" }), { errorCodes: ["GRAPHQL_PARSE_FAILED"] }],
    ["an unknown field", post({ query: "{ nothing }" }), { errorCodes: ["GRAPHQL_VALIDATION_FAILED"] }],
    ["a body that is not JSON", { ...post({}), body: "{" }, { errorCodes: ["BAD_REQUEST"] }],
  ])("has the error code of %s", async (_case, init, expected) => {
    const line = await lineOf("/graphql", init);
    expect(line).toMatchObject(expected);
    expect(line.level).toBe("warn");
  });

  it("has the error codes of fields, each once", async () => {
    const line = await lineOf(
      "/graphql",
      post({ query: "{ a: me { id } b: me { id } facilities { id } }" }, key),
    );
    expect(line).toMatchObject({ errorCodes: ["FORBIDDEN"], operationType: "query" });
  });

  it("is the only one about a document with a syntax error", async () => {
    expect(await lineOf("/graphql", post({ query: "{" }))).toMatchObject({
      errorCodes: ["GRAPHQL_PARSE_FAILED"],
    });
    expect(lines).toHaveLength(1);
  });

  it("has the cost of an operation that is refused because of it", async () => {
    const query = "query Large { cameras { alerts(first: 100) { nodes { camera { name } } } } }";
    expect(await lineOf("/graphql", post({ query }, admin.as))).toMatchObject({
      errorCodes: ["BAD_REQUEST"],
      operation: "Large",
      cost: 4_040,
    });
  });
});

describe("the line of a REST request", () => {
  it("has the pattern of the route and the operation that it runs", async () => {
    await gateway.app.idle();
    gateway.clearStatements();
    const line = await lineOf(`/cameras/${cameraId}`, { as: admin.as });
    expect(line).toMatchObject({
      route: "/cameras/:cameraId",
      operationType: "query",
      operation: "GetCamera",
      ...ofAdmin(),
      res: { statusCode: 200 },
      statements: statementsRun().length,
    });
  });

  it("has the error code", async () => {
    expect(await lineOf(`/cameras/${randomUUID()}`, { as: admin.as })).toMatchObject({
      route: "/cameras/:cameraId",
      errorCodes: ["NOT_FOUND"],
    });
    expect(await lineOf("/no/such/path")).toMatchObject({ errorCodes: ["NOT_FOUND"] });
  });
});

it("every line has the address that a trusted proxy reports", async () => {
  const line = await lineOf("/healthz", { headers: { "x-forwarded-for": "203.0.113.9, 2001:db8::7" } });
  expect(line).toMatchObject({ route: "/healthz", address: "2001:db8::7" });
});

describe("the line of a request with invalid credentials says why, and the response no more than a reason:", () => {
  const now = Math.floor(Date.now() / 1000);
  const token = (claims: object, secret = testSecrets.AUTH_JWT_SECRET, alg = "HS256") =>
    new SignJWT({ sub: admin.authId, exp: now + 60, ...claims })
      .setProtectedHeader({ alg })
      .sign(new TextEncoder().encode(secret));
  const newKey = (values: object) =>
    createApiKey(gateway.prisma, { workspaceId, permissions: ["facilities:read"], ...values });
  const authorization = (text: string) => ({ authorization: text });
  const cases: [string, () => Sender | Promise<Sender>][] = [
    ["no credentials", () => "nobody"],
    ["malformed credentials", () => authorization("Bearer")],
    ["unknown scheme", () => authorization("Digest abc")],
    ["malformed token", () => authorization("Bearer abc")],
    ["bad signature", async () => authorization(`Bearer ${await token({}, "x".repeat(32))}`)],
    [
      "algorithm not accepted",
      async () => authorization(`Bearer ${await token({}, "x".repeat(64), "HS512")}`),
    ],
    ["expired token", async () => authorization(`Bearer ${await token({ exp: now - 60 })}`)],
    [
      "token not valid yet",
      async () => authorization(`Bearer ${await token({ nbf: now + 600, exp: now + 900 })}`),
    ],
    ["invalid claims", async () => authorization(`Bearer ${await token({ sub: "" })}`)],
    ["no such user", async () => authorization(`Bearer ${await token({ sub: "test|nobody" })}`)],
    ["malformed API key", () => authorization("Basic abc")],
    ["no such API key", () => authorization(`Basic cmk_${"0".repeat(32)}_${"0".repeat(64)}`)],
    [
      "wrong secret of an API key",
      () => authorization(`Basic ${key.key.slice(0, -1)}${key.key.endsWith("0") ? "1" : "0"}`),
    ],
    ["revoked API key", () => newKey({ revokedAt: new Date() })],
    ["expired API key", () => newKey({ expiresAt: new Date(0) })],
    [
      "replaced secret of an API key",
      async () => {
        const replaced = await createApiKey(gateway.prisma, { workspaceId, permissions: [] });
        const row = await gateway.prisma.apiKey.findFirstOrThrow({ where: { id: replaced.id } });
        await gateway.prisma.apiKey.updateMany({
          where: { id: replaced.id },
          data: {
            secretHash: new Uint8Array(32),
            oldSecretHash: row.secretHash,
            oldSecretUntil: new Date(0),
          },
        });
        return replaced;
      },
    ],
  ];

  const reasons: Record<string, string> = {
    "no credentials": "MISSING",
    "expired token": "EXPIRED",
    "expired API key": "EXPIRED",
    "replaced secret of an API key": "EXPIRED",
  };

  it.each(cases)("%s", async (failure, sender) => {
    const as = await sender();
    const expected = {
      level: "warn",
      res: { statusCode: 401 },
      errorCodes: ["UNAUTHENTICATED"],
      authenticationFailure: failure,
    };
    expect(await lineOf("/graphql", post({ query: "{ me { id } }" }, as))).toMatchObject(expected);
    const { errors } = await gateway.graphql("{ me { id } }", { as });
    expect(errors).toEqual([
      {
        message: expect.any(String),
        extensions: { code: "UNAUTHENTICATED", reason: reasons[failure] ?? "INVALID" },
      },
    ]);
  });

  it("scheme not accepted here", async () => {
    const line = await lineOf(`/facilities/${facilityId}/heartbeat`, { ...post({}), as: admin.as });
    expect(line).toMatchObject({
      errorCodes: ["UNAUTHENTICATED"],
      authenticationFailure: "scheme not accepted here",
    });
  });
});

it("the line of a request with an issuer's token names the mismatch", async () => {
  const written: Line[] = [];
  const keyPair = await generateKeyPair("RS256");
  const other = await generateKeyPair("RS256");
  const issuer = await startIssuer([
    { ...(await exportJWK(keyPair.publicKey)), kid: "current", alg: "RS256", use: "sig" },
  ]);
  onTestFinished(() => issuer.close());
  const ofIssuer = await gatewayForTest({
    environment: {
      AUTH_JWT_SECRET: undefined,
      AUTH_ISSUER: issuer.url,
      AUTH_AUDIENCE: "cameras",
      LOG_LEVEL: "info",
    },
    logDestination: { write: (line) => void written.push(JSON.parse(line)) },
  });
  const send = async (kid: string, privateKey: CryptoKey, claims: object) => {
    const payload = {
      sub: "test|nobody",
      iss: issuer.url,
      aud: "cameras",
      exp: Math.floor(Date.now() / 1000) + 60,
      ...claims,
    };
    const token = await new SignJWT(payload).setProtectedHeader({ alg: "RS256", kid }).sign(privateKey);
    await ofIssuer.graphql("{ me { id } }", { as: { authorization: `Bearer ${token}` } });
  };
  await send("unknown", other.privateKey, {});
  await send("current", other.privateKey, {});
  await send("current", keyPair.privateKey, { iss: "https://elsewhere.example" });
  await send("current", keyPair.privateKey, { aud: "doors" });
  await send("current", keyPair.privateKey, {});
  const failures = [
    ...["unknown key id", "bad signature", "wrong issuer", "wrong audience"],
    "no such user, and no email address in the token or at the issuer",
  ];
  await expect
    .poll(() => written.filter(({ req }) => req).map((line) => line.authenticationFailure))
    .toEqual(failures);
});

describe("the lines of a WebSocket", () => {
  const linesOf = (msg: string) => lines.filter((line) => line.msg === msg);
  const subscription = "subscription Beats { facilityHeartbeat { id } }";

  it("say that it was opened by whom, which subscriptions were started or refused, and that it was closed", async () => {
    const live = await openSocket(gateway, { as: admin.as, headers: { "x-forwarded-for": "203.0.113.9" } });
    live.subscribe("subscription { nothing }", { id: "1" });
    await expect.poll(() => live.errors("1")).toEqual(["GRAPHQL_VALIDATION_FAILED"]);
    live.subscribe(subscription, { id: "2" });
    await expect.poll(() => linesOf("a subscription was started")).toHaveLength(1);
    live.subscribe(subscription, { id: "3" });
    await expect.poll(() => live.errors("3")).toEqual(["RATE_LIMITED"]);
    live.socket.close(1000);
    await expect.poll(() => linesOf("a socket was closed")).toHaveLength(1);
    const [{ socketId } = { socketId: "none" }] = lines;
    const common = { socketId, address: "203.0.113.9", time: expect.any(String), ...ofAdmin() };
    const operation = { operationType: "subscription", operation: "Beats", cost: 1 };
    const responseTime = expect.any(Number);
    expect(lines).toEqual([
      { ...common, level: "info", msg: "a socket was opened", statements: expect.any(Number) },
      {
        ...common,
        level: "warn",
        msg: "a subscription was refused",
        responseTime,
        errorCodes: ["GRAPHQL_VALIDATION_FAILED"],
      },
      {
        ...common,
        ...operation,
        level: "info",
        msg: "a subscription was started",
        responseTime,
        statements: expect.any(Number),
      },
      {
        ...common,
        level: "warn",
        msg: "a socket was closed",
        errorCodes: ["RATE_LIMITED"],
        code: 1000,
        milliseconds: expect.any(Number),
      },
    ]);
  });

  it("say why its credentials were not accepted", async () => {
    const live = await openSocket(gateway);
    live.send({ type: "connection_init", payload: { authorization: "Bearer abc" } });
    await live.closed();
    await expect.poll(() => lines).toHaveLength(1);
    expect(lines).toMatchObject([
      {
        level: "warn",
        msg: "a socket was closed",
        code: 4401,
        errorCodes: ["UNAUTHENTICATED"],
        authenticationFailure: "malformed token",
      },
    ]);
  });

  it("say that it was refused", async () => {
    await tryToOpen(gateway, { origin: "https://elsewhere.example" });
    expect(lines).toMatchObject([
      { level: "warn", msg: "a socket was refused", address: "127.0.0.1", errorCodes: ["FORBIDDEN"] },
    ]);
  });
});

describe("GraphQL-Cost: 1", () => {
  const send = async (query: string, headers: Record<string, string> = { "graphql-cost": "1" }) => {
    const response = await gateway.fetch("/graphql", post({ query }, admin.as, headers));
    return (await response.json()) as { data?: object; errors?: object[]; extensions?: object };
  };

  it("states the cost of the operation, and the limit", async () => {
    const { data, extensions } = await send("{ cameras { id } }");
    expect({ data, extensions }).toEqual({
      data: { cameras: [{ id: cameraId }] },
      extensions: { cost: { requestedQueryCost: 20, maxQueryCost: 1_000 } },
    });
  });

  it("says so of an operation that is refused because of its cost", async () => {
    const { data, errors, extensions } = await send(
      "{ cameras { alerts(first: 100) { nodes { camera { name } } } } }",
    );
    expect({ data, errors: errors?.length, extensions }).toEqual({
      data: undefined,
      errors: 1,
      extensions: { cost: { requestedQueryCost: 4_040, maxQueryCost: 1_000 } },
    });
  });

  it("may be sent by pages of other origins", async () => {
    const headers = {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type,graphql-cost",
    };
    const response = await gateway.fetch("/graphql", { method: "OPTIONS", headers });
    expect(response.headers.get("access-control-allow-headers")).toContain("graphql-cost");
  });
});
