// Runs once: no database can influence what is tested here.
import { gzipSync } from "node:zlib";
import { type Body, chunked, malformedParts, post, repeatPart, unsupportedTypes } from "./hostile-parts.js";
import { closingDelimiter, encodeBody, encodePart, type FormPart } from "./multipart.js";
import { maxBytes, openForRefusedUploads } from "./upload-site.js";

const { site, before, picture } = await openForRefusedUploads();
afterAll(() => site.close());

const expectUnchanged = () => site.expectUnchanged(before);

const send = (body: Body) => post(site, ["POST", `/facilities/${site.ids.facilityId}/client_cameras`], body);

/** The parts of a valid form for a camera, the picture first. Other forms are read alike. */
const validParts = (): [FormPart, ...FormPart[]] => [
  { name: "cameraImage", filename: "gate.jpg", type: "image/jpeg", content: picture },
  { name: "cameraName", content: "Gate" },
  { name: "metadata", content: "{}" },
];

const tooLarge = { status: 413, code: "PAYLOAD_TOO_LARGE" };
const badRequest = { status: 400, code: "BAD_REQUEST" };

describe("a form", () => {
  type Hostile = [string, (valid: Buffer, parts: [FormPart, ...FormPart[]]) => Body, object];
  const hostile: Hostile[] = [
    ["that ends in the middle of the picture", (valid) => valid.subarray(0, 400), badRequest],
    ["without its closing delimiter", (valid) => valid.subarray(0, -closingDelimiter.length), badRequest],
    [
      "without a boundary",
      (valid) => ({ body: valid, headers: { "content-type": "multipart/form-data" } }),
      badRequest,
    ],
    ["that is empty", () => "", badRequest],
    [
      "that is compressed",
      (valid) => ({ body: gzipSync(valid), headers: { "content-encoding": "gzip" } }),
      badRequest,
    ],
    [
      "with ten thousand parts before the valid ones",
      (valid) =>
        Buffer.concat([repeatPart(10_000, () => ({ name: "x", filename: "x", content: "x" })), valid]),
      tooLarge,
    ],
    [
      "with ten thousand parts after the valid ones",
      (valid) =>
        Buffer.concat([
          valid.subarray(0, -closingDelimiter.length),
          repeatPart(10_000, () => ({ name: "x", content: "" })),
          closingDelimiter,
        ]),
      tooLarge,
    ],
    [
      "that ends with more than 11 MiB of other data, chunked",
      (valid) => ({ body: Buffer.concat([valid, Buffer.alloc(11 * 2 ** 20, "x")]), headers: chunked }),
      tooLarge,
    ],
    [
      "with an unknown part of more than 10 MiB, chunked",
      (valid) => ({
        body: Buffer.concat([encodePart({ name: "x", content: Buffer.alloc(11 * 2 ** 20) }), valid]),
        headers: chunked,
      }),
      tooLarge,
    ],
    [
      "with a picture of 10 MiB and one byte, chunked",
      (_good, [first, ...rest]) => ({
        body: encodeBody([...rest, { ...first, content: Buffer.alloc(maxBytes + 1) }]),
        headers: chunked,
      }),
      tooLarge,
    ],
    [
      "with the picture twice",
      (_good, parts) => encodeBody([...parts, parts[0]]),
      { ...badRequest, details: [{ message: "must be given once" }] },
    ],
  ];

  it.each(hostile)("%s is rejected", async (_what, make, expected) => {
    const valid = validParts();
    expect(await send(make(encodeBody(valid), valid))).toMatchObject(expected);
    await expectUnchanged();
  });

  it.each(malformedParts)("with a picture part %s is rejected", async (_how, changes) => {
    const [first, ...others] = validParts();
    const { status, code, details } = await send(encodeBody([{ ...first, ...changes }, ...others]));
    expect({ status, code }).toEqual(badRequest);
    if (details) expect(details).toEqual([{ path: `body.${first.name}`, message: "is required" }]);
    await expectUnchanged();
  });

  it.each(unsupportedTypes)("declared as %s is rejected", async (_type, headers) => {
    expect(await send({ body: encodeBody(validParts()), headers })).toMatchObject({
      status: 415,
      code: "UNSUPPORTED_MEDIA_TYPE",
    });
    await expectUnchanged();
  });

  it("without its parts is rejected, and the error names each of them", async () => {
    const valid = validParts();
    for (const lacking of [[], valid.slice(1), valid.slice(2)]) {
      const missing = valid
        .filter((part) => !lacking.includes(part))
        .map(({ name }) => ({ path: `body.${name}`, message: "is required" }));
      expect(await send(encodeBody(lacking))).toMatchObject({ ...badRequest, details: missing });
    }
    await expectUnchanged();
  });
});

describe("a form for a camera is rejected", () => {
  const texts: [string, { cameraName?: string; metadata?: string }, object][] = [
    ["if the name is longer than 64 KiB", { cameraName: "x".repeat(65_537) }, tooLarge],
    ["if the name contains a NUL", { cameraName: "\0" }, badRequest],
    [
      "if the metadata is longer than 64 KiB",
      { metadata: JSON.stringify({ x: "x".repeat(65_530) }) },
      tooLarge,
    ],
    [
      "if the metadata is nested too deeply",
      { metadata: `{"x": ${"[".repeat(30_000)}${"]".repeat(30_000)}}` },
      badRequest,
    ],
  ];
  it.each(texts)("%s", async (_what, changes, expected) => {
    const valid = validParts();
    const body = encodeBody(
      valid.map((part) => ({ ...part, content: changes[part.name as keyof typeof changes] ?? part.content })),
    );
    expect(await send(body)).toMatchObject(expected);
    await expectUnchanged();
  });

  it("as soon as the picture exceeds 10 MiB, even if its other fields are invalid", async () => {
    const [first] = validParts();
    expect(await send(encodeBody([{ ...first, content: Buffer.alloc(maxBytes + 1) }]))).toMatchObject(
      tooLarge,
    );
    await expectUnchanged();
  });
});
