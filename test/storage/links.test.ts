import { writeFile } from "node:fs/promises";
import path from "node:path";
import sharp from "sharp";
import { SignedLinks } from "../../src/engine/storage/signed-link.js";
import { sendRaw } from "../http/raw-request.js";
import { testSecrets } from "../support/environment.js";
import { createAlerts, createApiKey, createPlace, createWorkspace } from "../support/factories.js";
import type { Gateway } from "../support/harness.js";
import { openStore, type StoreUnderTest, storeKinds } from "../support/object-store.js";
import { TestSite } from "../support/test-site.js";

const _minute = 60_000;
const start = new Date("2026-11-20T09:20:00.000Z");
const publicUrl = "https://cameras.example";
const pictures = ["jpg", "png", "webp"] as const;
const secretContent = "secret content";

/** A gateway with alerts whose pictures are in a store. */
interface LinkSite {
  gateway: Gateway;
  opened: StoreUnderTest;
  alertIds: string[];
  /** An API key, because the expiry of tokens does not follow the test's clock. */
  authorization: string;
  close(): Promise<void>;
}

const sites = {} as Record<(typeof storeKinds)[number], LinkSite>;
let site: LinkSite;
let clock: Date;
beforeAll(async () => {
  clock = start;
  for (const kind of storeKinds) sites[kind] = await openSite(kind);
});
beforeEach(() => {
  clock = start;
});
afterAll(async () => {
  for (const kind of storeKinds) await sites[kind].close();
});

async function openSite(kind: (typeof storeKinds)[number]): Promise<LinkSite> {
  const testSite = await TestSite.open();
  const opened = await openStore(kind, testSite.directory);
  const gateway = await testSite.start({
    now: () => clock,
    environment: { PUBLIC_URL: publicUrl, ...opened.settings },
  });
  const picture = sharp({ create: { width: 8, height: 6, channels: 3, background: "teal" } });
  for (const extension of pictures)
    await opened.store.put(
      `alerts/picture.${extension}`,
      await picture.toFormat(extension === "jpg" ? "jpeg" : extension).toBuffer(),
    );
  // Next to the objects, with the file names of either store.
  for (const name of ["secrets.json", "secret.jpg", "secret.jpg._S3rver_object"])
    await writeFile(path.join(opened.directory, name), secretContent);
  const workspaceId = await createWorkspace(gateway.prisma);
  const { authorization } = await createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"] });
  const { facilityId, cameraId } = await createPlace(gateway.prisma, { workspaceId });
  const names = [...pictures.map((extension) => `picture.${extension}`), "gone.jpg"];
  const alertIds = await createAlerts(
    gateway.prisma,
    names.map((name) => ({ workspaceId, facilityId, cameraId, url: `alerts/${name}` })),
  );
  const close = async () => {
    await gateway.close();
    await opened.close();
    await testSite.remove();
  };
  return { gateway, opened, alertIds, authorization, close };
}

/** The link that the gateway returns for one of the pictures. */
async function linkTo(extension: (typeof pictures)[number] | "gone"): Promise<URL> {
  const { gateway, alertIds, authorization } = site;
  const id = alertIds[extension === "gone" ? pictures.length : pictures.indexOf(extension)];
  const { alert } = await gateway.data<{ alert: { url: string } }>(
    "query ($id: UUID!) { alert(id: $id) { url } }",
    {
      as: { authorization },
      variables: { id },
    },
  );
  return new URL(alert.url);
}

/** The path of a link on this gateway. */
const pathOf = (link: URL) => link.pathname + link.search;

async function expectNoLink(target: string): Promise<void> {
  const response = await site.gateway.fetch(target);
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({ status: "error", code: "NOT_FOUND", message: expect.any(String) });
}

describe.each(storeKinds)("a signed link to the %s store", (kind) => {
  beforeAll(() => {
    site = sites[kind];
  });

  it.each([
    ["jpg", "image/jpeg"],
    ["png", "image/png"],
    ["webp", "image/webp"],
  ] as const)("opens a %s picture without credentials", async (extension, type) => {
    const response = await site.gateway.fetch(pathOf(await linkTo(extension)));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(type);
    const { width, height } = await sharp(await response.arrayBuffer()).metadata();
    expect({ width, height }).toEqual({ width: 8, height: 6 });
  });

  it("prevents browsers from running scripts and sniffing types", async () => {
    const { headers } = await site.gateway.fetch(pathOf(await linkTo("jpg")), { redirect: "manual" });
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*sandbox/);
  });

  it.each([
    [
      "another signature",
      (link: URL) => link.searchParams.set("signature", `x${link.searchParams.get("signature")?.slice(1)}`),
    ],
    [
      "another key",
      (link: URL) => Object.assign(link, { pathname: link.pathname.replace("picture.jpg", "picture.png") }),
    ],
    [
      "another expiry",
      (link: URL) =>
        link.searchParams.set("expires", String(Number(link.searchParams.get("expires")) + 3600)),
    ],
    ["a signature of another length", (link: URL) => link.searchParams.append("signature", "x")],
  ])("is not found with %s", async (_name, tamper) => {
    const link = await linkTo("jpg");
    tamper(link);
    await expectNoLink(pathOf(link));
  });

  it("is not found as soon as it has expired by the gateway's clock", async () => {
    const link = await linkTo("jpg");
    const expires = new Date(Number(link.searchParams.get("expires")) * 1000);
    clock = new Date(expires.getTime() - 1);
    expect((await site.gateway.fetch(pathOf(link))).status).toBe(200);
    clock = expires;
    await expectNoLink(pathOf(link));
  });

  it("to a deleted file is not found, and the response is not cached", async () => {
    const target = pathOf(await linkTo("gone"));
    expect((await site.gateway.fetch(target)).status).toBe(404);
    const { headers } = await site.gateway.fetch(target, { redirect: "manual" });
    expect(headers.get("cache-control") ?? "").not.toMatch(/max-age=[1-9]|immutable/);
  });

  it("supports range requests", async () => {
    const target = pathOf(await linkTo("jpg"));
    const whole = Buffer.from(await (await site.gateway.fetch(target)).arrayBuffer());
    const response = await site.gateway.fetch(target, { headers: { range: "bytes=2-5" } });
    expect(response.status).toBe(206);
    expect(response.headers.get("content-range")).toBe(`bytes 2-5/${whole.length}`);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(whole.subarray(2, 6));
  });

  it("responds with 416 to a range beyond the end", async () => {
    const beyond = { headers: { range: "bytes=100000-" } };
    expect((await site.gateway.fetch(pathOf(await linkTo("jpg")), beyond)).status).toBe(416);
  });

  it("responds to HEAD as to GET, without the content", async () => {
    const target = pathOf(await linkTo("jpg"));
    const response = await site.gateway.fetch(target);
    const head = await site.gateway.fetch(target, { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe("");
    for (const name of ["content-type", "content-length", "etag"])
      expect(head.headers.get(name)).toBe(response.headers.get(name));
    expect(Number(response.headers.get("content-length"))).toBeGreaterThan(0);
  });

  it("allows no other method", async () => {
    const target = pathOf(await linkTo("jpg"));
    const response = await site.gateway.fetch(target, { method: "DELETE" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD");
    expect((await site.gateway.fetch(target)).status).toBe(200);
  });

  describe("with a path that leaves the store", () => {
    const paths = [
      "/files/../secret.jpg",
      "/files/alerts/../../secret.jpg",
      "/files/%2e%2e/secret.jpg",
      "/files/%252e%252e%252fsecret.jpg",
      "/files/..%5csecret.jpg",
      "/files/%2fetc%2fpasswd",
      "/files/alerts/picture.jpg%00.png",
    ];

    it.each(paths)("is not found even with a valid signature: %s", async (target) => {
      const links = new SignedLinks({
        publicUrl: () => "",
        secrets: [testSecrets.LINK_SECRET],
        now: () => clock,
      });
      const signed = links.urlFor(target.slice("/files/".length)) as string;
      const { status, text } = await sendRaw(site.gateway.url, { path: signed });
      expect(text).not.toContain(secretContent);
      expect({ status, code: JSON.parse(text).code }).toEqual({ status: 404, code: "NOT_FOUND" });
    });
  });
});

describe("a signed link to a local file", () => {
  beforeAll(() => {
    site = sites.local;
  });

  it("may be cached for an hour by the client but not by proxies", async () => {
    const { headers } = await site.gateway.fetch(pathOf(await linkTo("jpg")));
    expect(headers.get("cache-control")).toBe("private, max-age=3600, immutable");
  });

  it("responds with 304 if the ETag matches", async () => {
    const target = pathOf(await linkTo("jpg"));
    const etag = (await site.gateway.fetch(target)).headers.get("etag") ?? "";
    expect(etag).not.toBe("");
    const { status, text } = await sendRaw(site.gateway.url, {
      path: target,
      headers: { "if-none-match": etag },
    });
    expect({ status, text }).toEqual({ status: 304, text: "" });
  });

  it("checks the other preconditions as RFC 9110 says", async () => {
    const path = pathOf(await linkTo("jpg"));
    const { etag = "", "last-modified": modified = "" } = (await sendRaw(site.gateway.url, { path })).headers;
    expect(etag).toMatch(/^"[^"]+"$/);
    const statusOf = async (headers: Record<string, string>) =>
      (await sendRaw(site.gateway.url, { path, headers })).status;
    const [past, future] = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 2094 08:49:37 GMT"];
    const range = "bytes=0-3";
    const cases: [Record<string, string>, number][] = [
      [{ "if-match": etag }, 200],
      [{ "if-match": "*" }, 200],
      [{ "if-match": '"other"' }, 412],
      [{ "if-match": `W/${etag}` }, 412],
      [{ "if-unmodified-since": past }, 412],
      [{ "if-unmodified-since": past, "if-match": etag }, 200],
      [{ "if-none-match": '"other"', "if-modified-since": future }, 200],
      [{ "if-match": '"other"', "if-none-match": etag }, 412],
      [{ range, "if-range": etag }, 206],
      [{ range, "if-range": modified }, 206],
      [{ range, "if-range": `W/${etag}` }, 200],
      [{ range, "if-range": future }, 200],
    ];
    const actual = await Promise.all(cases.map(async ([headers]) => [headers, await statusOf(headers)]));
    expect(actual).toEqual(cases);
  });
});

describe("a signed link to an S3 object", () => {
  beforeAll(() => {
    site = sites.s3;
  });
  const redirection = (target: string) => site.gateway.fetch(target, { redirect: "manual" });
  const locationOf = async (target: string) => (await redirection(target)).headers.get("location") ?? "";

  it("redirects to the S3 server with a response that may not be cached", async () => {
    const { status, headers } = await redirection(pathOf(await linkTo("jpg")));
    expect({ status, caching: headers.get("cache-control") }).toEqual({
      status: 302,
      caching: "private, no-store",
    });
    expect(headers.get("location")?.split("?")[0]).toBe(
      `${site.opened.server?.url}/pictures/alerts/picture.jpg`,
    );
  });

  it("may be cached for an hour by the client but not by proxies", async () => {
    const { headers } = await fetch(await locationOf(pathOf(await linkTo("jpg"))));
    expect(headers.get("cache-control")).toBe("private, max-age=3600, immutable");
  });
});

describe("a signed link", () => {
  beforeAll(() => {
    site = sites.local;
  });

  it.each([
    ["2026-11-20T09:20:00.000Z", "2026-11-20T11:00:00.000Z"],
    ["2026-11-20T09:00:00.001Z", "2026-11-20T11:00:00.000Z"],
    ["2026-11-20T10:00:00.000Z", "2026-11-20T11:00:00.000Z"],
  ])("created at %s is valid until %s", async (createdAt, expires) => {
    clock = new Date(createdAt);
    const link = await linkTo("jpg");
    expect(new Date(Number(link.searchParams.get("expires")) * 1000).toISOString()).toBe(expires);
  });

  it("starts with PUBLIC_URL, whatever the request headers are", async () => {
    const { gateway, authorization, alertIds } = site;
    const { hostname, port } = new URL(gateway.url);
    const { text } = await sendRaw(gateway.url, {
      method: "POST",
      path: "/graphql",
      headers: {
        host: `evil.example:${port}`,
        "x-forwarded-host": "evil.example",
        "x-forwarded-proto": "gopher",
        forwarded: `host=evil.example;for=${hostname}`,
        authorization,
        "content-type": "application/json",
      },
      body: JSON.stringify({ query: `{ alert(id: "${alertIds[0]}") { url } }` }),
    });
    expect(JSON.parse(text).data.alert.url).toMatch(
      /^https:\/\/cameras\.example\/files\/alerts\/picture\.jpg\?/,
    );
    expect(text).not.toContain("evil.example");
  });
});
