// Runs once: no database can influence what is tested here.
import { signToken } from "../../src/engine/access/jwt.js";
import { sendRaw } from "../http/raw-request.js";
import { testSecrets } from "../support/environment.js";
import { full, sharedFixedFleet } from "../support/fixed-fleet.js";
import { requestOf, routeCases, titled } from "../support/route-cases.js";
import { createTestWorkspace } from "../support/test-workspace.js";

const gateway = await sharedFixedFleet();

const gets = routeCases.filter(({ method }) => method === "get");
const reads = gets.filter(({ body }) => body !== "xlsx").map(titled);
const files = gets.filter(({ body }) => body === "xlsx").map(titled);

/** Sends a request unchanged. `fetch` would add its own cache headers. */
async function send(path: string, headers: Record<string, string> = {}, method = "GET", user = "test|admin") {
  const token = await signToken(testSecrets.AUTH_JWT_SECRET, user, 3600, new Date());
  return sendRaw(gateway.url, { method, path, headers: { authorization: `Bearer ${token}`, ...headers } });
}

it.each(reads)(
  "%s is private, HEAD has its headers alone, and 304 says that it is unchanged",
  async (_title, each) => {
    const target = requestOf(each, { ...full });
    const { headers, body } = await send(target);
    expect(headers).toMatchObject({
      "cache-control": expect.stringContaining("private"),
      vary: expect.stringMatching(/authorization/i),
      etag: expect.stringMatching(/^(W\/)?"[^"]+"$/),
      "content-length": String(body.length),
    });
    const head = await send(target, {}, "HEAD");
    const own = { date: head.headers.date, "x-request-id": head.headers["x-request-id"] };
    expect([head.status, head.text, head.headers]).toEqual([200, "", { ...headers, ...own }]);
    const again = await send(target, { "if-none-match": `"other", ${headers.etag}` });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, "", headers.etag]);
    expect((await send(target, { "if-none-match": '"other"' })).status).toBe(200);
  },
);

it("HEAD returns the same as GET without the body on failure", async () => {
  const failures: [object, number][] = [
    [{ authorization: "" }, 401],
    [{}, 404],
  ];
  for (const [headers, status] of failures) {
    const { status: actual, text } = await send(`/cameras/${full.jobId}`, { ...headers }, "HEAD");
    expect({ actual, text }).toEqual({ actual: status, text: "" });
  }
});

describe("an unchanged resource returns 304 without a body", () => {
  it("also for clients that send Cache-Control: no-cache with the condition, as Node's fetch does", async () => {
    for (const path of ["/cameras", "/docs/docs.js"]) {
      const { etag } = (await send(path)).headers;
      expect((await send(path, { "if-none-match": String(etag), "cache-control": "no-cache" })).status).toBe(
        304,
      );
    }
  });

  it("but not after it changed", async () => {
    const { admin, ids } = await createTestWorkspace(gateway.prisma);
    const sendAs = (headers = {}) =>
      send(`/cameras/${ids.cameraId}`, headers, "GET", (admin.user as { user: string }).user);
    const { etag } = (await sendAs()).headers;
    await gateway.prisma.camera.updateMany({
      where: { id: ids.cameraId },
      data: { statusDetail: "STREAM_ERROR" },
    });
    const again = await sendAs({ "if-none-match": String(etag) });
    expect(again.status).toBe(200);
    expect(again.headers.etag).not.toBe(etag);
  });

  it("but not to a caller who cannot see it", async () => {
    const { etag } = (await send("/cameras")).headers;
    expect((await send("/cameras", { "if-none-match": String(etag), authorization: "" })).status).toBe(401);
    const failure = await send(`/cameras/${full.jobId}`);
    expect(
      (await send(`/cameras/${full.jobId}`, { "if-none-match": String(failure.headers.etag) })).status,
    ).toBe(404);
  });
});

describe("preconditions are checked as RFC 9110 says", () => {
  const paths = [
    "/cameras",
    `/cameras/${full.cameraId}`,
    "/graphql?query=%7B__typename%7D",
    "/docs/docs.js",
    "/openapi.json",
    "/schema.graphql",
  ];

  it.each(paths)("%s, whose tag is weak, since it may be sent compressed", async (path) => {
    const { etag, vary, "last-modified": modified } = (await send(path)).headers;
    expect(etag).toMatch(/^W\//);
    expect(String(vary)).toMatch(/accept-encoding/i);
    const failed = { status: 412, text: "" };
    expect(await send(path, { "if-match": '"other"' })).toMatchObject(failed);
    expect(await send(path, { "if-match": String(etag) })).toMatchObject(failed);
    expect((await send(path, { "if-match": "*" })).status).toBe(200);
    const unmodified = await send(path, { "if-unmodified-since": "Sun, 06 Nov 1994 08:49:37 GMT" });
    expect(unmodified.status).toBe(modified === undefined ? 200 : 412);
    const known = await send(path, { "if-none-match": String(etag) });
    expect([known.status, String(known.headers.vary)]).toEqual([
      304,
      expect.stringMatching(/accept-encoding/i),
    ]);
    expect((await send(path, { range: "bytes=0-3", "if-range": String(etag) })).status).toBe(200);
  });

  it.each(files)("%s, which has no tag", async (_title, each) => {
    expect((await send(requestOf(each, { ...full }), { "if-match": '"other"' })).status).toBe(412);
  });

  it("of a failure do not matter", async () => {
    expect((await send(`/cameras/${full.jobId}`, { "if-match": '"other"' })).status).toBe(404);
    expect((await send("/cameras", { "if-match": '"other"', authorization: "" })).status).toBe(401);
  });
});

describe("a file is generated for each request and never cached", () => {
  it.each(files)("%s", async (_title, each) => {
    const { status, headers } = await send(requestOf(each, { ...full }), {
      "if-none-match": "*",
      "if-modified-since": new Date().toUTCString(),
    });
    const { etag, "last-modified": modified, "cache-control": caching } = headers;
    expect({ status, etag, modified, caching }).toEqual({
      status: 200,
      etag: undefined,
      modified: undefined,
      caching: "private, no-store",
    });
  });

  it.each(files)("%s, and HEAD returns the same headers", async (_title, each) => {
    const { headers } = await send(requestOf(each, { ...full }));
    const { "transfer-encoding": encoding, ...same } = headers;
    const head = await send(requestOf(each, { ...full }), {}, "HEAD");
    const own = { date: head.headers.date, "x-request-id": head.headers["x-request-id"] };
    expect(encoding).toBe("chunked");
    expect({ status: head.status, headers: head.headers, text: head.text }).toEqual({
      status: 200,
      headers: { ...same, ...own },
      text: "",
    });
  });
});
