// Runs on the embedded database: only its demo has a ready token.
import { once } from "node:events";
import { connect } from "node:net";
import { readEnvironment } from "../../src/engine/settings/environment.js";
import type { Runtime } from "../../src/programs/gateway/runtime.js";
import { demoToken, demoUserOf } from "../../src/programs/gateway/workers/demo.js";
import { sendRaw } from "../http/raw-request.js";
import { testSecrets } from "../support/environment.js";
import { ownGateway } from "../support/harness.js";

const origin = "https://evil.example";

const gateway = await ownGateway({ seed: "demo", environment: { CORS_ORIGIN: "*" } });

const token = /eyJ[\w-]+\.[\w-]+\.[\w-]+/;
const pages = ["/", "/graphql", "/docs"];

/** Requests a page as a browser does that has opened it under a host name. */
async function open(path: string, headers: Record<string, string> = {}) {
  const { url } = gateway;
  const host = new URL(url).host.replace("127.0.0.1", "localhost");
  return sendRaw(url, { path, headers: { host, accept: "text/html,*/*;q=0.8", ...headers } });
}

const allowing = (headers: object) =>
  Object.keys(headers).filter((name) => name.startsWith("access-control-"));

describe.each(pages)("the page %s", (path) => {
  it.each(["localhost:4000", "127.0.0.1:4000", "[::1]:4000"])(
    "has a ready token when opened as %s",
    async (host) => {
      const browser = {
        "sec-fetch-mode": "navigate",
        "accept-language": "en",
        cookie: "a=b",
        referer: "http://localhost:3000/",
        dnt: "1",
      };
      const { status, text } = await open(path, { host, ...browser });
      expect(status).toBe(200);
      expect(text).toMatch(token);
    },
  );

  it.each([
    ["Forwarded", "for=192.0.2.1"],
    ["X-Forwarded", "yes"],
    ["X-Forwarded-For", "192.0.2.1"],
    ["X-Forwarded-Host", "cameras.example"],
    ["Via", "1.1 proxy"],
    ["X-Real-IP", "192.0.2.1"],
    ["CF-Connecting-IP", "192.0.2.1"],
    ["CDN-Loop", "cloudflare"],
    ["True-Client-IP", "192.0.2.1"],
    ["X-Client-IP", "192.0.2.1"],
    ["X-Cluster-Client-IP", "192.0.2.1"],
    ["Fastly-Client-IP", "192.0.2.1"],
    ["X-Envoy-External-Address", "192.0.2.1"],
    ["X-Amzn-Trace-Id", "Root=1"],
    ["X-Request-Id", "1"],
  ])("has none behind a proxy that sends %s", async (name, value) => {
    const { status, text } = await open(path, { [name]: value });
    expect(status).toBe(200);
    expect(text).not.toMatch(token);
  });

  it.each(["cameras.example", "localhost.evil.example", "127.0.0.1.evil.example"])(
    "has none when opened as %s",
    async (host) => {
      const { status, text } = await open(path, { host });
      expect(status).toBe(200);
      expect(text).not.toMatch(token);
    },
  );

  it("has none behind a proxy that replaces the Host and adds nothing, which speaks HTTP/1.0", async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname).setEncoding("utf8");
    socket.write(
      `GET ${path} HTTP/1.0\r\nHost: localhost:${port}\r\nConnection: close\r\nAccept: text/html\r\n\r\n`,
    );
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    await once(socket, "end");
    expect(text).toMatch(/^HTTP\/1.1 200 [\s\S]*<\/html>/);
    expect(text).not.toMatch(token);
  });

  it("has no CORS headers, even if all origins are allowed", async () => {
    for (const Accept of ["text/html", "text/html,*/*;q=0.8"]) {
      const { status, headers } = await open(path, { origin, accept: Accept });
      expect({ status, type: headers["content-type"] }).toEqual({
        status: 200,
        type: "text/html; charset=utf-8",
      });
      expect(allowing(headers)).toEqual([]);
    }
  });
});

it("neither files of pages nor preflights of pages have CORS headers", async () => {
  const scriptOf = async (path: string) =>
    /<script type="module"[^>]* src="([^"]+)"/.exec((await open(path)).text)?.[1] as string;
  const loaded = [await scriptOf("/"), await scriptOf("/graphql"), "/docs/docs.js", "/favicon.svg"];
  for (const path of loaded) {
    const { status, headers } = await open(path, { origin });
    expect({ status, allowing: allowing(headers) }).toEqual({ status: 200, allowing: [] });
  }
  const headers = {
    origin,
    "access-control-request-method": "GET",
    "access-control-request-headers": "authorization",
  };
  for (const path of [...loaded, "/", "/docs", "/docs/"]) {
    expect(allowing((await sendRaw(gateway.url, { method: "OPTIONS", path, headers })).headers)).toEqual([]);
  }
});

it("the APIs keep their CORS headers", async () => {
  const json = { origin, accept: "application/json" };
  for (const path of ["/openapi.json", "/graphql?query={__typename}", "/cameras"]) {
    expect((await sendRaw(gateway.url, { path, headers: json })).headers["access-control-allow-origin"]).toBe(
      "*",
    );
  }
  const preflight = {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization",
  };
  const { status, headers } = await sendRaw(gateway.url, {
    method: "OPTIONS",
    path: "/graphql",
    headers: preflight,
  });
  expect({ status, origin: headers["access-control-allow-origin"] }).toEqual({ status: 204, origin: "*" });
});

describe("the token that all pages start with", () => {
  const request = {
    headers: { host: "localhost:4000" },
    hostname: "localhost",
    httpVersion: "1.1",
    socket: { remoteAddress: "127.0.0.1" },
  };
  const initialToken = async (settings: Record<string, string | undefined>) => {
    const environment = readEnvironment({ ...testSecrets, ...settings });
    const { database } = gateway.app;
    const runtime = { environment, now: () => new Date() } as Runtime;
    return demoToken(
      runtime,
      database,
      await demoUserOf(environment, database),
    )(request as Parameters<ReturnType<typeof demoToken>>[0]);
  };

  it("is there with the usual settings", async () => {
    expect(await initialToken({})).toMatch(token);
  });

  it.each([{ TRUST_PROXY: "false" }, { NODE_ENV: "production" }, { HOST: "0.0.0.0" }])(
    "is not there with %o",
    async (settings) => {
      expect(await initialToken(settings)).toBeUndefined();
    },
  );
});
