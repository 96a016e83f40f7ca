import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signToken } from "../../src/access/jwt.js";
import { sendRaw } from "../http/raw-request.js";
import { testSecrets } from "../support/environment.js";
import { type Gateway, startGateway } from "../support/harness.js";
import { requestOf, routeCases, titled } from "../support/route-cases.js";
import { admin, createFleet, full } from "./fleet.js";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  await createFleet(gateway.prisma);
});
afterAll(() => gateway.close());

const gets = routeCases.filter(({ method }) => method === "get");
const reads = gets.filter(({ body }) => body !== "xlsx").map(titled);
const files = gets.filter(({ body }) => body === "xlsx").map(titled);

/** Sends a request as it is: `fetch` would ask for fresh answers by itself. */
async function send(path: string, headers: Record<string, string> = {}, method = "GET") {
  const token = await signToken(testSecrets.AUTH_JWT_SECRET, "test|admin", 3600, new Date());
  return sendRaw(gateway.url, { method, path, headers: { authorization: `Bearer ${token}`, ...headers } });
}

describe("HEAD is answered like GET without the body", () => {
  it.each(reads)("%s", async (_title, each) => {
    const target = requestOf(each, { ...full });
    const { headers, body } = await send(target);
    const head = await send(target, {}, "HEAD");
    const own = { date: head.headers.date, "x-request-id": head.headers["x-request-id"] };
    expect({ status: head.status, headers: head.headers, text: head.text }).toEqual({ status: 200, headers: { ...headers, ...own }, text: "" });
    expect(head.headers["content-length"]).toBe(String(body.length));
  });

  it("also when it fails", async () => {
    const failures: [object, number][] = [
      [{ authorization: "" }, 401],
      [{}, 404],
    ];
    for (const [headers, status] of failures) {
      const { status: answered, text } = await send(`/cameras/${full.jobId}`, { ...headers }, "HEAD");
      expect({ answered, text }).toEqual({ answered: status, text: "" });
    }
  });
});

describe("what did not change is answered 304 without a body", () => {
  it.each(reads)("%s", async (_title, each) => {
    const target = requestOf(each, { ...full });
    const { etag } = (await send(target)).headers;
    expect(etag).toMatch(/^(W\/)?"[^"]+"$/);
    const again = await send(target, { "if-none-match": `"other", ${etag}` });
    expect({ status: again.status, text: again.text, etag: again.headers.etag }).toEqual({ status: 304, text: "", etag });
    expect((await send(target, { "if-none-match": '"other"' })).status).toBe(200);
  });

  it("but not once it changed", async () => {
    const target = `/cameras/${full.cameraId}`;
    const { etag } = (await send(target)).headers;
    await gateway.prisma.camera.update({ where: { id: full.cameraId }, data: { statusDetail: "STREAM_ERROR" } });
    const again = await send(target, { "if-none-match": String(etag) });
    expect(again.status).toBe(200);
    expect(again.headers.etag).not.toBe(etag);
  });

  it("but not to somebody who may not see it", async () => {
    const { etag } = (await send("/cameras")).headers;
    expect((await send("/cameras", { "if-none-match": String(etag), authorization: "" })).status).toBe(401);
    const failure = await send(`/cameras/${full.jobId}`);
    expect((await send(`/cameras/${full.jobId}`, { "if-none-match": String(failure.headers.etag) })).status).toBe(404);
  });
});

describe("answers are for their caller alone", () => {
  it.each(reads)("%s", async (_title, each) => {
    const { headers } = await gateway.fetch(requestOf(each, { ...full }), { as: admin });
    expect(headers.get("cache-control")).toContain("private");
    expect(headers.get("vary")?.toLowerCase()).toContain("authorization");
  });
});

describe("a file is made anew each time, for its caller alone, and nobody keeps it", () => {
  it.each(files)("%s", async (_title, each) => {
    const { status, headers } = await send(requestOf(each, { ...full }), { "if-none-match": "*", "if-modified-since": new Date().toUTCString() });
    const { etag, "last-modified": modified, "cache-control": caching } = headers;
    expect({ status, etag, modified, caching }).toEqual({ status: 200, etag: undefined, modified: undefined, caching: "private, no-store" });
  });

  it.each(files)("%s, also when only its head is asked for", async (_title, each) => {
    const { headers } = await send(requestOf(each, { ...full }));
    const { "transfer-encoding": encoding, ...same } = headers;
    const head = await send(requestOf(each, { ...full }), {}, "HEAD");
    const own = { date: head.headers.date, "x-request-id": head.headers["x-request-id"] };
    expect(encoding).toBe("chunked");
    expect({ status: head.status, headers: head.headers, text: head.text }).toEqual({ status: 200, headers: { ...same, ...own }, text: "" });
  });
});

describe("a long answer is compressed", () => {
  it.each(["gzip", "br", "deflate"])("by %s when that is asked for", async (encoding) => {
    const plainly = await gateway.fetch("/cameras", { as: admin, headers: { "accept-encoding": "identity" } });
    const compressed = await gateway.fetch("/cameras", { as: admin, headers: { "accept-encoding": encoding } });
    expect([plainly.headers.get("content-encoding"), compressed.headers.get("content-encoding")]).toEqual([null, encoding]);
    expect(await compressed.text()).toBe(await plainly.text());
  });
});
