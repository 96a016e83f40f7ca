// Runs once: no database can influence what is tested here.

import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import path from "node:path";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { isUuid } from "../../src/platform/ids/uuid.js";
import { createUser, createWorkspace } from "../support/factories.js";
import { authorizationOf, type Gateway, gatewayForTest, startGateway } from "../support/harness.js";
import { SlowClient } from "../uploads/slow-client.js";
import { type RawRequest, sendRaw } from "./raw-request.js";

const gateway = await startGateway({ environment: { TRUST_PROXY: "loopback" } });

const environment = {
  PUBLIC_URL: "https://cameras.example",
  CORS_ORIGIN: "https://a.example, https://b.example",
};
/** A gateway with its own address. Pages on two other addresses may use it. */
const published = await startGateway({ environment });
const authId = "test|user";
await createUser(gateway.prisma, { workspaceId: await createWorkspace(gateway.prisma), authId });
const authorization = String(await authorizationOf({ user: authId }));
afterAll(async () => {
  await gateway.close();
  await published.close();
});

const json = { "content-type": "application/json" };
const query = JSON.stringify({ query: "{ __typename }" });
const post = (values: Partial<RawRequest>) =>
  sendRaw(gateway.url, { method: "POST", path: "/graphql", headers: json, body: query, ...values });
const codeOf = (text: string) => JSON.parse(text).errors[0].extensions.code;

/**
 * Sends text on a connection. Returns everything received until the connection is closed,
 * perhaps before the server has read everything.
 */
function exchange(text: string): Promise<string> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setEncoding("utf8").on("data", (part) => {
      received += part;
    });
    socket.once("error", (error) => (received ? resolve(received) : reject(error)));
    socket.once("close", () => resolve(received));
  });
}
const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, "host: x", ...headers, "", ""].join("\r\n");
const close = "connection: close";

describe("every response", () => {
  it.each(["/healthz", "/graphql", "/no/such/path"])(
    "from %s has security headers and does not reveal the framework",
    async (target) => {
      const { headers } = await gateway.fetch(target);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toContain("default-src");
      expect(headers.get("x-frame-options")).toBe("SAMEORIGIN");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.has("x-powered-by")).toBe(false);
    },
  );

  const httpsOnly = ({ headers }: Response) => [
    headers.has("strict-transport-security"),
    headers.get("content-security-policy")?.includes("upgrade-insecure-requests"),
  ];

  it("asks browsers to use HTTPS only if it came over HTTPS", async () => {
    expect(httpsOnly(await gateway.fetch("/healthz"))).toEqual([false, false]);
    expect(httpsOnly(await gateway.fetch("/healthz", { headers: { "x-forwarded-proto": "https" } }))).toEqual(
      [true, true],
    );
    expect(httpsOnly(await published.fetch("/healthz"))).toEqual([true, true]);
  });

  it("has the request id that the client sent", async () => {
    const { headers } = await gateway.fetch("/healthz", { headers: { "x-request-id": "trace:01.AB_c-9" } });
    expect(headers.get("x-request-id")).toBe("trace:01.AB_c-9");
  });

  it.each([
    ["none", undefined],
    ["one with spaces", "a b"],
    ["one of 129 characters", "x".repeat(129)],
  ])("has a UUID as request id when the client sent %s", async (_name, id) => {
    const { headers } = await sendRaw(gateway.url, {
      path: "/healthz",
      headers: id === undefined ? {} : { "x-request-id": id },
    });
    expect(headers["x-request-id"]).toSatisfy(isUuid);
  });

  it("is compressed on request, with the same content", async () => {
    const body = JSON.stringify({ query: "{ __schema { types { name description } } }" });
    const plain = await post({ body });
    const gzipped = await post({ body, headers: { ...json, "accept-encoding": "gzip" } });
    const brotli = await post({ body, headers: { ...json, "accept-encoding": "br" } });
    expect([plain, gzipped, brotli].map(({ headers }) => headers["content-encoding"])).toEqual([
      undefined,
      "gzip",
      "br",
    ]);
    expect(gunzipSync(gzipped.body)).toEqual(plain.body);
    expect(brotliDecompressSync(brotli.body)).toEqual(plain.body);
    expect(gzipped.headers.vary).toMatch(/accept-encoding/i);
  });

  it("with a script of a page is sent as the build has compressed it, if the client takes that", async () => {
    const page = await sendRaw(gateway.url, { path: "/", headers: { accept: "text/html" } });
    const script = /src="(\/console\/assets\/common-[^"]+)"/.exec(page.text)?.[1] as string;
    const built = await readFile(path.join("dist", script));
    const compressed = await readFile(path.join("dist", `${script}.br`));
    const [plain, gzipped, brotli] = await Promise.all(
      [{}, { "accept-encoding": "gzip" }, { "accept-encoding": "gzip, deflate, br" }].map((headers) =>
        sendRaw(gateway.url, { path: script, headers: headers as Record<string, string> }),
      ),
    );
    expect(plain?.body).toEqual(built);
    expect(gunzipSync(gzipped?.body as Buffer)).toEqual(built);
    expect(brotli?.body).toEqual(compressed);
    expect(brotliDecompressSync(compressed)).toEqual(built);
    for (const { headers } of [plain, gzipped, brotli] as { headers: Record<string, string> }[])
      expect(headers).toMatchObject({
        "content-type": expect.stringContaining("javascript"),
        "cache-control": "public, max-age=31536000, immutable",
        vary: expect.stringMatching(/accept-encoding/i),
      });
  });
});

describe("a path", () => {
  it.each(["/no/such/path", "/healthz/more", "/.git/config", "/graphql/assets/../../secrets.json"])(
    "that is unknown returns 404: %s",
    async (path) => {
      const { status, headers, text } = await sendRaw(gateway.url, { path });
      expect(status).toBe(404);
      expect(headers["content-type"]).toMatch(/^application\/json/);
      expect(JSON.parse(text)).toEqual({ status: "error", code: "NOT_FOUND", message: expect.any(String) });
    },
  );

  it.each([
    "/%",
    "/%zz",
    "/files/%",
    "/files/%E0%A4%A.jpg",
    "/files/a.jpg?signature=%zz&expires=%",
    "/graphql/assets/%c0%af",
  ])("with malformed percent-encoding is a client error: %s", async (path) => {
    const { status, text } = await sendRaw(gateway.url, { path });
    expect([400, 404]).toContain(status);
    expect(JSON.parse(text)).toEqual({
      status: "error",
      code: status === 400 ? "BAD_REQUEST" : "NOT_FOUND",
      message: expect.any(String),
    });
  });

  it.each([
    ["POST", "/healthz"],
    ["DELETE", "/readyz"],
    ["PUT", "/graphql"],
    ["POST", "/files/alerts/picture.jpg"],
  ])("that exists rejects other methods and lists the allowed ones: %s %s", async (method, path) => {
    const { status, headers } = await sendRaw(gateway.url, { method, path });
    expect(status).toBe(405);
    expect(headers.allow).toMatch(/GET|POST/);
  });
});

describe("headers", () => {
  it("of more than 64 KiB in total are rejected", async () => {
    const response = await exchange(get("/healthz", close, `x-filler: ${"x".repeat(65 * 1024)}`));
    expect(response).toMatch(/^HTTP\/1\.1 431 /);
  });

  it("of 60 KiB are accepted", async () => {
    const response = await exchange(get("/healthz", close, `x-filler: ${"x".repeat(60 * 1024)}`));
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe("a JSON body", () => {
  const nested = (levels: number) =>
    `{"query":"{ __typename }","extensions":${'{"a":'.repeat(levels - 1)}1${"}".repeat(levels - 1)}}`;
  const arrays = (levels: number) =>
    `{"query":"{ __typename }","extensions":{"a":${"[".repeat(levels - 2)}${"]".repeat(levels - 2)}}}`;
  const padded = (bytes: number) => query.padEnd(bytes, " ");
  const limit = 100 * 1024;
  const authenticatedLimit = 4 * 1024 * 1024;
  const authenticated = () => ({ ...json, authorization });

  it.each([
    ["objects", nested],
    ["lists", arrays],
  ])("may have up to 64 levels of %s", async (_name, body) => {
    expect(await post({ body: body(64) })).toMatchObject({ status: 200 });
    const { status, text } = await post({ body: body(65) });
    expect(status).toBe(400);
    expect(JSON.parse(text).errors[0]).toMatchObject({
      message: expect.stringMatching(/64 levels/),
      extensions: { code: "BAD_REQUEST" },
    });
  });

  it("that is nested 100,000 levels deep is rejected", async () => {
    expect(await post({ headers: authenticated(), body: arrays(100_000) })).toMatchObject({ status: 400 });
  });

  it.each<[string, number, () => Record<string, string>]>([
    ["100 KiB on /graphql without credentials", limit, () => json],
    ["4 MiB on /graphql with credentials", authenticatedLimit, authenticated],
  ])("may have up to %s", async (_name, bytes, headers) => {
    expect(await post({ headers: headers(), body: padded(bytes) })).toMatchObject({ status: 200 });
    for (const chunked of [undefined, { "transfer-encoding": "chunked" }]) {
      const { status, text } = await post({ headers: { ...headers(), ...chunked }, body: padded(bytes + 1) });
      expect({ status, code: codeOf(text) }).toEqual({ status: 413, code: "PAYLOAD_TOO_LARGE" });
    }
  });

  it("may have up to 100 KiB for the feed server, whose credentials are ignored", async () => {
    const path = `/cameras/thumbnail/${randomUUID()}`;
    const report = (bytes: number) =>
      sendRaw(gateway.url, {
        method: "POST",
        path,
        headers: authenticated(),
        body: JSON.stringify({ url: "https://x.example" }).padEnd(bytes, " "),
      });
    expect((await report(limit)).status).toBe(404);
    expect((await report(limit + 1)).status).toBe(413);
  });

  it("is measured after decompression", async () => {
    const headers = { ...json, "content-encoding": "gzip" };
    expect(await post({ headers, body: gzipSync(query) })).toMatchObject({ status: 200 });
    const { status, text } = await post({ headers, body: gzipSync(padded(limit + 1)) });
    expect({ status, code: codeOf(text) }).toEqual({ status: 413, code: "PAYLOAD_TOO_LARGE" });
  });

  it.each([
    ["half an object", '{"query":'],
    ["not JSON", "query { __typename }"],
    ["a trailing comma", '{"query":"{ __typename }",}'],
    ["another byte order", Buffer.from(query, "utf16le")],
  ])("that is malformed is rejected: %s", async (_name, body) => {
    const { status, text } = await post({ body });
    expect({ status, code: codeOf(text) }).toEqual({ status: 400, code: "BAD_REQUEST" });
  });

  it.each([
    ["character set", { "content-type": "application/json; charset=iso-8859-1" }],
    ["encoding of Unicode", { "content-type": "application/json; charset=utf-16" }],
    ["unknown character set", { "content-type": "application/json; charset=utf-88" }],
    ["encoding", { ...json, "content-encoding": "compress" }],
  ])("in an unsupported %s is rejected", async (_name, headers) => {
    const { status, text } = await post({ headers });
    expect({ status, code: codeOf(text) }).toEqual({ status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
  });

  it.each(["utf8", '"UTF-8"', "UTF8", "Utf-8"])("in the character set %s is read", async (charset) => {
    const { status, text } = await post({
      headers: { "content-type": `application/json; charset=${charset}` },
    });
    expect({ status, answer: JSON.parse(text) }).toEqual({
      status: 200,
      answer: { data: { __typename: "Query" } },
    });
  });

  it("that does not match its encoding is rejected", async () => {
    const { status, text } = await post({ headers: { ...json, "content-encoding": "gzip" } });
    expect({ status, code: codeOf(text) }).toEqual({ status: 400, code: "BAD_REQUEST" });
  });
});

describe("a body that is not read", () => {
  const refused = { method: "POST", path: "/graphql", headers: { ...json, authorization: "Bearer garbage" } };

  it("is neither awaited nor requested", async () => {
    const client = await SlowClient.connect(gateway.url);
    await client.sendHead({
      ...refused,
      headers: { ...refused.headers, "content-length": 4_000_000, expect: "100-continue" },
    });
    expect(await client.response()).toMatchObject({ status: 401 });
  });

  it("leaves the connection open if it has the size of a valid one", async () => {
    const client = await SlowClient.connect(gateway.url);
    const body = Buffer.alloc(4 * 1024 * 1024 + 1);
    await client.sendHead({ ...refused, headers: { ...refused.headers, "content-length": body.length } });
    await client.send(body);
    expect(await client.response()).toMatchObject({ status: 401 });
    await client.sendHead({ method: "GET", path: "/healthz", headers: {} });
    expect(await client.response()).toMatchObject({ status: 200 });
  });

  it("but never ends closes the connection, after the response", async () => {
    const sendEndlessly = async (headers: Record<string, string>) => {
      const client = await SlowClient.connect(gateway.url);
      await client.sendHead({ ...refused, headers: { ...headers, "transfer-encoding": "chunked" } });
      const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
      const sending = (async () => {
        while (await client.send(chunk));
      })();
      const responses = [await client.response(), await client.response()];
      await sending;
      return responses.map((response) => response?.status);
    };
    expect(await Promise.all([sendEndlessly(refused.headers), sendEndlessly(json)])).toEqual([
      [401, undefined],
      [413, undefined],
    ]);
  });
});

describe("a connection", () => {
  const statusesOf = (received: string) =>
    [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

  it("gets the responses to pipelined requests in their order", async () => {
    const body = JSON.stringify({ query: "{ workspace { name } }" });
    const slow = `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const received = await exchange(`${get("/none")}${slow}${get("/healthz")}${slow}${get("/none", close)}`);
    expect(statusesOf(received)).toEqual([404, 200, 200, 200, 404]);
  });

  it("gets the responses to 65 requests sent at once, and learns that the others were not handled", async () => {
    const received = await exchange(get("/healthz").repeat(500));
    expect(statusesOf(received)).toEqual(Array(65).fill(200));
    const closing = received.split("HTTP/1.1 ").map((response) => /^connection: close\r$/im.test(response));
    expect(closing.indexOf(true)).toBe(65);
  });

  it("is refused beyond MAX_CONNECTIONS_PER_ADDRESS", async () => {
    const limited = await gatewayForTest({ environment: { MAX_CONNECTIONS_PER_ADDRESS: "2" } });
    const clients = [
      await SlowClient.connect(limited.url),
      await SlowClient.connect(limited.url),
      await SlowClient.connect(limited.url),
    ];
    expect(await clients[2]?.response()).toBeUndefined();
    await clients[1]?.sendHead({ method: "GET", path: "/healthz", headers: {} });
    expect(await clients[1]?.response()).toMatchObject({ status: 200 });
  });
});

describe("a request to upgrade to something else", () => {
  const h2c = {
    connection: "Upgrade, HTTP2-Settings",
    upgrade: "h2c",
    "http2-settings": "AAMAAABkAAQAoAAAAAIAAAAA",
  };

  it.each(["content-length", "chunked"])("keeps its body: %s", async (framing) => {
    const headers = { ...json, ...h2c, ...(framing === "chunked" && { "transfer-encoding": "chunked" }) };
    const { status, text } = await post({ headers });
    expect({ status, body: JSON.parse(text) }).toEqual({
      status: 200,
      body: { data: { __typename: "Query" } },
    });
  });

  it("than a WebSocket by GET is like one without", async () => {
    const websocket = { connection: "Upgrade", upgrade: "websocket" };
    for (const [method, path] of [
      ["HEAD", "/graphql"],
      ["GET", "/healthz"],
      ["DELETE", "/graphql"],
    ] as const) {
      const [plain, upgrade] = [
        await sendRaw(gateway.url, { method, path }),
        await sendRaw(gateway.url, { method, path, headers: websocket }),
      ];
      expect([upgrade.status, upgrade.text]).toEqual([plain.status, plain.text]);
    }
  });
});

describe("browsers on other origins", () => {
  const preflight = (target: Gateway, origin: string) =>
    target.fetch("/graphql", {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
      },
    });

  it("get no CORS headers unless configured", async () => {
    const responses = [
      await preflight(gateway, "https://a.example"),
      await gateway.fetch("/healthz", { headers: { origin: "https://a.example" } }),
    ];
    for (const { headers } of responses) {
      const names: string[] = [];
      headers.forEach((_value, name) => void names.push(name));
      expect(names.filter((name) => name.startsWith("access-control-allow"))).toEqual([]);
    }
  });

  it("are allowed only if listed in CORS_ORIGIN", async () => {
    for (const origin of ["https://a.example", "https://b.example"]) {
      const { status, headers } = await preflight(published, origin);
      expect(status).toBe(204);
      expect(headers.get("access-control-allow-origin")).toBe(origin);
      expect(headers.get("access-control-allow-headers")).toMatch(/authorization/);
      expect(headers.get("vary")).toMatch(/origin/i);
    }
    expect(
      (await preflight(published, "https://evil.example")).headers.get("access-control-allow-origin"),
    ).toBeNull();
    const response = await published.fetch("/healthz", { headers: { origin: "https://a.example" } });
    expect(response.headers.get("access-control-allow-origin")).toBe("https://a.example");
    expect(response.headers.get("access-control-expose-headers")?.toLowerCase()).toBe(
      "x-request-id,retry-after,www-authenticate,mcp-session-id,x-ignored-parameters",
    );
  });
});
