import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createUser } from "../support/factories.js";
import type { Sender } from "../support/harness.js";
import { type CameraTexts, type Door, doors, graphql, outcomeOf, rest } from "./doors.js";
import { type FormPart, multipart } from "./multipart.js";
import { askew, type Colour, cornersOf, difference, formats, scene, sceneAs, secrets, talkative } from "./samples.js";
import { UploadSite } from "./upload-site.js";

let site: UploadSite;
beforeAll(async () => {
  site = await UploadSite.open();
});
afterAll(() => site.close());

interface CameraView {
  imageLink: string;
  thumbnailUrl: string;
  [field: string]: unknown;
}

const view = `id name streamType status statusDetail imageDimensions { width height } advancedSettings url facilityId emailAddresses
  facilityNodeId streamProtocol dataCollectionEnabled dataCollectionObjects imageLink thumbnailUrl`;

async function cameraOf(id: string | undefined): Promise<CameraView> {
  const query = `query ($id: UUID!) { camera(id: $id) { ${view} } }`;
  return (await site.gateway.data<{ camera: CameraView }>(query, { as: site.admin, variables: { id } })).camera;
}

/** A camera that was added, with its pictures as they are stored. */
async function added(door: Door, file: Buffer, texts: CameraTexts & { as?: Sender } = {}) {
  const { code, id } = await door.addCamera(site, file, texts);
  expect(code).toBe("OK");
  const camera = await cameraOf(id);
  return { id: id as string, camera, picture: await follow(camera.imageLink), thumbnail: await follow(camera.thumbnailUrl) };
}

/** The picture that a user shows after it was changed. */
async function changed(door: Door, file: Buffer, as: Sender = site.admin): Promise<Buffer> {
  expect((await door.changeUser(site, file, { as })).code).toBe("OK");
  return follow(await pictureOf(as));
}

const pictureOf = async (as: Sender) => (await site.gateway.data<{ me: { picture: string } }>("{ me { picture } }", { as })).me.picture;

async function follow(link: string): Promise<Buffer> {
  const { pathname, search } = new URL(link);
  const response = await site.gateway.fetch(pathname + search);
  expect(response.status).toBe(200);
  const picture = Buffer.from(await response.arrayBuffer());
  expect(response.headers.get("content-type")).toBe(`image/${(await sharp(picture).metadata()).format}`);
  return picture;
}

const sizeOf = async (picture: Buffer) => {
  const { width, height } = await sharp(picture).metadata();
  return { width, height };
};

/** Everything beside the pixels that a picture carries. */
async function besidePixels(picture: Buffer): Promise<string[]> {
  const { exif, icc, iptc, xmp, orientation, comments, tifftagPhotoshop } = await sharp(picture).metadata();
  const carried = Object.entries({ exif, icc, iptc, xmp, orientation, comments, tifftagPhotoshop }).filter(([, value]) => value !== undefined);
  return [...carried.map(([name]) => name), ...secrets.filter((secret) => picture.includes(secret))];
}

describe.each(doors)("a camera that is added by %s", (_name, door) => {
  it.each([
    ["jpeg", "jpeg"],
    ["png", "png"],
    ["webp", "jpeg"],
  ] as const)("keeps a good picture: a %s, as a %s of the same size that looks the same", async (format, kept) => {
    const source = await sceneAs(format);
    const { camera, picture } = await added(door, source);
    expect({ ...(await sizeOf(picture)), format: (await sharp(picture).metadata()).format }).toEqual({ width: 640, height: 400, format: kept });
    expect(await difference(picture, source)).toBeLessThan(format === "png" ? 0.001 : 4);
    expect(camera).toMatchObject({ imageDimensions: { width: 640, height: 400 }, streamType: "CLIENT", url: null });
  });

  it.each(formats)("has a small picture of a %s in WebP, of at most 480 pixels, that looks the same", async (format) => {
    const { thumbnail } = await added(door, await sceneAs(format));
    expect({ ...(await sizeOf(thumbnail)), format: (await sharp(thumbnail).metadata()).format }).toEqual({ width: 480, height: 300, format: "webp" });
    expect(await difference(thumbnail, await scene().resize(480).png().toBuffer())).toBeLessThan(4);
  });

  it("has a small picture that is no larger than the picture", async () => {
    const { thumbnail } = await added(door, await sceneAs("png", 30, 200));
    expect(await sizeOf(thumbnail)).toEqual({ width: 30, height: 200 });
  });

  it.each(formats)("keeps nothing of a %s but what it shows", async (format) => {
    const source = await talkative(format);
    // What is not there could not be taken away.
    expect(await besidePixels(source)).toEqual(expect.arrayContaining(["exif", "icc", "xmp", "secret person", "secret place"]));
    const { picture, thumbnail } = await added(door, source);
    expect(await besidePixels(picture)).toEqual([]);
    expect(await besidePixels(thumbnail)).toEqual([]);
    expect(await difference(picture, await sceneAs("png"))).toBeLessThan(5);
  });

  it("has the dimensions that are given, or else its picture's", async () => {
    const file = await sceneAs("webp");
    const cases: [unknown, object][] = [
      [
        { width: 1280.5, height: 720 },
        { width: 1280.5, height: 720 },
      ],
      [{ width: 1280 }, { width: 1280, height: 400 }],
      [{ height: 720 }, { width: 640, height: 720 }],
      [{ site: "north" }, { width: 640, height: 400 }],
      [{}, { width: 640, height: 400 }],
    ];
    for (const [metadata, imageDimensions] of cases) {
      const { camera } = await added(door, file, { metadata });
      expect(camera).toMatchObject({ imageDimensions, advancedSettings: { metadata } });
    }
  });

  it("keeps what is said of it as advancedSettings.metadata, to the letter", async () => {
    const metadata = JSON.parse(
      `{"site": "Süd-Tor ✓", "deep": ${"[".repeat(60)}${"]".repeat(60)}, "empty": {}, "none": null, "large": 1e300, "": 1, "constructor": 2, "width": 5}`,
    );
    const { camera } = await added(door, await sceneAs("png", 4, 3), { metadata });
    expect(camera.advancedSettings).toEqual({ metadata });
  });

  it("may be named by one character, by 200, and by whatever languages write with", async () => {
    for (const name of ["x", "é".repeat(200), "‮\u2028東京 🎥", "../../etc/passwd", "<script>alert(1)</script>"]) {
      expect((await added(door, await sceneAs("png", 4, 3), { name })).camera.name).toBe(name);
    }
  });

  it("needs nothing but to see the facility, and takes an API key", async () => {
    const { facilityId } = site.ids;
    for (const as of [site.member, await site.newKey()]) {
      expect((await added(door, await sceneAs("png", 4, 3), { as })).camera).toMatchObject({ facilityId });
    }
  });

  it("takes its pictures with it when it is deleted", async () => {
    const before = await site.settledTraces();
    const { id } = await added(door, await sceneAs("jpeg"));
    expect((await site.traces()).stored).toHaveLength(before.stored.length + 2);
    await site.gateway.data("mutation ($id: UUID!) { deleteCamera(id: $id) { id } }", { as: site.admin, variables: { id } });
    await site.expectUnchanged(before);
  });

  it("leaves no reservation of what it stored, and nothing on the way", async () => {
    const before = await site.settledTraces();
    await added(door, await sceneAs("jpeg"));
    const after = await site.traces();
    expect({ removals: after.removals, temporary: after.temporary, cameras: after.cameras }).toEqual({
      removals: 0,
      temporary: [],
      cameras: before.cameras + 1,
    });
  });
});

/** The corners' colours of a picture that was taken with the camera held askew, once it stands upright. */
const upright: [number, Colour[]][] = [
  [1, ["red", "green", "blue", "yellow"]],
  [2, ["green", "red", "yellow", "blue"]],
  [3, ["blue", "yellow", "red", "green"]],
  [4, ["yellow", "blue", "green", "red"]],
  [5, ["red", "yellow", "blue", "green"]],
  [6, ["yellow", "red", "green", "blue"]],
  [7, ["blue", "green", "red", "yellow"]],
  [8, ["green", "blue", "yellow", "red"]],
];

describe("a picture stands upright, whatever its EXIF orientation:", () => {
  it.each(upright)("%i", async (orientation, colours) => {
    const size = orientation < 5 ? { width: 80, height: 60 } : { width: 60, height: 80 };
    const file = await askew(orientation);
    for (const [, door] of doors) {
      const { camera, picture, thumbnail } = await added(door, file);
      expect(camera.imageDimensions).toEqual(size);
      for (const stored of [picture, thumbnail, await changed(door, file)]) {
        expect({ corners: await cornersOf(stored), ...(await sizeOf(stored)) }).toEqual({ corners: colours, ...size });
        expect(await besidePixels(stored)).toEqual([]);
      }
    }
  });
});

describe("a picture is taken as it is,", () => {
  const alike: [string, () => Promise<Buffer>][] = [
    [
      "with transparency",
      () =>
        sharp({ create: { width: 40, height: 30, channels: 4, background: { r: 200, g: 80, b: 20, alpha: 0.5 } } })
          .png()
          .toBuffer(),
    ],
    ["in shades of grey", () => scene().greyscale().jpeg().toBuffer()],
    ["in CMYK", () => scene().toColourspace("cmyk").jpeg().toBuffer()],
    ["with a palette", () => scene().png({ palette: true }).toBuffer()],
    ["with 16 bits a colour", () => scene().toColourspace("rgb16").png().toBuffer()],
    ["interlaced", () => scene().png({ progressive: true }).toBuffer()],
    ["progressive", () => scene().jpeg({ progressive: true }).toBuffer()],
    ["without losses", () => scene().webp({ lossless: true }).toBuffer()],
    ["of one pixel", () => sceneAs("png", 1, 1)],
    ["very wide", () => sceneAs("png", 5000, 1)],
  ];
  it.each(alike)("%s", async (_what, make) => {
    const file = await make();
    const { picture } = await added(rest, file);
    expect(await difference(picture, file)).toBeLessThan(4);
    expect((await sharp(picture).metadata()).hasAlpha).toBe((await sharp(file).metadata()).hasAlpha);
    await changed(rest, file);
  });
});

describe.each(doors)("a user's picture that is changed by %s", (name, door) => {
  it.each(formats)("becomes a WebP of at most 512 by 512 pixels, from a %s", async (format) => {
    const picture = await changed(door, await sceneAs(format));
    expect({ ...(await sizeOf(picture)), format: (await sharp(picture).metadata()).format }).toEqual({ width: 512, height: 320, format: "webp" });
    expect(await difference(picture, await scene().resize(512).png().toBuffer())).toBeLessThan(4);
    expect(await sizeOf(await changed(door, await sceneAs(format, 400, 1600)))).toEqual({ width: 128, height: 512 });
  });

  it("is not enlarged", async () => {
    expect(await sizeOf(await changed(door, await sceneAs("jpeg", 100, 50)))).toEqual({ width: 100, height: 50 });
  });

  it.each(formats)("keeps nothing of a %s but what it shows", async (format) => {
    expect(await besidePixels(await changed(door, await talkative(format)))).toEqual([]);
  });

  it("takes the place of the one before, which is deleted", async () => {
    await changed(door, await sceneAs("jpeg"));
    const { pathname, search } = new URL(await pictureOf(site.admin));
    await changed(door, await sceneAs("jpeg"));
    await expect.poll(async () => (await site.gateway.fetch(pathname + search)).status).toBe(404);
    await site.expectNothingHidden();
  });

  it("leaves one that lies elsewhere alone", async () => {
    const authId = `uploads|with a picture elsewhere, by ${name}`;
    await createUser(site.gateway.prisma, { workspaceId: site.ids.workspaceId, authId, picture: "https://images.example/me.jpg" });
    site.gateway.clearStatements();
    await changed(door, await sceneAs("jpeg"), { user: authId });
    // The one is the reservation of the new picture.
    expect(site.gateway.statements.filter((sql) => /^INSERT INTO \S*"ObjectRemoval"/.test(sql))).toHaveLength(1);
  });

  it("goes with the user", async () => {
    const before = await site.settledTraces();
    const variables = { input: { authId: `uploads|removed, by ${name}`, email: "gone@test.example", roles: [] } };
    const create = "mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }";
    const { createUser: created } = await site.gateway.data<{ createUser: { id: string } }>(create, { as: site.admin, variables });
    await changed(door, await sceneAs("jpeg"), { user: variables.input.authId });
    expect((await site.traces()).stored).toHaveLength(before.stored.length + 1);
    await site.gateway.data("mutation ($id: UUID!) { removeUser(userId: $id) { id } }", { as: site.admin, variables: created });
    await site.expectUnchanged(before);
  });

  it("is one, whoever comes last, when ten are sent at once", async () => {
    const files = await Promise.all(Array.from({ length: 10 }, (_, index) => sceneAs("png", 4 + index, 3)));
    const outcomes = await Promise.all(files.map((file) => door.changeUser(site, file)));
    expect(new Set(outcomes.map(({ code }) => code))).toEqual(new Set(["OK"]));
    await site.expectNothingHidden();
    await follow(await pictureOf(site.admin));
  });

  it("is refused to an API key, which is no user", async () => {
    const before = await site.settledTraces();
    expect((await door.changeUser(site, await sceneAs("png"), { as: await site.newKey() })).code).toBe("FORBIDDEN");
    expect(await site.traces()).toEqual(before);
  });
});

describe("both doors leave the same:", () => {
  it.each([
    ["a JPEG with metadata", () => talkative("jpeg"), { name: "Gate", metadata: { width: 5, site: "north" } }],
    ["a PNG held askew", () => askew(6), { name: "Yard", metadata: {} }],
  ] as const)("%s", async (_what, make, texts) => {
    const file = await make();
    const [one, other] = [await added(rest, file, texts), await added(graphql, file, texts)];
    const comparable = ({ camera: { id: _id, imageLink: _link, thumbnailUrl: _small, ...camera } }: typeof one) => camera;
    expect(comparable(one)).toEqual(comparable(other));
    expect(one.picture.equals(other.picture)).toBe(true);
    expect(one.thumbnail.equals(other.thumbnail)).toBe(true);
    expect((await changed(rest, file)).equals(await changed(graphql, file))).toBe(true);
  });
});

it("the two answers of REST are as specified", async () => {
  const send = (method: string, path: string, parts: FormPart[]) => site.gateway.fetch(path, { method, as: site.admin, ...multipart(parts) });
  const file = await sceneAs("png", 4, 3);
  const camera = await send("POST", `/facilities/${site.ids.facilityId}/client_cameras`, [
    { name: "cameraImage", content: file },
    { name: "cameraName", content: "Gate" },
    { name: "metadata", content: "{}" },
  ]);
  expect({ status: camera.status, body: await camera.json() }).toEqual({
    status: 200,
    body: { status: "ok", message: "The camera was added", insertedItem: expect.stringMatching(/^[0-9a-f-]{36}$/) },
  });
  const user = await send("PATCH", "/user/picture", [{ name: "image", content: file }]);
  expect({ status: user.status, text: await user.text() }).toEqual({ status: 200, text: "" });
});

describe("the parts of a REST form may come", () => {
  const asFile = (name: string, content: string | Buffer, type: string): FormPart => ({ name, filename: `${name}.bin`, type, content });
  let picture: Buffer;
  beforeAll(async () => {
    picture = await sceneAs("jpeg", 40, 30);
  });
  const texts = { cameraName: "Tor – 門", metadata: '{"site": "north"}' };

  const kinds: [string, (image: Buffer) => Record<string, FormPart>][] = [
    [
      "as files",
      (image) => ({
        cameraImage: asFile("cameraImage", image, "image/jpeg"),
        cameraName: asFile("cameraName", texts.cameraName, "text/plain; charset=utf-8"),
        metadata: asFile("metadata", texts.metadata, "application/json"),
      }),
    ],
    [
      "as fields",
      (image) => ({
        cameraImage: { name: "cameraImage", content: image },
        cameraName: { name: "cameraName", content: texts.cameraName },
        metadata: { name: "metadata", content: texts.metadata },
      }),
    ],
    [
      "as files of the wrong type and of strange names",
      (image) => ({
        cameraImage: { name: "cameraImage", filename: "../../../etc/passwd", type: "text/html", content: image },
        cameraName: { name: "cameraName", filename: "", type: "image/png", content: texts.cameraName },
        metadata: { name: "metadata", filename: "\\\\server\\metadata.json", type: "application/octet-stream", content: texts.metadata },
      }),
    ],
  ];
  const orders = [
    ["cameraImage", "cameraName", "metadata"],
    ["cameraImage", "metadata", "cameraName"],
    ["cameraName", "cameraImage", "metadata"],
    ["cameraName", "metadata", "cameraImage"],
    ["metadata", "cameraImage", "cameraName"],
    ["metadata", "cameraName", "cameraImage"],
  ];

  describe.each(kinds)("%s", (_kind, partsOf) => {
    it.each(orders.map((order) => [order.join(", "), order] as const))("in the order %s", async (_order, order) => {
      const parts = partsOf(picture);
      const strange = { name: "other", content: "what nobody asked for" };
      const path = `/facilities/${site.ids.facilityId}/client_cameras`;
      const response = await site.gateway.fetch(path, {
        method: "POST",
        as: site.admin,
        ...multipart([strange, ...order.map((name) => parts[name] as FormPart), strange]),
      });
      const { id, code } = await outcomeOf(response);
      expect(code).toBe("OK");
      const camera = await cameraOf(id);
      expect(camera).toMatchObject({ name: texts.cameraName, advancedSettings: { metadata: { site: "north" } } });
      expect(await difference(await follow(camera.imageLink), picture)).toBeLessThan(4);
    });
  });
});
