// Runs once, as the database does not matter here.
import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Gateway, gatewayForTest, startGateway } from "../support/harness.js";
import { type RawRequest, sendRaw } from "./raw-request.js";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
});
afterAll(() => gateway.close());

const json = { "content-type": "application/json" };
const query = JSON.stringify({ query: "{ __typename }" });
const post = (values: Partial<RawRequest>) => sendRaw(gateway.url, { method: "POST", path: "/graphql", headers: json, body: query, ...values });
const codeOf = (text: string) => JSON.parse(text).errors[0].extensions.code;

describe("every response", () => {
  it.each(["/healthz", "/graphql", "/no/such/path"])("from %s has security headers and does not reveal the framework", async (target) => {
    const { headers } = await gateway.fetch(target);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("default-src");
    expect(headers.get("x-frame-options")).toBe("SAMEORIGIN");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("strict-transport-security")).toMatch(/max-age=\d+/);
    expect(headers.has("x-powered-by")).toBe(false);
  });

  it("has the request id that the client sent", async () => {
    const { headers } = await gateway.fetch("/healthz", { headers: { "x-request-id": "trace:01.AB_c-9" } });
    expect(headers.get("x-request-id")).toBe("trace:01.AB_c-9");
  });

  it.each([
    ["none", undefined],
    ["an empty one", ""],
    ["one with spaces", "a b"],
    ["one with quotes", 'a"b'],
    ["one of 129 characters", "x".repeat(129)],
  ])("has a UUID as request id when the client sent %s", async (_name, id) => {
    const { headers } = await sendRaw(gateway.url, { path: "/healthz", headers: id === undefined ? {} : { "x-request-id": id } });
    expect(headers["x-request-id"]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it("is compressed on request, with the same content", async () => {
    const body = JSON.stringify({ query: "{ __schema { types { name description } } }" });
    const plain = await post({ body });
    const gzipped = await post({ body, headers: { ...json, "accept-encoding": "gzip" } });
    const brotli = await post({ body, headers: { ...json, "accept-encoding": "br" } });
    expect([plain, gzipped, brotli].map(({ headers }) => headers["content-encoding"])).toEqual([undefined, "gzip", "br"]);
    expect(gunzipSync(gzipped.body)).toEqual(plain.body);
    expect(brotliDecompressSync(brotli.body)).toEqual(plain.body);
    expect(gzipped.headers.vary).toMatch(/accept-encoding/i);
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

  it.each(["/%", "/%zz", "/files/%", "/files/%E0%A4%A.jpg", "/files/a.jpg?signature=%zz&expires=%", "/graphql/assets/%c0%af"])(
    "with malformed percent-encoding is a client error: %s",
    async (path) => {
      const { status, text } = await sendRaw(gateway.url, { path });
      expect([400, 404]).toContain(status);
      expect(JSON.parse(text)).toEqual({ status: "error", code: status === 400 ? "BAD_REQUEST" : "NOT_FOUND", message: expect.any(String) });
    },
  );

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

  it.each(["/healthz", "/readyz"])("that supports GET supports HEAD: %s", async (path) => {
    expect(await sendRaw(gateway.url, { method: "HEAD", path })).toMatchObject({ status: 200, text: "" });
  });

  it("may contain a thousand ids", async () => {
    const ids = Array.from({ length: 1000 }, () => randomUUID());
    const path = `/healthz?alertIds=${ids.join("&alertIds=")}`;
    expect(path.length).toBeGreaterThan(40_000);
    expect((await sendRaw(gateway.url, { path })).status).toBe(200);
  });
});

describe("headers", () => {
  it("of more than 64 KiB in total are rejected", async () => {
    const response = await sendHead(`x-filler: ${"x".repeat(65 * 1024)}`);
    expect(response).toMatch(/^HTTP\/1\.1 431 /);
  });

  it("of 60 KiB are accepted", async () => {
    const response = await sendHead(`x-filler: ${"x".repeat(60 * 1024)}`);
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
  });

  /** The raw response to a request with an additional header. */
  function sendHead(header: string): Promise<string> {
    const { hostname, port } = new URL(gateway.url);
    return new Promise((resolve, reject) => {
      let response = "";
      const socket = connect(Number(port), hostname, () =>
        socket.write(`GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${header}\r\n\r\n`),
      );
      socket.setEncoding("utf8").on("data", (text) => {
        response += text;
      });
      // The server may close the connection before reading everything; what it sent before counts.
      socket.once("error", (error) => (response ? resolve(response) : reject(error)));
      socket.once("close", () => resolve(response));
    });
  }
});

describe("a JSON body", () => {
  const nested = (levels: number) => `{"query":"{ __typename }","extensions":${'{"a":'.repeat(levels - 1)}1${"}".repeat(levels - 1)}}`;
  const arrays = (levels: number) => `{"query":"{ __typename }","extensions":{"a":${"[".repeat(levels - 2)}${"]".repeat(levels - 2)}}}`;
  const padded = (bytes: number) => query.padEnd(bytes, " ");
  const limit = 4 * 1024 * 1024;

  it.each([
    ["objects", nested],
    ["lists", arrays],
  ])("may have up to 64 levels of %s", async (_name, body) => {
    expect(await post({ body: body(64) })).toMatchObject({ status: 200 });
    const { status, text } = await post({ body: body(65) });
    expect(status).toBe(400);
    expect(JSON.parse(text).errors[0]).toMatchObject({ message: expect.stringMatching(/64 levels/), extensions: { code: "BAD_REQUEST" } });
  });

  it("that is nested 100,000 levels deep is rejected", async () => {
    expect(await post({ body: arrays(100_000) })).toMatchObject({ status: 400 });
  });

  it("may have up to 4 MiB on /graphql", async () => {
    expect(await post({ body: padded(limit) })).toMatchObject({ status: 200 });
    const { status, text } = await post({ body: padded(limit + 1) });
    expect({ status, code: codeOf(text) }).toEqual({ status: 413, code: "PAYLOAD_TOO_LARGE" });
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
    ["encoding", { ...json, "content-encoding": "compress" }],
  ])("in an unsupported %s is rejected", async (_name, headers) => {
    const { status, text } = await post({ headers });
    expect({ status, code: codeOf(text) }).toEqual({ status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
  });

  it("that does not match its encoding is rejected", async () => {
    const { status, text } = await post({ headers: { ...json, "content-encoding": "gzip" } });
    expect({ status, code: codeOf(text) }).toEqual({ status: 400, code: "BAD_REQUEST" });
  });
});

describe("browsers on other origins", () => {
  const preflight = (target: Gateway, origin: string) =>
    target.fetch("/graphql", {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization,content-type" },
    });

  it("get no CORS headers unless configured", async () => {
    const responses = [await preflight(gateway, "https://a.example"), await gateway.fetch("/healthz", { headers: { origin: "https://a.example" } })];
    for (const { headers } of responses) {
      const names: string[] = [];
      headers.forEach((_value, name) => void names.push(name));
      expect(names.filter((name) => name.startsWith("access-control-allow"))).toEqual([]);
    }
  });

  it("are allowed only if listed in CORS_ORIGIN", async () => {
    const open = await gatewayForTest({ seed: "none", environment: { CORS_ORIGIN: "https://a.example, https://b.example" } });
    for (const origin of ["https://a.example", "https://b.example"]) {
      const { status, headers } = await preflight(open, origin);
      expect(status).toBe(204);
      expect(headers.get("access-control-allow-origin")).toBe(origin);
      expect(headers.get("access-control-allow-headers")).toMatch(/authorization/);
      expect(headers.get("vary")).toMatch(/origin/i);
    }
    expect((await preflight(open, "https://evil.example")).headers.get("access-control-allow-origin")).toBeNull();
    const response = await open.fetch("/healthz", { headers: { origin: "https://a.example" } });
    expect(response.headers.get("access-control-allow-origin")).toBe("https://a.example");
    expect(response.headers.get("access-control-expose-headers")).toMatch(/x-request-id/i);
  });
});
