import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { SignedLinks } from "../../src/storage/signed-link.js";
import { sendRaw } from "../http/raw-request.js";
import { testSecrets } from "../support/environment.js";
import { createAlerts, createApiKey, createCamera, createFacility, createWorkspace } from "../support/factories.js";
import { type Gateway, gatewayForTest } from "../support/harness.js";
import { newGround } from "../writes/ground.js";
import { openStore, type StoreUnderTest, storeKinds } from "./store-under-test.js";

const minute = 60_000;
const start = new Date("2026-11-20T09:20:00.000Z");
const publicUrl = "https://cameras.example/base";
const pictures = ["jpg", "png", "webp"] as const;
const jewels = "the crown jewels";

/** A gateway whose alerts have pictures in a store. */
interface Scene {
  gateway: Gateway;
  opened: StoreUnderTest;
  alertIds: string[];
  /** A key, because tokens have a time of their own. */
  authorization: string;
  close(): Promise<void>;
}

const scenes = {} as Record<(typeof storeKinds)[number], Scene>;
let scene: Scene;
let clock: Date;
beforeAll(async () => {
  clock = start;
  for (const kind of storeKinds) scenes[kind] = await newScene(kind);
});
beforeEach(() => {
  clock = start;
});
afterAll(async () => {
  for (const kind of storeKinds) await scenes[kind].close();
});

async function newScene(kind: (typeof storeKinds)[number]): Promise<Scene> {
  const ground = await newGround();
  const opened = await openStore(kind, ground.directory);
  const gateway = await ground.start({ now: () => clock, environment: { PUBLIC_URL: publicUrl, ...opened.settings } });
  const picture = sharp({ create: { width: 8, height: 6, channels: 3, background: "teal" } });
  for (const ending of pictures)
    await opened.store.put(`alerts/picture.${ending}`, await picture.toFormat(ending === "jpg" ? "jpeg" : ending).toBuffer());
  // Beside the objects, in the words of either store.
  for (const name of ["secrets.json", "secret.jpg", "secret.jpg._S3rver_object"]) await writeFile(path.join(opened.directory, name), jewels);
  const workspaceId = await createWorkspace(gateway.prisma, {});
  const { authorization } = await createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"] });
  const facilityId = await createFacility(gateway.prisma, { workspaceId });
  const cameraId = await createCamera(gateway.prisma, { workspaceId, facilityId });
  const names = [...pictures.map((ending) => `picture.${ending}`), "gone.jpg"];
  const alertIds = await createAlerts(
    gateway.prisma,
    names.map((name) => ({ workspaceId, facilityId, cameraId, url: `alerts/${name}` })),
  );
  const close = async () => {
    await gateway.close();
    await opened.close();
    await ground.remove();
  };
  return { gateway, opened, alertIds, authorization, close };
}

/** The link that the gateway shows for one of the pictures. */
async function linkTo(ending: (typeof pictures)[number] | "gone"): Promise<URL> {
  const { gateway, alertIds, authorization } = scene;
  const id = alertIds[ending === "gone" ? pictures.length : pictures.indexOf(ending)];
  const { alert } = await gateway.data<{ alert: { url: string } }>("query ($id: UUID!) { alert(id: $id) { url } }", {
    as: { authorization },
    variables: { id },
  });
  return new URL(alert.url);
}

/** Where a shown link leads on this gateway. */
const pathOf = (link: URL) => link.pathname.replace("/base", "") + link.search;

async function expectNoLink(target: string): Promise<void> {
  const response = await scene.gateway.fetch(target);
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({ status: "error", code: "NOT_FOUND", message: expect.any(String) });
}

describe.each(storeKinds)("a signed link to the store %s", (kind) => {
  beforeAll(() => {
    scene = scenes[kind];
  });

  it.each([
    ["jpg", "image/jpeg"],
    ["png", "image/png"],
    ["webp", "image/webp"],
  ] as const)("opens a %s picture without credentials", async (ending, type) => {
    const response = await scene.gateway.fetch(pathOf(await linkTo(ending)));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(type);
    const { width, height } = await sharp(await response.arrayBuffer()).metadata();
    expect({ width, height }).toEqual({ width: 8, height: 6 });
  });

  it("gives a browser nothing to run or to guess", async () => {
    const { headers } = await scene.gateway.fetch(pathOf(await linkTo("jpg")), { redirect: "manual" });
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*sandbox/);
  });

  it.each([
    ["signature", (link: URL) => link.searchParams.set("signature", `x${link.searchParams.get("signature")?.slice(1)}`)],
    ["key", (link: URL) => Object.assign(link, { pathname: link.pathname.replace("picture.jpg", "picture.png") })],
    ["expiry", (link: URL) => link.searchParams.set("expires", String(Number(link.searchParams.get("expires")) + 3600))],
    ["expiry that is no number", (link: URL) => link.searchParams.set("expires", "never")],
    ["expiry given twice", (link: URL) => link.searchParams.append("expires", "9999999999")],
    ["missing signature", (link: URL) => link.searchParams.delete("signature")],
    ["missing expiry", (link: URL) => link.searchParams.delete("expires")],
    ["signature of another length", (link: URL) => link.searchParams.append("signature", "x")],
  ])("is not found with another %s", async (_name, tamper) => {
    const link = await linkTo("jpg");
    tamper(link);
    await expectNoLink(pathOf(link));
  });

  it("is not found once its time has passed on the gateway's clock, and not a moment earlier", async () => {
    const link = await linkTo("jpg");
    const expires = new Date(Number(link.searchParams.get("expires")) * 1000);
    clock = new Date(expires.getTime() - 1);
    expect((await scene.gateway.fetch(pathOf(link))).status).toBe(200);
    clock = expires;
    await expectNoLink(pathOf(link));
  });

  it("to a file that is gone is not found, and no cache remembers that", async () => {
    const target = pathOf(await linkTo("gone"));
    expect((await scene.gateway.fetch(target)).status).toBe(404);
    const { headers } = await scene.gateway.fetch(target, { redirect: "manual" });
    expect(headers.get("cache-control") ?? "").not.toMatch(/max-age=[1-9]|immutable/);
  });

  it("made with another secret is not found", async () => {
    const links = new SignedLinks({ publicUrl: () => scene.gateway.url, secret: "another-secret-0123456789-0123456789", now: () => clock });
    await expectNoLink(links.show("alerts/picture.jpg") as string);
  });

  it("answers a part of a file when asked for it", async () => {
    const target = pathOf(await linkTo("jpg"));
    const whole = Buffer.from(await (await scene.gateway.fetch(target)).arrayBuffer());
    const response = await scene.gateway.fetch(target, { headers: { range: "bytes=2-5" } });
    expect(response.status).toBe(206);
    expect(response.headers.get("content-range")).toBe(`bytes 2-5/${whole.length}`);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(whole.subarray(2, 6));
  });

  it("answers 416 to who asks for a part beyond the end", async () => {
    const response = await scene.gateway.fetch(pathOf(await linkTo("jpg")), { headers: { range: "bytes=100000-" } });
    expect(response.status).toBe(416);
  });

  it("answers HEAD as GET, without the content", async () => {
    const target = pathOf(await linkTo("jpg"));
    const got = await scene.gateway.fetch(target);
    const head = await scene.gateway.fetch(target, { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe("");
    for (const name of ["content-type", "content-length", "etag"]) expect(head.headers.get(name)).toBe(got.headers.get(name));
    expect(Number(got.headers.get("content-length"))).toBeGreaterThan(0);
  });

  it("takes no other method", async () => {
    const target = pathOf(await linkTo("jpg"));
    const response = await scene.gateway.fetch(target, { method: "DELETE" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD");
    expect((await scene.gateway.fetch(target)).status).toBe(200);
  });

  it("does not tell a file that exists from one that does not when it is not good", async () => {
    const answers = await Promise.all(
      ["picture", "nothing"].map((name) => scene.gateway.fetch(`/files/alerts/${name}.jpg?expires=9999999999&signature=${randomUUID()}`)),
    );
    const [there, absent] = await Promise.all(answers.map((answer) => answer.text()));
    expect(there).toBe(absent);
  });

  describe("with a path out of the store", () => {
    const paths = [
      "/files/../secrets.json",
      "/files/../secret.jpg",
      "/files/alerts/../../secret.jpg",
      "/files/%2e%2e/secret.jpg",
      "/files/..%2fsecret.jpg",
      "/files/%252e%252e%252fsecret.jpg",
      "/files/..\\secret.jpg",
      "/files/..%5csecret.jpg",
      "/files//etc/passwd",
      "/files/%2fetc%2fpasswd",
      "/files/alerts/picture.jpg%00.png",
      "/files/../secrets.json%00.jpg",
      "/files/./alerts/../../secret.jpg",
    ];

    it.each(paths)("is not found: %s", async (target) => {
      const { status, text } = await sendRaw(scene.gateway.url, { path: target });
      expect({ status, code: JSON.parse(text).code }).toEqual({ status: 404, code: "NOT_FOUND" });
    });

    it.each(paths)("is not found even with a good signature: %s", async (target) => {
      const links = new SignedLinks({ publicUrl: () => "", secret: testSecrets.LINK_SECRET, now: () => clock });
      const signed = links.show(target.slice("/files/".length)) as string;
      const { status, text } = await sendRaw(scene.gateway.url, { path: signed });
      expect(text).not.toContain(jewels);
      expect({ status, code: JSON.parse(text).code }).toEqual({ status: 404, code: "NOT_FOUND" });
    });
  });
});

describe("a signed link to a file", () => {
  beforeAll(() => {
    scene = scenes.local;
  });

  it("lets who opened it keep the picture for an hour, and nobody between", async () => {
    const { headers } = await scene.gateway.fetch(pathOf(await linkTo("jpg")));
    expect(headers.get("cache-control")).toBe("private, max-age=3600, immutable");
  });

  it("answers 304 to who has the file already", async () => {
    const target = pathOf(await linkTo("jpg"));
    const etag = (await scene.gateway.fetch(target)).headers.get("etag") ?? "";
    expect(etag).not.toBe("");
    const { status, text } = await sendRaw(scene.gateway.url, { path: target, headers: { "if-none-match": etag } });
    expect({ status, text }).toEqual({ status: 304, text: "" });
  });
});

describe("a signed link to an object of S3", () => {
  beforeAll(() => {
    scene = scenes.s3;
  });
  const redirection = (target: string) => scene.gateway.fetch(target, { redirect: "manual" });
  const addressOf = async (target: string) => (await redirection(target)).headers.get("location") ?? "";

  it("sends who opens it to the S3 server, in an answer that nobody may keep", async () => {
    const { status, headers } = await redirection(pathOf(await linkTo("jpg")));
    expect({ status, caching: headers.get("cache-control") }).toEqual({ status: 302, caching: "private, no-store" });
    expect(headers.get("location")?.split("?")[0]).toBe(`${scene.opened.server?.url}/pictures/alerts/picture.jpg`);
  });

  it("lets who opened it keep the picture for an hour, and nobody between", async () => {
    const { headers } = await fetch(await addressOf(pathOf(await linkTo("jpg"))));
    expect(headers.get("cache-control")).toBe("private, max-age=3600, immutable");
  });

  it("leads to a fresh address each time, however short each is good", async () => {
    const target = pathOf(await linkTo("jpg"));
    const first = await addressOf(target);
    expect((await fetch(first)).status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 6 * minute });
    onTestFinished(() => void vi.useRealTimers());
    expect((await fetch(first)).status).toBe(403);
    expect((await fetch(await addressOf(target))).status).toBe(200);
  });
});

describe("a signed link", () => {
  beforeAll(() => {
    scene = scenes.local;
  });

  it.each([
    ["2026-11-20T09:20:00.000Z", "2026-11-20T11:00:00.000Z"],
    ["2026-11-20T09:00:00.001Z", "2026-11-20T11:00:00.000Z"],
    ["2026-11-20T10:00:00.000Z", "2026-11-20T11:00:00.000Z"],
  ])("made at %s is good until %s", async (made, expires) => {
    clock = new Date(made);
    const link = await linkTo("jpg");
    expect(new Date(Number(link.searchParams.get("expires")) * 1000).toISOString()).toBe(expires);
  });

  it("stays the same within the hour and changes with the next", async () => {
    const link = await linkTo("jpg");
    clock = new Date(start.getTime() + 39 * minute);
    expect(await linkTo("jpg")).toEqual(link);
    clock = new Date(start.getTime() + 41 * minute);
    expect(await linkTo("jpg")).not.toEqual(link);
  });

  it("begins with PUBLIC_URL alone, whatever the request says", async () => {
    const { gateway, authorization, alertIds } = scene;
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
    expect(JSON.parse(text).data.alert.url).toMatch(/^https:\/\/cameras\.example\/base\/files\/alerts\/picture\.jpg\?/);
    expect(text).not.toContain("evil.example");
  });

  it("counts against its address when it is not good", async () => {
    const strict = await gatewayForTest({ seed: "none", environment: { RATE_LIMIT: "on", RATE_LIMIT_ADDRESS: "2" } });
    const answers = [];
    for (let attempt = 0; attempt < 3; attempt += 1) answers.push(await strict.fetch("/files/alerts/picture.jpg?expires=1&signature=x"));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 429]);
    expect(Number(answers[2]?.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
