// Runs once: no database can influence what is tested here.
import { randomUUID } from "node:crypto";
import { signToken } from "../../src/engine/access/jwt.js";
import { permissions } from "../../src/engine/access/permissions.js";
import { createLog } from "../../src/platform/telemetry/log.js";
import { exportedIds } from "../export/exports.js";
import { testSecrets } from "../support/environment.js";
import { createAlerts, createApiKey, createPlace } from "../support/factories.js";
import { type Gateway, startGateway } from "../support/harness.js";
import { type FeedServer, type Responder, startFeedServer, status } from "../writes/feed-server.js";
import { type RawRequest, sendRaw } from "./raw-request.js";

interface Line {
  level: string;
  time: string;
  msg?: string;
  requestId?: string;
  rows?: number;
  req?: { id: string; method: string; url: string; remoteAddress: string };
  res?: { statusCode: number };
}

type ApiKey = Awaited<ReturnType<typeof createApiKey>>;

/** A gateway, with its log so far. */
interface LoggedGateway {
  address: string;
  output(): string;
}

const hex = (length: number) => (randomUUID() + randomUUID()).replaceAll("-", "").slice(0, length);

const linesOf = (text: string): Line[] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Line);

const leaksIn = (text: string, secrets: Iterable<string>) =>
  text
    .split("\n")
    .filter((line) => [...secrets].some((secret) => line.toLowerCase().includes(secret.toLowerCase())));

/** Starts a gateway whose log is kept. */
async function startLogged(environment: Record<string, string>) {
  const written: string[] = [];
  const logDestination = { write: (line: string) => void written.push(line) };
  const started = await startGateway({ environment, logDestination });
  return { started, gateway: { address: started.url, output: () => written.join("") } };
}

/** The lines logged while requests are handled, up to a final marker request. */
async function linesAfter(
  { address, output }: LoggedGateway,
  send: (address: string) => Promise<unknown>,
): Promise<Line[]> {
  const start = output().length;
  await send(address);
  const last = randomUUID();
  await sendRaw(address, { path: "/healthz", headers: { "x-request-id": last } });
  await expect.poll(() => output().slice(start)).toMatch(new RegExp(`${last}.*\n`));
  return linesOf(output().slice(start)).filter(({ req }) => req?.id !== last);
}

/**
 * Sends requests that bring credentials, requestIds, link signatures and personal data,
 * and returns those and the lines logged meanwhile.
 */
async function sendSecrets(
  gateway: LoggedGateway,
): Promise<{ secrets: string[]; sent: number; lines: Line[] }> {
  const secret = hex(64);
  const key = `cmk_${hex(32)}_${secret}`;
  const token = await signToken(testSecrets.AUTH_JWT_SECRET, "test|nobody", 3600, new Date());
  const requestIds = [
    randomUUID(),
    randomUUID(),
    randomUUID(),
    randomUUID().toUpperCase(),
    randomUUID(),
    randomUUID(),
    randomUUID(),
  ] as const;
  const [address, number] = [`${hex(12)}@people.example`, "+905321234567"];
  const password = `sesame-${hex(12)}`;
  const signature = hex(43);
  const basic = Buffer.from(`${key}:`).toString("base64");
  const graphql = { method: "POST", path: "/graphql", body: JSON.stringify({ query: "{ me { id } }" }) };
  const json = { "content-type": "application/json" };
  const requests: RawRequest[] = [
    { ...graphql, headers: { ...json, authorization: `Bearer ${token}` } },
    { ...graphql, headers: { ...json, authorization: `Basic ${key}` } },
    { ...graphql, headers: { ...json, authorization: `Basic ${basic}`, cookie: `session=${secret}` } },
    { ...graphql, headers: json, body: `{"query":"{ me { id } }","token":"${token}` },
    { path: `/files/alerts/a.jpg?expires=9999999999&signature=${signature}` },
    { method: "POST", path: `/cameras/thumbnail/${requestIds[0]}` },
    { method: "POST", path: `/cameras/metadata/${requestIds[1]}?x=1` },
    { method: "POST", path: `/cameras/feedserver/error/${requestIds[2]}` },
    { method: "POST", path: `/Cameras/Thumbnail/${requestIds[3]}/` },
    { method: "POST", path: `/cameras/thumbnail//${requestIds[4]}` },
    {
      method: "POST",
      path: `/cameras/thumbnail/${requestIds[5]}`,
      headers: { "x-request-id": requestIds[5] },
    },
    {
      path: `/graphql?query=${encodeURIComponent(`{ camera(id: "${requestIds[6]}") { id } }`)}&variables={"password":"${password}"}`,
    },
    { path: `/files/alerts/a.jpg?expires=9999999999&%73ignature=${signature}` },
    { path: `/healthz/Bearer%20${token}` },
    { path: "/healthz", headers: { "x-request-id": key } },
    ...[
      address,
      encodeURIComponent(address),
      number,
      number.replace("+", "%2B"),
      "%2B90%20532%20123%2045%2067",
    ].map((text) => ({
      path: `/${text}?a=${text}`,
    })),
    { path: `/healthz?a=${"a".repeat(2000)}rtsp://viewer:${password}${"a".repeat(2000)}@camera.example/` },
    { path: `/healthz?key=${key}` },
    { path: `/healthz?authorization=Basic%20${key}` },
    { path: `/healthz?a=1&access_token=${token}` },
    { path: `/healthz?token=${token}#here` },
    { path: `/healthz?authorization=Bearer%20${token}` },
    { path: `/healthz?url=rtsp://viewer:${password}@camera.example/stream` },
    { path: `/healthz?url=${encodeURIComponent(`rtsp://viewer:${password}@camera.example/stream`)}` },
    ...[
      `http://camera.example/video?user=admin&pwd=${password}`,
      `http://camera.example/video?loginuse=admin&loginpas=${password};rate=0`,
      `rtsp://camera.example/user=admin_password=${password}_channel=1_stream=0.sdp?real_stream`,
      `rtsp://camera.example/cam/realmonitor?channel=1&authbasic=${Buffer.from(password).toString("base64")}`,
      `http://stream.example/live.m3u8?X-Amz-Signature=${signature}#Key-Pair-Id=${password}`,
    ].flatMap((url) => [
      { path: `/healthz?url=${url}` },
      { path: `/healthz?a=${encodeURIComponent(encodeURIComponent(url))}` },
      { path: `/${url}` },
    ]),
  ];
  const lines = await linesAfter(gateway, async (address) => {
    for (const each of requests) await sendRaw(address, each);
  });
  const people = [address, encodeURIComponent(address), "5321234567", "532%20123"];
  return {
    secrets: [
      secret,
      basic,
      token,
      signature,
      password,
      Buffer.from(password).toString("base64"),
      ...requestIds,
      ...people,
    ],
    sent: requests.length,
    lines,
  };
}

describe("the log at level trace", () => {
  let feed: FeedServer;
  let started: Gateway;
  let gateway: LoggedGateway;
  let key: ApiKey;
  /** Texts that must not appear, even while the gateway is stopped. */
  const secrets = new Set<string>();
  beforeAll(async () => {
    feed = await startFeedServer();
    ({ started, gateway } = await startLogged({ LOG_LEVEL: "trace", FEED_SERVER_URL: feed.url }));
    const { prisma } = started;
    const { workspaceId, facilityId, cameraId } = await createPlace(prisma);
    await createAlerts(prisma, [
      { workspaceId, facilityId, cameraId, createdAt: new Date(Date.now() - 1000) },
    ]);
    key = await createApiKey(prisma, { workspaceId, permissions: [...permissions] });
  });
  afterAll(async () => {
    await started.close();
    await feed.close();
    expect(leaksIn(gateway.output(), secrets)).toEqual([]);
  });

  it("contains no credentials, requestIds, link signatures, or personal data", async () => {
    const { secrets: contained, sent, lines } = await sendSecrets(gateway);
    for (const each of contained) secrets.add(each);
    expect(lines.filter((line) => line.req)).toHaveLength(sent);
    expect(leaksIn(gateway.output(), contained)).toEqual([]);
  });

  it("contains no requestIds or stream passwords from feed server requests and reports, whether they succeed or fail", async () => {
    const password = `sesame-${hex(12)}`;
    secrets.add(password);
    const responders = [
      status(202),
      status(503),
      status(400),
      (response) => response.destroy(),
    ] satisfies Responder[];
    const urls = responders.map((responder, index) => {
      const url = `rtsp://viewer:${password}@10.0.0.${index}/yard`;
      feed.respondWith(url, responder);
      return url;
    });
    const requestIds: string[] = [];
    const { authorization } = key;
    const graphql = async (query: string, variables: object = {}, headers: Record<string, string> = {}) => {
      const init = {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ query, variables }),
      };
      return (await (await fetch(`${gateway.address}/graphql`, init)).json()) as {
        data: { facilities: { id: string }[]; created: { requestId: string } };
      };
    };
    const start = gateway.output().length;
    const { data } = await graphql("{ facilities { id } }", {}, { authorization });
    const create = `mutation ($facilityId: UUID!, $input: CreateCameraInput!) { created: createCamera(facilityId: $facilityId, input: $input) { requestId } }`;
    for (const url of urls) {
      const variables = {
        facilityId: data.facilities[0]?.id,
        input: { name: "Gate", url, streamType: "DIRECT" },
      };
      requestIds.push((await graphql(create, variables, { authorization })).data.created.requestId);
    }
    for (const requestId of requestIds) secrets.add(requestId);
    await expect.poll(() => urls.filter((url) => feed.deliveriesOf(url).length === 0)).toEqual([]);
    const report = `mutation ($requestId: UUID!, $url: String!) { recordStreamThumbnail(requestId: $requestId, input: { url: $url }) { id } }`;
    for (const requestId of requestIds) {
      for (const url of ["https://feeds.example/yard.jpg", "javascript:1", "\ud800"]) {
        await graphql(report, { requestId, url });
        const body = JSON.stringify({ url });
        const headers = { "content-type": "application/json" };
        await sendRaw(gateway.address, {
          method: "POST",
          path: `/cameras/thumbnail/${requestId}`,
          headers,
          body,
        });
      }
      await graphql(
        `mutation { recordStreamError(requestId: "${requestId}", input: { operation: 5 }) { id } }`,
      );
      await sendRaw(gateway.address, { method: "PUT", path: `/cameras/metadata/${requestId}/` });
    }
    const failures = () =>
      gateway
        .output()
        .slice(start)
        .match(/the feed server did not accept a stream request/g) ?? [];
    await expect.poll(() => failures().length).toBeGreaterThanOrEqual(3);
    expect({
      requestIds: requestIds.length,
      leaks: leaksIn(gateway.output(), [password, ...requestIds]),
    }).toEqual({ requestIds: 4, leaks: [] });
  });

  it("records exports but never the ticket", async () => {
    const headers = {
      authorization: key.authorization,
      "content-type": "application/json",
    };
    const day = 86_400_000;
    const [start, end] = [Date.now() - 3 * day, Date.now()];
    const period = `start: "${new Date(start).toISOString()}", end: "${new Date(end).toISOString()}"`;
    const query = `{ exportAlerts(filter: { ${period} }) { url } }`;
    const { address } = gateway;
    const { text } = await sendRaw(address, {
      method: "POST",
      path: "/graphql",
      headers,
      body: JSON.stringify({ query }),
    });
    const ticket = new URL(JSON.parse(text).data.exportAlerts.url).searchParams.get("ticket") as string;
    // Not even a part of it that is secret.
    const [, content, signature] = ticket.split(".") as [string, string, string];
    const parts = [content.slice(0, 40), signature.slice(0, 20)];
    for (const part of parts) secrets.add(part);
    const responses: Awaited<ReturnType<typeof sendRaw>>[] = [];
    const lines = await linesAfter(gateway, async () => {
      responses.push(await sendRaw(address, { path: `/alerts/export?start=${start}&end=${end}`, headers }));
      responses.push(await sendRaw(address, { path: `/alerts/export?ticket=${ticket}` }));
      responses.push(await sendRaw(address, { path: `/alerts/export?more=1&ticket=${ticket}x` }));
      await sendRaw(address, { path: `/alerts/export?TICKET=${ticket}` });
    });
    expect(responses.map((response) => response.status)).toEqual([200, 200, 404]);
    const [direct, linked] = responses as [(typeof responses)[number], (typeof responses)[number]];

    const rows = (await exportedIds(direct.body)).length;
    expect(rows).toBeGreaterThan(0);
    const idOf = (response: typeof direct) => response.headers["x-request-id"];
    const sent = lines.filter(({ msg }) => msg === "export sent");
    const line = (response: typeof direct) => ({
      level: "info",
      requestId: idOf(response),
      rows,
      milliseconds: expect.any(Number),
    });
    expect(sent).toEqual([expect.objectContaining(line(direct)), expect.objectContaining(line(linked))]);
    const requestLine = lines.find(({ req }) => req?.id === idOf(linked));
    expect(requestLine).toMatchObject({
      req: { url: "/alerts/export?ticket=***" },
      res: { statusCode: 200 },
    });
    expect(leaksIn(gateway.output(), parts)).toEqual([]);
  });
});

describe("the log at level info", () => {
  let gateway: LoggedGateway;
  beforeAll(async () => {
    const { started, gateway: logged } = await startLogged({ LOG_LEVEL: "info" });
    gateway = logged;
    return () => started.close();
  });

  it("has one line of JSON per request, with the returned id, the status, and a matching level", async () => {
    const ids: string[] = [];
    const lines = await linesAfter(gateway, async (address) => {
      for (const path of ["/healthz", "/no/such/path"])
        ids.push((await sendRaw(address, { path })).headers["x-request-id"] as string);
      await sendRaw(address, { path: "/readyz", method: "HEAD", headers: { "x-request-id": "my-own-id" } });
    });
    const requests = lines.filter((line) => line.req);
    expect(
      requests.map(({ level, req, res }) => ({
        level,
        id: req?.id,
        method: req?.method,
        url: req?.url,
        status: res?.statusCode,
      })),
    ).toEqual([
      { level: "info", id: ids[0], method: "GET", url: "/healthz", status: 200 },
      { level: "warn", id: ids[1], method: "GET", url: "/no/such/path", status: 404 },
      { level: "info", id: "my-own-id", method: "HEAD", url: "/readyz", status: 200 },
    ]);
    for (const { time } of lines) expect(new Date(time).toISOString()).toBe(time);
  });

  it("is not open to log injection", async () => {
    const lines = await linesAfter(gateway, (address) =>
      sendRaw(address, { path: '/%0a{"level":"fatal"}?a="}%0d%0a' }),
    );
    expect(lines.filter((line) => line.level === "fatal")).toEqual([]);
    expect(lines.filter((line) => line.req).map(({ req }) => req?.url)).toEqual([
      '/%0a{"level":"fatal"}?a="}%0d%0a',
    ]);
  });
});

it("the log shows of an error where it comes from, and no values of rows", () => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const detail = "Failing row contains (1, sesame-row).";
  const cause = Object.assign(new Error("for ada@people.example"), {
    code: "23514",
    detail,
    parameters: ["sesame-row"],
  });
  log.error(
    { err: Object.assign(new Error("A statement failed", { cause }), { code: "P2010", meta: { cause } }) },
    "an operation failed",
  );
  const [{ err }] = lines.map((line) => JSON.parse(line)) as [{ err: object }];
  expect(err).toEqual({
    type: "Error",
    message: "A statement failed: for ***",
    stack: expect.stringContaining("log.test.ts"),
    code: "P2010",
  });
});

it("the log omits successful requests at level error", async () => {
  const { started, gateway } = await startLogged({ LOG_LEVEL: "error" });
  await sendRaw(started.url, { path: "/healthz" });
  await started.close();
  expect(gateway.output()).toBe("");
});
