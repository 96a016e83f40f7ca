// Runs once, as the database does not matter here.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signToken } from "../../src/access/jwt.js";
import { testSecrets } from "../support/environment.js";
import { dataForTest, freshData } from "../support/harness.js";
import { addressOf, gatewaySettings, RunningCommand, startCommand } from "../support/running-command.js";
import type { Seed } from "../support/templates.js";
import { feedServerForTest, type Responder, status } from "../writes/feed-server.js";
import { sendRaw } from "./raw-request.js";

interface Line {
  level: string;
  time: string;
  msg?: string;
  req?: { id: string; method: string; url: string; remoteAddress: string };
  res?: { statusCode: number };
}

const hex = (length: number) => (randomUUID() + randomUUID()).replaceAll("-", "").slice(0, length);

const linesOf = (text: string): Line[] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Line);

/** Starts a gateway, sends it requests, stops it, and returns its output. */
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
  return { text: output, lines: linesOf(afterBanner.slice(afterBanner.indexOf("\n\n") + 2)), errors };
}

describe("the log", () => {
  it.each(["trace", "info"])("at level %s contains no credentials, requestIds, or link signatures", async (level) => {
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
    const logged = `${text}${errors}`;
    const secrets = [secret, token, signature, password, ...requestIds];
    const leaks = logged.split("\n").filter((line) => secrets.some((each) => line.toLowerCase().includes(each.toLowerCase())));
    expect(leaks).toEqual([]);
    expect(logged).not.toContain(Buffer.from(`${key}:`).toString("base64"));
  });

  it("contains no requestIds or stream passwords from feed server requests and reports, whether they succeed or fail", async () => {
    const feed = await feedServerForTest();
    const password = `sesame-${hex(12)}`;
    const responders = [status(202), status(503), status(400), (response) => response.destroy()] satisfies Responder[];
    const urls = responders.map((responder, index) => {
      const url = `rtsp://viewer:${password}@10.0.0.${index}/yard`;
      feed.respondWith(url, responder);
      return url;
    });
    const requestIds: string[] = [];
    const authorization = `Bearer ${await signToken(testSecrets.AUTH_JWT_SECRET, "demo|admin", 3600, new Date())}`;
    const { text, lines, errors } = await logOf(
      "trace",
      async (address) => {
        const graphql = async (query: string, variables: object = {}, headers: Record<string, string> = {}) => {
          const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify({ query, variables }) };
          return (await (await fetch(`${address}/graphql`, init)).json()) as {
            data: { facilities: { id: string }[]; created: { requestId: string } };
          };
        };
        const { data } = await graphql("{ facilities { id } }", {}, { authorization });
        const create = `mutation ($facilityId: UUID!, $input: CreateCameraInput!) { created: createCamera(facilityId: $facilityId, input: $input) { requestId } }`;
        for (const url of urls) {
          const variables = { facilityId: data.facilities[0]?.id, input: { name: "Gate", url, streamType: "DIRECT" } };
          requestIds.push((await graphql(create, variables, { authorization })).data.created.requestId);
        }
        await expect.poll(() => urls.filter((url) => feed.deliveriesOf(url).length === 0), { timeout: 10_000 }).toEqual([]);
        const report = `mutation ($requestId: UUID!, $url: String!) { recordStreamThumbnail(requestId: $requestId, input: { url: $url }) { id } }`;
        for (const requestId of requestIds) {
          for (const url of ["https://feeds.example/yard.jpg", "javascript:1", "\ud800"]) {
            await graphql(report, { requestId, url });
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
    expect(lines.filter(({ msg }) => msg === "the feed server did not accept a stream request").length).toBeGreaterThanOrEqual(3);
    const secrets = [password, ...requestIds];
    const leaks = `${text}${errors}`.split("\n").filter((line) => secrets.some((each) => line.toLowerCase().includes(each)));
    expect({ requestIds: requestIds.length, leaks }).toEqual({ requestIds: 4, leaks: [] });
  });

  describe("at level info", () => {
    let gateway: RunningCommand;
    let address: string;
    let cleanUp: () => Promise<void>;
    beforeAll(async () => {
      const data = await freshData("none");
      cleanUp = data.cleanUp;
      gateway = new RunningCommand("main", { environment: gatewaySettings({ ...data.variables, LOG_LEVEL: "info" }) });
      address = await addressOf(gateway);
    });
    afterAll(async () => {
      gateway.signal("SIGTERM");
      expect((await gateway.ended).code).toBe(0);
      await cleanUp();
    });

    /** The lines logged while requests are handled, up to a final marker request. */
    async function linesAfter(send: (address: string) => Promise<unknown>): Promise<Line[]> {
      const start = gateway.output.length;
      await send(address);
      const last = randomUUID();
      await sendRaw(address, { path: "/healthz", headers: { "x-request-id": last } });
      await gateway.said(new RegExp(`${last}.*\\n`));
      return linesOf(gateway.output.slice(start)).filter(({ req }) => req?.id !== last);
    }

    it("has one line of JSON per request, with the returned id, the status, and a matching level", async () => {
      const ids: string[] = [];
      const lines = await linesAfter(async (address) => {
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

    it("is not open to log injection", async () => {
      const lines = await linesAfter((address) => sendRaw(address, { path: '/%0a{"level":"fatal"}?a="}%0d%0a' }));
      expect(lines.filter((line) => line.level === "fatal")).toEqual([]);
      expect(lines.filter((line) => line.req).map(({ req }) => req?.url)).toEqual(['/%0a{"level":"fatal"}?a="}%0d%0a']);
    });
  });

  it("omits successful requests at level error", async () => {
    const { lines } = await logOf("error", (address) => sendRaw(address, { path: "/healthz" }));
    expect(lines).toEqual([]);
  });
});
