import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Outcome } from "./doors.js";
import { type Body, inPieces, many, misnamed, post, refusedTypes } from "./hostile-parts.js";
import { bodyOf, ending, type FormPart, partText } from "./multipart.js";
import { sceneAs } from "./samples.js";
import { maximumBytes, type Traces, UploadSite } from "./upload-site.js";

let site: UploadSite;
let before: Traces;
let picture: Buffer;
beforeAll(async () => {
  site = await UploadSite.open();
  before = await site.traces();
  picture = await sceneAs("jpeg", 64, 40);
});
afterAll(() => site.close());

const expectNoTrace = () => site.expectUnchanged(before);

/** The forms that REST takes: where they go, and the parts of a good one, the picture first. */
const forms: [string, () => { send: (body: Body) => Promise<Outcome>; good: [FormPart, ...FormPart[]] }][] = [
  [
    "a camera",
    () => ({
      send: (body) => post(site, ["POST", `/facilities/${site.ids.facilityId}/client_cameras`], body),
      good: [
        { name: "cameraImage", filename: "gate.jpg", type: "image/jpeg", content: picture },
        { name: "cameraName", content: "Gate" },
        { name: "metadata", content: "{}" },
      ],
    }),
  ],
  [
    "a user",
    () => ({
      send: (body) => post(site, ["PATCH", "/user/picture"], body),
      good: [{ name: "image", filename: "me.jpg", type: "image/jpeg", content: picture }],
    }),
  ],
];

const tooLarge = { status: 413, code: "PAYLOAD_TOO_LARGE" };
const bad = { status: 400, code: "BAD_REQUEST" };

describe.each(forms)("of a form for %s,", (_what, formOf) => {
  type Hostile = [string, (good: Buffer, parts: [FormPart, ...FormPart[]]) => Body, object];
  const hostile: Hostile[] = [
    ["one that ends in the middle of the picture", (good) => ({ body: good.subarray(0, 400) }), bad],
    ["one that ends in the middle of the picture, in pieces", (good) => ({ body: good.subarray(0, 400), headers: inPieces }), bad],
    ["one that ends within the head of a part", (good) => ({ body: good.subarray(0, 50) }), bad],
    ["one that ends within its first boundary", (good) => ({ body: good.subarray(0, 5) }), bad],
    ["one that lacks its last boundary", (good) => ({ body: good.subarray(0, -ending.length) }), bad],
    ["one whose last boundary is cut off", (good) => ({ body: good.subarray(0, -4) }), bad],
    ["one without a boundary", (good) => ({ body: good, headers: { "content-type": "multipart/form-data" } }), bad],
    ["one of an empty boundary", (good) => ({ body: good, headers: { "content-type": "multipart/form-data; boundary=" } }), bad],
    ["one of another boundary", (good) => ({ body: good, headers: { "content-type": "multipart/form-data; boundary=other" } }), bad],
    [
      "one of a boundary of 10,000 characters",
      (good) => ({ body: good, headers: { "content-type": `multipart/form-data; boundary=${"x".repeat(10_000)}` } }),
      bad,
    ],
    ["an empty one", () => ({ body: "" }), bad],
    ["one of a line break", () => ({ body: "\r\n" }), bad],
    ["one that is compressed", (good) => ({ body: gzipSync(good), headers: { "content-encoding": "gzip" } }), bad],
    [
      "one of ten thousand parts before the good ones",
      (good) => ({ body: Buffer.concat([many(10_000, () => ({ name: "x", filename: "x", content: "x" })), good]) }),
      tooLarge,
    ],
    [
      "one of ten thousand fields before the good ones",
      (good) => ({ body: Buffer.concat([many(10_000, (index) => ({ name: `x${index}`, content: "x" })), good]) }),
      tooLarge,
    ],
    [
      "one of ten thousand parts behind the good ones",
      (good) => ({ body: Buffer.concat([good.subarray(0, -ending.length), many(10_000, () => ({ name: "x", content: "" })), ending]) }),
      tooLarge,
    ],
    [
      "one of ten thousand parts without names",
      (good) => ({ body: Buffer.concat([many(10_000, () => ({ headers: "x: y", content: "" })), good]) }),
      tooLarge,
    ],
    [
      "one that begins with more than 11 MiB of something else",
      (good) => ({ body: Buffer.concat([Buffer.alloc(11 * 2 ** 20, "x"), good]) }),
      tooLarge,
    ],
    [
      "one that begins with more than 11 MiB of something else, in pieces",
      (good) => ({ body: Buffer.concat([Buffer.alloc(11 * 2 ** 20 + 1, "x"), good]), headers: inPieces }),
      tooLarge,
    ],
    [
      "one that ends with more than 11 MiB of something else, in pieces",
      (good) => ({ body: Buffer.concat([good, Buffer.alloc(11 * 2 ** 20, "x")]), headers: inPieces }),
      tooLarge,
    ],
    [
      "one with a part of more than 10 MiB that nobody asked for, in pieces",
      (good) => ({ body: Buffer.concat([partText({ name: "x", content: Buffer.alloc(11 * 2 ** 20) }), good]), headers: inPieces }),
      tooLarge,
    ],
    [
      "one of a picture of one byte more than 10 MiB, in pieces",
      (_good, [first, ...rest]) => ({ body: bodyOf([...rest, { ...first, content: Buffer.alloc(maximumBytes + 1) }]), headers: inPieces }),
      tooLarge,
    ],
    [
      "one with the picture twice",
      (_good, parts) => ({ body: bodyOf([...parts, parts[0]]) }),
      { ...bad, details: [{ message: "must be given once" }] },
    ],
    [
      "one with the picture thrice, and two of them none",
      (_good, parts) => ({ body: bodyOf([{ ...parts[0], content: "" }, ...parts, { ...parts[0], content: "" }]) }),
      bad,
    ],
  ];

  it.each(hostile)("%s is refused", async (_one, make, expected) => {
    const { send, good } = formOf();
    expect(await send(make(bodyOf(good), good))).toMatchObject(expected);
    await expectNoTrace();
  });

  it.each(misnamed)("one whose picture comes %s is refused", async (_how, changes) => {
    const {
      send,
      good: [first, ...others],
    } = formOf();
    const { status, code, details } = await send({ body: bodyOf([{ ...first, ...changes }, ...others]) });
    expect({ status, code }).toEqual(bad);
    if (details) expect(details).toEqual([{ path: `body.${first.name}`, message: "is required" }]);
    await expectNoTrace();
  });

  it.each(refusedTypes)("one that says it is %s is refused", async (_type, headers) => {
    const { send, good } = formOf();
    expect(await send({ body: bodyOf(good), headers })).toMatchObject({ status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
    await expectNoTrace();
  });

  it("one that lacks its parts is refused, and all of them are named", async () => {
    const { send, good } = formOf();
    for (const lacking of [[], good.slice(1), good.slice(2)]) {
      const missing = good.filter((part) => !lacking.includes(part)).map(({ name }) => ({ path: `body.${name}`, message: "is required" }));
      expect(await send({ body: bodyOf(lacking) })).toMatchObject({ ...bad, details: missing });
    }
    await expectNoTrace();
  });
});

describe("a form for a camera is refused", () => {
  const texts: [string, { cameraName?: string; metadata?: string }, object][] = [
    ["whose name is longer than 64 KiB", { cameraName: "x".repeat(65_537) }, tooLarge],
    ["whose name is no text in UTF-8", { cameraName: "\0" }, bad],
    ["whose metadata are longer than 64 KiB", { metadata: JSON.stringify({ x: "x".repeat(65_530) }) }, tooLarge],
    ["whose metadata are nested a hundred thousand levels deep", { metadata: `{"x": ${"[".repeat(30_000)}${"]".repeat(30_000)}}` }, bad],
  ];
  it.each(texts)("%s", async (_what, changes, expected) => {
    const [, formOf] = forms[0] as (typeof forms)[number];
    const { send, good } = formOf();
    const body = bodyOf(good.map((part) => ({ ...part, content: changes[part.name as keyof typeof changes] ?? part.content })));
    expect(await send({ body })).toMatchObject(expected);
    await expectNoTrace();
  });

  it("whose picture is larger than 10 MiB as soon as that is known, also when its texts are wrong", async () => {
    const [, formOf] = forms[0] as (typeof forms)[number];
    const {
      send,
      good: [first],
    } = formOf();
    expect(await send({ body: bodyOf([{ ...first, content: Buffer.alloc(maximumBytes + 1) }]) })).toMatchObject(tooLarge);
    await expectNoTrace();
  });
});
