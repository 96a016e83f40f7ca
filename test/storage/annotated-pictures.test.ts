// Runs once: no database can influence what is tested here.

import { randomUUID } from "node:crypto";
import sharp from "sharp";
import { DerivedPictures } from "../../src/engine/storage/derived-pictures.js";
import { PictureConversions } from "../../src/engine/storage/picture-conversions.js";
import { SignedLinks } from "../../src/engine/storage/signed-link.js";
import { TemporaryFiles } from "../../src/engine/storage/temporary-files.js";
import { testSecrets } from "../support/environment.js";
import { createAdmin, createAlerts, createPlace, type TestUser } from "../support/factories.js";
import type { Gateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { contentOf, openStore, type StoreUnderTest } from "../support/object-store.js";
import type { S3Server } from "../support/s3-server.js";
import { TcpProxy } from "../support/tcp-proxy.js";
import { TestSite } from "../support/test-site.js";

const hour = 3_600_000;
const start = new Date("2026-11-20T09:20:00.000Z");
const background = { r: 90, g: 100, b: 110 };
/** On a canvas of twice the size of the picture. */
const canvasDimensions = { width: 800, height: 600 };
const area = [
  { x: 200, y: 100 },
  { x: 600, y: 100 },
  { x: 600, y: 500 },
  { x: 200, y: 500 },
];
const violatingCoordinates = [{ x: 400, y: 300 }];
const geometry = { canvasDimensions, area, violatingCoordinates };

/** On a server: the pictures of other sites are in the local store. */
let testSite: TestSite;
let opened: StoreUnderTest;
/** The way of the gateway to the server of the store. */
let network: TcpProxy;
let gateway: Gateway;
let user: TestUser;
let camera: { workspaceId: string; facilityId: string; cameraId: string };
let clock: Date;

type AlertValues = Partial<Parameters<typeof createAlerts>[1][number]>;

async function newAlert(values: AlertValues): Promise<string> {
  const [id = ""] = await createAlerts(gateway.prisma, [{ ...camera, ...values }]);
  return id;
}

/** Stores a plain picture in its upright form. */
async function storedPicture({ width = 400, height = 300, orientation = 1 } = {}): Promise<string> {
  const size = orientation > 4 ? { width: height, height: width } : { width, height };
  const picture = sharp({ create: { ...size, channels: 3, background } }).withMetadata({ orientation });
  const key = `pictures/${randomUUID()}.jpg`;
  await opened.store.put(key, await picture.jpeg().toBuffer());
  return key;
}

const newAnnotatedAlert = async () => newAlert({ url: await storedPicture(), ...geometry });

async function linkTo(id: string): Promise<string | null> {
  const query = "query ($id: UUID!) { alert(id: $id) { annotatedUrl } }";
  const { alert } = await gateway.data<{ alert: { annotatedUrl: string | null } }>(query, {
    as: user.as,
    variables: { id },
  });
  return alert.annotatedUrl;
}

const open = async (id: string) => gateway.fetch((await linkTo(id)) as string);
const keyOf = (alertId: string) => `annotated/${camera.workspaceId}/${alertId}.jpg`;
const isStored = async (alertId: string) => (await contentOf(opened.store, keyOf(alertId))) !== undefined;

/** Reads pixels of a picture. */
async function pixelsOf(content: ArrayBuffer | Buffer) {
  const { data, info } = await sharp(content).raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => {
    const [r = 0, g = 0, b = 0] = data.subarray((y * info.width + x) * info.channels);
    return { r, g, b };
  };
  return { size: { width: info.width, height: info.height }, at };
}

type Color = Awaited<ReturnType<typeof pixelsOf>>["at"] extends (x: number, y: number) => infer Result
  ? Result
  : never;
const isBackground = ({ r, g, b }: Color) =>
  Math.abs(r - background.r) + Math.abs(g - background.g) + Math.abs(b - background.b) < 12;
const isReddish = ({ r, g }: Color) => r > g + 12;
const isRed = ({ r, g }: Color) => r > g + 90;
const isYellow = ({ r, g, b }: Color) => Math.min(r, g) > b + 60;

/** Makes the gateway delete everything that is due. */
async function runRemovals(): Promise<void> {
  await deleteAlert(await newAlert({}));
  await gateway.app.idle();
}

async function deleteAlert(id: string): Promise<void> {
  const response = await gateway.fetch(`/alerts/${id}`, { method: "DELETE", as: user.as });
  expect(response.status, await response.text()).toBe(200);
}

async function expectNotFound(response: Response): Promise<void> {
  expect({ status: response.status, code: (await response.json()).code }).toEqual({
    status: 404,
    code: "NOT_FOUND",
  });
}

beforeAll(async () => {
  clock = start;
  testSite = await TestSite.open();
  opened = await openStore("s3", testSite.directory);
  network = await TcpProxy.open((opened.server as S3Server).url);
  gateway = await testSite.start({
    now: () => clock,
    environment: { ...opened.settings, S3_ENDPOINT: network.url },
  });
  camera = await createPlace(gateway.prisma);
  user = await createAdmin(gateway.prisma, camera.workspaceId);
});
afterAll(async () => {
  await gateway.close();
  await network.disconnect();
  await opened.close();
  await testSite.remove();
});

beforeEach(() => {
  clock = start;
});

describe("the annotated picture of an alert", () => {
  it("is a JPEG that opens without credentials, the first time and later", async () => {
    const id = await newAnnotatedAlert();
    const [first, later] = [await open(id), await open(id)];
    for (const response of [first, later]) {
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
      expect(response.headers.get("cache-control")).toBe("private, max-age=3600, immutable");
    }
    expect(await later.arrayBuffer()).toEqual(await first.arrayBuffer());
  });

  it("is gone with its alert", async () => {
    const id = await newAnnotatedAlert();
    const link = (await linkTo(id)) as string;
    await gateway.fetch(link);
    await deleteAlert(id);
    await expectNotFound(await gateway.fetch(link));
    await gateway.app.idle();
    expect(await isStored(id)).toBe(false);
  });

  it("is deleted after a day, and drawn again for the next who opens it", async () => {
    const id = await newAnnotatedAlert();
    await open(id);
    clock = new Date(start.getTime() + 23 * hour);
    await runRemovals();
    expect(await isStored(id)).toBe(true);
    clock = new Date(start.getTime() + 24 * hour);
    await runRemovals();
    expect(await isStored(id)).toBe(false);
    expect((await open(id)).status).toBe(200);
    expect(await isStored(id)).toBe(true);
  });

  it("is not found if the picture is missing", async () => {
    await expectNotFound(await open(await newAlert({ url: `pictures/${randomUUID()}.jpg`, ...geometry })));
  });
});

describe("an annotated picture", () => {
  it.each([
    ["upright", 1],
    ["turned by its metadata", 6],
  ])("shows area and coordinates where they are, scaled from the canvas: %s", async (_name, orientation) => {
    const id = await newAlert({ url: await storedPicture({ orientation }), ...geometry });
    const { size, at } = await pixelsOf(await (await open(id)).arrayBuffer());
    expect(size).toEqual({ width: 400, height: 300 });
    for (const [x, y] of [
      [100, 150],
      [300, 120],
      [150, 50],
      [250, 250],
    ] as const)
      expect(isRed(at(x, y)), `the outline at ${x}, ${y}`).toBe(true);
    for (const [x, y] of [
      [120, 70],
      [280, 230],
    ] as const)
      expect(isReddish(at(x, y)) && !isRed(at(x, y)), `the area at ${x}, ${y}`).toBe(true);
    for (const [x, y] of [
      [20, 20],
      [90, 150],
      [310, 150],
      [200, 260],
    ] as const)
      expect(isBackground(at(x, y)), `the picture at ${x}, ${y}`).toBe(true);
    expect(isYellow(at(200, 150 - 6)), "the ring around the point").toBe(true);
    expect(isYellow(at(200, 150)), "the point itself").toBe(false);
  });

  it.each([
    ["the dimensions of the picture", { imageDimensions: canvasDimensions }, 1],
    ["the picture itself", {}, 2],
  ])("without a canvas refers to %s", async (_name, values, divisor) => {
    const scaled = area.map(({ x, y }) => ({ x: x / divisor, y: y / divisor }));
    const id = await newAlert({ url: await storedPicture(), ...values, area: scaled });
    const { at } = await pixelsOf(await (await open(id)).arrayBuffer());
    expect([isRed(at(100, 150)), isBackground(at(90, 150))]).toEqual([true, true]);
  });

  it("has at most 1920 pixels on the longer side", async () => {
    const id = await newAlert({ url: await storedPicture({ width: 1500, height: 3000 }), ...geometry });
    const { size } = await pixelsOf(await (await open(id)).arrayBuffer());
    expect(size).toEqual({ width: 960, height: 1920 });
  });

  it("shows the part inside the picture of an area that reaches far beyond", async () => {
    const far = [
      { x: 400, y: -1e308 },
      { x: 1e308, y: 300 },
      { x: 400, y: 1e308 },
    ];
    const id = await newAlert({
      url: await storedPicture(),
      canvasDimensions,
      area: far,
      violatingCoordinates: [{ x: -1e308, y: 1e308 }],
    });
    const { at } = await pixelsOf(await (await open(id)).arrayBuffer());
    expect([isBackground(at(190, 150)), isRed(at(200, 150)), isReddish(at(380, 20))]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it.each<[string, AlertValues]>([
    ["no picture", geometry],
    ["a picture elsewhere", { url: "https://pictures.example/1.jpg", ...geometry }],
    ["no geometry", { url: "pictures/1.jpg", canvasDimensions }],
  ])("is null for an alert with %s", async (_name, values) => {
    expect(await linkTo(await newAlert(values))).toBeNull();
  });

  it("is not found by the link of another alert, of whichever workspace", async () => {
    const [own, other] = [await newAnnotatedAlert(), await newAnnotatedAlert()];
    await expectNotFound(await gateway.fetch(((await linkTo(own)) as string).replace(own, other)));
    // Signed with the gateway's secret, but for an alert of another workspace.
    const links = new SignedLinks({
      publicUrl: () => "",
      secrets: [testSecrets.LINK_SECRET],
      now: () => clock,
    });
    await expectNotFound(await gateway.fetch(links.urlFor(`annotated/${randomUUID()}/${own}.jpg`) as string));
    await expectNotFound(await gateway.fetch(links.urlFor(`annotated/${own}.jpg`) as string));
  });

  it("opens while an earlier one of its alert is being deleted, and is not kept then", async () => {
    const { workspaceId } = camera;
    const id = await newAnnotatedAlert();
    const key = keyOf(id);
    const claimedUntil = new Date(start.getTime() + hour);
    await gateway.prisma.objectRemoval.create({ data: { workspaceId, key, dueAt: start, claimedUntil } });
    expect((await open(id)).status).toBe(200);
    expect(await isStored(id)).toBe(false);
    await gateway.prisma.objectRemoval.deleteMany({ where: { workspaceId, key } });
  });

  it("makes room for another if its workspace has too many", async () => {
    const { prisma } = gateway;
    const { workspaceId } = camera;
    const others = listOf(2_000, (index) => ({
      workspaceId,
      key: `annotated/${index}.jpg`,
      dueAt: new Date(start.getTime() + 12 * hour + index),
    }));
    await prisma.objectRemoval.deleteMany();
    await prisma.objectRemoval.createMany({ data: others });
    const id = await newAnnotatedAlert();
    await open(id);
    await runRemovals();
    const keys = (
      await prisma.objectRemoval.findMany({ where: { workspaceId }, orderBy: { dueAt: "asc" } })
    ).map(({ key }) => key);
    expect([keys.length, keys[0], keys.at(-1)]).toEqual([2_000, "annotated/1.jpg", keyOf(id)]);
    await prisma.objectRemoval.deleteMany();
  });
});

it("is refused for the moment if too many are being drawn for its workspace", async () => {
  network.vanish("all");
  onTestFinished(() => {
    network.restore();
    network.reset();
  });
  const ids = await createAlerts(
    gateway.prisma,
    listOf(60, (index) => ({ ...camera, url: `pictures/${index}.jpg`, ...geometry })),
  );
  const leaving = new AbortController();
  const links = new SignedLinks({
    publicUrl: () => "",
    secrets: [testSecrets.LINK_SECRET],
    now: () => clock,
  });
  const responses = ids.map((id) =>
    gateway.fetch(links.urlFor(keyOf(id)) as string, { signal: leaving.signal }),
  );
  const refused = await Promise.race(responses);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "10"]);
  leaving.abort();
  await Promise.allSettled(responses);
});

it("is not kept if its alert is deleted while it is drawn", async () => {
  const temporary = await TemporaryFiles.open(`${testSite.directory}/temporary`);
  onTestFinished(() => temporary.close());
  const { database, log } = gateway.app;
  const pictures = new DerivedPictures({
    database,
    store: opened.store,
    temporary,
    conversions: new PictureConversions(),
    log,
    now: () => clock,
    onScheduled: () => {},
  });
  const id = randomUUID();
  const source = await storedPicture();
  const overlay = () => "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>";
  const { workspaceId } = camera;
  const client = { caller: { id, workspaceId }, origin: { logEntry: { statements: 0 } } };
  await pictures.get(client, { workspaceId, key: keyOf(id) }, async () => ({
    source,
    drawing: { maxSide: 100, overlay },
    isWanted: async () => false,
  }));
  await runRemovals();
  expect(await isStored(id)).toBe(false);
});
