// Runs once: no database can influence what is tested here.

import sharp from "sharp";
import { createUser } from "../support/factories.js";
import type { Sender } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { type FormPart, multipart } from "./multipart.js";
import {
  type Color,
  cornersOf,
  difference,
  drawPicture,
  formats,
  pictureAs,
  pictureWithMetadata,
  rotatedPicture,
  secrets,
} from "./sample-pictures.js";
import { type CameraFields, graphql, rest, resultOf, type UploadApi, uploadApis } from "./upload-apis.js";
import { UploadSite } from "./upload-site.js";

const site = await UploadSite.open();
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
  return (await site.gateway.data<{ camera: CameraView }>(query, { as: site.admin, variables: { id } }))
    .camera;
}

/** Adds a camera and downloads its stored pictures. */
async function addCamera(api: UploadApi, file: Buffer, texts: CameraFields & { as?: Sender } = {}) {
  const { code, id } = await api.addCamera(site, file, texts);
  expect(code).toBe("OK");
  const camera = await cameraOf(id);
  return {
    id: id as string,
    camera,
    picture: await download(camera.imageLink),
    thumbnail: await download(camera.thumbnailUrl),
  };
}

/** Changes a user's picture and downloads the stored one. */
async function changePicture(api: UploadApi, file: Buffer, as: Sender = site.admin): Promise<Buffer> {
  expect((await api.changeUser(site, file, { as })).code).toBe("OK");
  return download(await pictureOf(as));
}

const pictureOf = async (as: Sender) =>
  (await site.gateway.data<{ me: { picture: string } }>("{ me { picture } }", { as })).me.picture;

async function download(link: string): Promise<Buffer> {
  const response = await site.gateway.fetch(link);
  expect(response.status).toBe(200);
  const picture = Buffer.from(await response.arrayBuffer());
  expect(response.headers.get("content-type")).toBe(`image/${(await sharp(picture).metadata()).format}`);
  return picture;
}

const sizeOf = async (picture: Buffer) => {
  const { width, height } = await sharp(picture).metadata();
  return { width, height };
};

/** The metadata that a picture contains. */
async function metadataIn(picture: Buffer): Promise<string[]> {
  const { exif, icc, iptc, xmp, orientation, comments, tifftagPhotoshop } = await sharp(picture).metadata();
  const carried = Object.entries({ exif, icc, iptc, xmp, orientation, comments, tifftagPhotoshop }).filter(
    ([, value]) => value !== undefined,
  );
  return [...carried.map(([name]) => name), ...secrets.filter((secret) => picture.includes(secret))];
}

describe("a camera that is added", () => {
  it.each([
    ["jpeg", "jpeg"],
    ["png", "png"],
    ["webp", "jpeg"],
  ] as const)(
    "stores a %s as a %s of the same size, and a WebP thumbnail of at most 480 pixels, which look the same",
    async (format, kept) => {
      const source = await pictureAs(format);
      const { camera, picture, thumbnail } = await addCamera(rest, source);
      expect({ ...(await sizeOf(picture)), format: (await sharp(picture).metadata()).format }).toEqual({
        width: 640,
        height: 400,
        format: kept,
      });
      expect(await difference(picture, source)).toBeLessThan(format === "png" ? 0.001 : 4);
      expect(camera).toMatchObject({
        imageDimensions: { width: 640, height: 400 },
        streamType: "CLIENT",
        url: null,
      });
      expect({ ...(await sizeOf(thumbnail)), format: (await sharp(thumbnail).metadata()).format }).toEqual({
        width: 480,
        height: 300,
        format: "webp",
      });
      expect(await difference(thumbnail, await drawPicture().resize(480).png().toBuffer())).toBeLessThan(4);
    },
  );

  it.each(formats)("keeps no metadata of a %s", async (format) => {
    const source = await pictureWithMetadata(format);
    // Make sure that there is metadata to remove.
    expect(await metadataIn(source)).toEqual(
      expect.arrayContaining(["exif", "icc", "xmp", "secret person", "secret place"]),
    );
    const { picture, thumbnail } = await addCamera(rest, source);
    expect(await metadataIn(picture)).toEqual([]);
    expect(await metadataIn(thumbnail)).toEqual([]);
    expect(await difference(picture, await pictureAs("png"))).toBeLessThan(5);
  });
});

describe.each(uploadApis)("a camera that is added by %s", (_name, api) => {
  it("has the given dimensions, or else those of its picture", async () => {
    const file = await pictureAs("webp", 64, 40);
    const cases: [unknown, object][] = [
      [
        { width: 1280.5, height: 720 },
        { width: 1280.5, height: 720 },
      ],
      [{ width: 1280 }, { width: 1280, height: 40 }],
      [{ height: 720 }, { width: 64, height: 720 }],
      [{ site: "north" }, { width: 64, height: 40 }],
      [{}, { width: 64, height: 40 }],
    ];
    for (const [metadata, imageDimensions] of cases) {
      const { camera } = await addCamera(api, file, { metadata });
      expect(camera).toMatchObject({ imageDimensions, advancedSettings: { metadata } });
    }
  });

  it("keeps its metadata unchanged as advancedSettings.metadata", async () => {
    const metadata = JSON.parse(
      `{"site": "Süd-Tor ✓", "deep": ${"[".repeat(60)}${"]".repeat(60)}, "empty": {}, "none": null, "large": 9007199254740991, "": 1, "constructor": 2, "width": 5}`,
    );
    const { camera } = await addCamera(api, await pictureAs("png", 4, 3), { metadata });
    expect(camera.advancedSettings).toEqual({ metadata });
  });
});

/**
 * The corner colors of a picture after its EXIF orientation was applied, by orientation.
 */
const upright: [number, Color[]][] = [
  [1, ["red", "green", "blue", "yellow"]],
  [2, ["green", "red", "yellow", "blue"]],
  [3, ["blue", "yellow", "red", "green"]],
  [4, ["yellow", "blue", "green", "red"]],
  [5, ["red", "yellow", "blue", "green"]],
  [6, ["yellow", "red", "green", "blue"]],
  [7, ["blue", "green", "red", "yellow"]],
  [8, ["green", "blue", "yellow", "red"]],
];

it.each(upright)("a picture is rotated by its EXIF orientation: %i", async (orientation, expectedColors) => {
  const size = orientation < 5 ? { width: 80, height: 60 } : { width: 60, height: 80 };
  const file = await rotatedPicture(orientation);
  const { camera, picture, thumbnail } = await addCamera(rest, file);
  expect(camera.imageDimensions).toEqual(size);
  for (const stored of [picture, thumbnail, await changePicture(rest, file)]) {
    expect({ corners: await cornersOf(stored), ...(await sizeOf(stored)) }).toEqual({
      corners: expectedColors,
      ...size,
    });
    expect(await metadataIn(stored)).toEqual([]);
  }
});

describe("a picture is accepted unchanged", () => {
  const accepted: [string, () => Promise<Buffer>][] = [
    [
      "with transparency",
      () =>
        sharp({
          create: { width: 40, height: 30, channels: 4, background: { r: 200, g: 80, b: 20, alpha: 0.5 } },
        })
          .png()
          .toBuffer(),
    ],
    ["in CMYK", () => drawPicture().toColourspace("cmyk").jpeg().toBuffer()],
    ["with 16 bits per channel", () => drawPicture().toColourspace("rgb16").png().toBuffer()],
    ["of one pixel", () => pictureAs("png", 1, 1)],
    ["very wide", () => pictureAs("png", 5000, 1)],
  ];
  it.each(accepted)("%s", async (_what, make) => {
    const file = await make();
    const { picture } = await addCamera(rest, file);
    expect(await difference(picture, file)).toBeLessThan(4);
    expect((await sharp(picture).metadata()).hasAlpha).toBe((await sharp(file).metadata()).hasAlpha);
    await changePicture(rest, file);
  });
});

describe("a user's picture that is changed", () => {
  it.each(formats)("becomes a WebP of at most 512 by 512 pixels, from a %s", async (format) => {
    const picture = await changePicture(rest, await pictureAs(format));
    expect({ ...(await sizeOf(picture)), format: (await sharp(picture).metadata()).format }).toEqual({
      width: 512,
      height: 320,
      format: "webp",
    });
    expect(await difference(picture, await drawPicture().resize(512).png().toBuffer())).toBeLessThan(4);
  });

  it("fits by its longer side, and is not enlarged", async () => {
    expect(await sizeOf(await changePicture(rest, await pictureAs("jpeg", 400, 1600)))).toEqual({
      width: 128,
      height: 512,
    });
    expect(await sizeOf(await changePicture(rest, await pictureAs("jpeg", 100, 50)))).toEqual({
      width: 100,
      height: 50,
    });
  });
});

describe.each(uploadApis)("a user's picture that is changed by %s", (name, api) => {
  it("replaces the previous one, which is deleted", async () => {
    await changePicture(api, await pictureAs("jpeg", 4, 3));
    const { pathname, search } = new URL(await pictureOf(site.admin));
    await changePicture(api, await pictureAs("jpeg", 4, 3));
    await expect.poll(async () => (await site.gateway.fetch(pathname + search)).status).toBe(404);
    await site.expectNoOrphans();
  });

  it("does not remove an external one", async () => {
    const authId = `uploads|with a picture elsewhere, by ${name}`;
    await createUser(site.gateway.prisma, {
      workspaceId: site.ids.workspaceId,
      authId,
      picture: "https://images.example/me.jpg",
    });
    site.gateway.clearStatements();
    await changePicture(api, await pictureAs("jpeg", 4, 3), { user: authId });
    // The only one is the reservation of the new picture.
    expect(site.gateway.statements.filter((sql) => /^INSERT INTO \S*"ObjectRemoval"/.test(sql))).toHaveLength(
      1,
    );
  });

  it("is deleted with the user", async () => {
    const before = await site.snapshotWhenIdle();
    const variables = {
      input: { authId: `uploads|removed, by ${name}`, email: "gone@test.example", roles: [] },
    };
    const create = "mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }";
    const { createUser: created } = await site.gateway.data<{ createUser: { id: string } }>(create, {
      as: site.admin,
      variables,
    });
    await changePicture(api, await pictureAs("jpeg", 4, 3), { user: variables.input.authId });
    expect((await site.snapshot()).stored).toHaveLength(before.stored.length + 1);
    await site.gateway.data("mutation ($id: UUID!) { removeUser(userId: $id) { id } }", {
      as: site.admin,
      variables: created,
    });
    await site.expectUnchanged(before);
  });

  it("is one of ten that are sent concurrently", async () => {
    const files = await Promise.all(listOf(10, (index) => pictureAs("png", 4 + index, 3)));
    const outcomes = await Promise.all(files.map((file) => api.changeUser(site, file)));
    expect(new Set(outcomes.map(({ code }) => code))).toEqual(new Set(["OK"]));
    await site.expectNoOrphans();
    await download(await pictureOf(site.admin));
  });
});

it("REST and GraphQL store the same", async () => {
  const texts = { name: "Gate", metadata: { width: 5, site: "north" } };
  const file = await pictureWithMetadata("jpeg");
  const [overRest, overGraphql] = [await addCamera(rest, file, texts), await addCamera(graphql, file, texts)];
  const comparable = ({
    camera: { id: _id, imageLink: _link, thumbnailUrl: _small, ...camera },
  }: typeof overRest) => camera;
  expect(comparable(overRest)).toEqual(comparable(overGraphql));
  expect(overRest.picture.equals(overGraphql.picture)).toBe(true);
  expect(overRest.thumbnail.equals(overGraphql.thumbnail)).toBe(true);
  expect((await changePicture(rest, file)).equals(await changePicture(graphql, file))).toBe(true);
});

describe("the parts of a REST form may be sent", () => {
  const asFile = (name: string, content: string | Buffer, type: string): FormPart => ({
    name,
    filename: `${name}.bin`,
    type,
    content,
  });
  let picture: Buffer;
  beforeAll(async () => {
    picture = await pictureAs("jpeg", 40, 30);
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
      "as files with wrong types and unusual names",
      (image) => ({
        cameraImage: {
          name: "cameraImage",
          filename: "../../../etc/passwd",
          type: "text/html",
          content: image,
        },
        cameraName: { name: "cameraName", filename: "", type: "image/png", content: texts.cameraName },
        metadata: {
          name: "metadata",
          filename: "\\\\server\\metadata.json",
          type: "application/octet-stream",
          content: texts.metadata,
        },
      }),
    ],
  ];
  const orders = [
    ["cameraImage", "cameraName", "metadata"],
    ["metadata", "cameraName", "cameraImage"],
  ];

  describe.each(kinds)("%s", (_kind, partsOf) => {
    it.each(orders.map((order) => [order.join(", "), order] as const))(
      "in the order %s",
      async (_order, order) => {
        const parts = partsOf(picture);
        const unknownPart = { name: "other", content: "not requested" };
        const path = `/facilities/${site.ids.facilityId}/client_cameras`;
        const response = await site.gateway.fetch(path, {
          method: "POST",
          as: site.admin,
          ...multipart([unknownPart, ...order.map((name) => parts[name] as FormPart), unknownPart]),
        });
        const { id, code } = await resultOf(response);
        expect(code).toBe("OK");
        const camera = await cameraOf(id);
        expect(camera).toMatchObject({
          name: texts.cameraName,
          advancedSettings: { metadata: { site: "north" } },
        });
        expect(await difference(await download(camera.imageLink), picture)).toBeLessThan(4);
      },
    );
  });
});
