import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { signToken } from "../../src/access/jwt.js";
import { dataForTest } from "../operation/data.js";
import { addressOf, gatewaySettings, startCommand } from "../operation/running-command.js";
import { testSecrets } from "../support/environment.js";
import type { Seed } from "../support/templates.js";
import { type Answer, feedServerForTest, status } from "../writes/feed-server.js";
import { sendRaw } from "./raw-request.js";

interface Line {
  level: string;
  time: string;
  msg?: string;
  req?: { id: string; method: string; url: string; remoteAddress: string };
  res?: { statusCode: number };
}

const hex = (length: number) => (randomUUID() + randomUUID()).replaceAll("-", "").slice(0, length);

/** Lets a gateway of its own answer requests, stops it, and gives back what it said. */
async function logOf(
  LOG_LEVEL: string,
  send: (address: string) => Promise<unknown>,
  { seed = "none", environment = {} }: { seed?: Seed; environment?: Record<string, string> } = {},
): Promise<{ text: string; lines: Line[]; errors: string }> {
  const gateway = startCommand("main", { environment: gatewaySettings({ ...(await dataForTest(seed)), LOG_LEVEL, ...environment }) });
  const address = await addressOf(gateway);
  await send(address);
  gateway.signal("SIGTERM");
  const { code, output, errors } = await gateway.ended;
  expect(code).toBe(0);
  const afterBanner = output.slice(output.indexOf("The gateway is ready"));
  const text = afterBanner.slice(afterBanner.indexOf("\n\n") + 2);
  const lines = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Line);
  return { text: output, lines, errors };
}

describe("the log", () => {
  it.each(["trace", "info"])("at level %s holds no credentials, capabilities or link signatures", async (level) => {
    const secret = hex(64);
    const key = `cmk_${hex(32)}_${secret}`;
    const token = await signToken(testSecrets.AUTH_JWT_SECRET, "test|nobody", 3600, new Date());
    const requestIds = [randomUUID(), randomUUID(), randomUUID(), randomUUID().toUpperCase()] as const;
    const password = `sesame-${hex(12)}`;
    const signature = hex(43);
    const graphql = { method: "POST", path: "/graphql", body: JSON.stringify({ query: "{ me { id } }" }) };
    const json = { "content-type": "application/json" };
    const { text, errors, lines } = await logOf(level, async (address) => {
      const requests = [
        { ...graphql, headers: { ...json, authorization: `Bearer ${token}` } },
        { ...graphql, headers: { ...json, authorization: `Basic ${key}` } },
        { ...graphql, headers: { ...json, authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}`, cookie: `session=${secret}` } },
        { ...graphql, headers: json, body: `{"query":"{ me { id } }","token":"${token}` },
        { path: `/files/alerts/a.jpg?expires=9999999999&signature=${signature}` },
        { method: "POST", path: `/cameras/thumbnail/${requestIds[0]}` },
        { method: "POST", path: `/cameras/metadata/${requestIds[1]}?x=1` },
        { method: "POST", path: `/cameras/feedserver/error/${requestIds[2]}` },
        { method: "POST", path: `/Cameras/Thumbnail/${requestIds[3]}/` },
        { path: `/healthz?key=${key}` },
        { path: `/healthz?authorization=Basic%20${key}` },
        { path: `/healthz?a=1&access_token=${token}` },
        { path: `/healthz?token=${token}#here` },
        { path: `/healthz?authorization=Bearer%20${token}` },
        { path: `/healthz?url=rtsp://viewer:${password}@camera.example/stream` },
        { path: `/healthz?url=${encodeURIComponent(`rtsp://viewer:${password}@camera.example/stream`)}` },
      ];
      for (const each of requests) await sendRaw(address, each);
    });
    expect(lines.filter((line) => line.req)).toHaveLength(16);
    const said = `${text}${errors}`;
    const secrets = [secret, token, signature, password, ...requestIds];
    const leaks = said.split("\n").filter((line) => secrets.some((each) => line.toLowerCase().includes(each.toLowerCase())));
    expect(leaks).toEqual([]);
    expect(said).not.toContain(Buffer.from(`${key}:`).toString("base64"));
  });

  it("holds neither capabilities nor passwords of the streams that a feed server is asked for and reports of, well or badly", async () => {
    const feed = await feedServerForTest();
    const password = `sesame-${hex(12)}`;
    const streams = [status(202), status(503), status(400), (response) => response.destroy()] satisfies Answer[];
    const urls = streams.map((answer, index) => {
      const url = `rtsp://viewer:${password}@10.0.0.${index}/yard`;
      feed.answer(url, answer);
      return url;
    });
    const requestIds: string[] = [];
    const authorization = `Bearer ${await signToken(testSecrets.AUTH_JWT_SECRET, "demo|admin", 3600, new Date())}`;
    const { text, lines, errors } = await logOf(
      "trace",
      async (address) => {
        const graphql = async (query: string, variables: object = {}, headers: Record<string, string> = {}) => {
          const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify({ query, variables }) };
          return (await (await fetch(`${address}/graphql`, init)).json()) as { data: { facilities: { id: string }[]; made: { requestId: string } } };
        };
        const { data } = await graphql("{ facilities { id } }", {}, { authorization });
        const create = `mutation ($facilityId: UUID!, $input: CreateCameraInput!) { made: createCamera(facilityId: $facilityId, input: $input) { requestId } }`;
        for (const url of urls) {
          const variables = { facilityId: data.facilities[0]?.id, input: { name: "Gate", url, streamType: "DIRECT" } };
          requestIds.push((await graphql(create, variables, { authorization })).data.made.requestId);
        }
        await expect.poll(() => urls.filter((url) => feed.of(url).length === 0), { timeout: 10_000 }).toEqual([]);
        const tell = `mutation ($requestId: UUID!, $url: String!) { recordStreamThumbnail(requestId: $requestId, input: { url: $url }) { id } }`;
        for (const requestId of requestIds) {
          for (const url of ["https://feeds.example/yard.jpg", "javascript:1", "\ud800"]) {
            await graphql(tell, { requestId, url });
            const body = JSON.stringify({ url });
            await sendRaw(address, {
              method: "POST",
              path: `/cameras/thumbnail/${requestId}`,
              headers: { "content-type": "application/json" },
              body,
            });
          }
          await graphql(`mutation { recordStreamError(requestId: "${requestId}", input: { operation: 5 }) { id } }`);
          await sendRaw(address, { method: "PUT", path: `/cameras/metadata/${requestId}/` });
        }
      },
      { seed: "demo", environment: { FEED_SERVER_URL: feed.url } },
    );
    expect(lines.filter(({ msg }) => msg === "the feed server did not take a request").length).toBeGreaterThanOrEqual(3);
    const secrets = [password, ...requestIds];
    const leaks = `${text}${errors}`.split("\n").filter((line) => secrets.some((each) => line.toLowerCase().includes(each)));
    expect({ requestIds: requestIds.length, leaks }).toEqual({ requestIds: 4, leaks: [] });
  });

  it("has one line of JSON per request, with the id that was answered, the status and a level that fits", async () => {
    const ids: string[] = [];
    const { lines } = await logOf("info", async (address) => {
      for (const path of ["/healthz", "/no/such/path"]) ids.push((await sendRaw(address, { path })).headers["x-request-id"] as string);
      await sendRaw(address, { path: "/readyz", method: "HEAD", headers: { "x-request-id": "my-own-id" } });
    });
    const requests = lines.filter((line) => line.req);
    expect(requests.map(({ level, req, res }) => ({ level, id: req?.id, method: req?.method, url: req?.url, status: res?.statusCode }))).toEqual([
      { level: "info", id: ids[0], method: "GET", url: "/healthz", status: 200 },
      { level: "warn", id: ids[1], method: "GET", url: "/no/such/path", status: 404 },
      { level: "info", id: "my-own-id", method: "HEAD", url: "/readyz", status: 200 },
    ]);
    for (const { time } of lines) expect(new Date(time).toISOString()).toBe(time);
  });

  it("cannot be broken into by what a client sends", async () => {
    const { lines } = await logOf("info", (address) => sendRaw(address, { path: '/%0a{"level":"fatal"}?a="}%0d%0a' }));
    expect(lines.filter((line) => line.level === "fatal")).toEqual([]);
    expect(lines.filter((line) => line.req).map(({ req }) => req?.url)).toEqual(['/%0a{"level":"fatal"}?a="}%0d%0a']);
  });

  it("is silent about requests that went well when only errors are wanted", async () => {
    const { lines } = await logOf("error", (address) => sendRaw(address, { path: "/healthz" }));
    expect(lines).toEqual([]);
  });
});
