import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addCamera } from "./doors.js";
import { type Body, inPieces, many, misnamed, post, refusedTypes } from "./hostile-parts.js";
import { bodyOf, ending, type FormPart, formType, partText } from "./multipart.js";
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

describe("of a GraphQL multipart request,", () => {
  const send = (body: Body) => post(site, ["POST", "/graphql"], body);
  const variables = () => ({ facilityId: site.ids.facilityId, input: { name: "Gate", image: null } as object });
  const operations = (changes: object = {}) => JSON.stringify({ query: addCamera, variables: variables(), ...changes });
  const withInput = (input: object) => operations({ variables: { ...variables(), input: { ...variables().input, ...input } } });
  const map = (...paths: string[]) => JSON.stringify({ 0: paths });
  const atImage = map("variables.input.image");
  const text = (name: string, content: string): FormPart => ({ name, content });
  const file = (name = "0"): FormPart => ({ name, filename: "gate.jpg", type: "image/jpeg", content: picture });
  const good = (said = operations(), mapped = atImage) => bodyOf([text("operations", said), text("map", mapped), file()]);
  const cut = (at: (body: Buffer) => number) => () => ({ body: good().subarray(0, at(good())) });
  const beforePath = (mapped: string) => () => ({ body: good(operations(), mapped) });

  const hostile: [string, () => Body, string?][] = [
    ["one that brings its map before its operations", () => ({ body: bodyOf([text("map", atImage), text("operations", operations()), file()]) })],
    ["one that brings its file before its map", () => ({ body: bodyOf([text("operations", operations()), file(), text("map", atImage)]) })],
    ["one that brings its file first", () => ({ body: bodyOf([file(), text("operations", operations()), text("map", atImage)]) })],
    ["one without a map", () => ({ body: bodyOf([text("operations", operations())]) })],
    ["one without a map and with a file", () => ({ body: bodyOf([text("operations", operations()), file()]) })],
    ["one without operations", () => ({ body: bodyOf([text("map", atImage), file()]) })],
    ["one without anything", () => ({ body: bodyOf([]) })],
    ["one whose operations are no JSON", () => ({ body: good("mutation") })],
    ["one whose operations are a text", () => ({ body: good('"mutation"') })],
    ["one whose operations are null", () => ({ body: good("null") })],
    [
      "one whose operations are a file",
      () => ({ body: bodyOf([{ ...text("operations", operations()), filename: "operations" }, text("map", atImage), file()]) }),
    ],
    ["one whose operations are empty", () => ({ body: good("{}") })],
    [
      "one of several operations",
      () => ({ body: bodyOf([text("operations", `[${operations()}]`), text("map", map("0.variables.input.image")), file()]) }),
    ],
    ["one of no operations in a list", () => ({ body: bodyOf([text("operations", "[]"), text("map", "{}"), file()]) })],
    ["one whose map is no JSON", beforePath("{")],
    ["one whose map is a list", beforePath('[["variables.input.image"]]')],
    ["one whose map is a text", beforePath('"variables.input.image"')],
    ["one whose map holds no lists", beforePath('{"0": "variables.input.image"}')],
    ["one whose map holds a number", beforePath('{"0": [5]}')],
    ["one whose map holds an empty path", beforePath('{"0": [""]}')],
    ["one whose map is empty", beforePath("{}")],
    ["one whose map leads nowhere", beforePath(map("variables.nowhere.image"))],
    ["one whose map leads to __proto__", beforePath(map("variables.__proto__"))],
    ["one whose map leads through __proto__", beforePath(map("variables.__proto__.polluted"))],
    ["one whose map leads through a constructor", beforePath(map("variables.constructor.prototype.polluted"))],
    ["one whose map leads to what the variables inherit", beforePath(map("variables.hasOwnProperty"))],
    ["one whose map leads into what the operations inherit", beforePath(map("hasOwnProperty.call"))],
    ["one whose map leads into what the variables inherit", beforePath(map("variables.toString.call"))],
    ["one whose map leads into what the query inherits", beforePath(map("query.slice.call"))],
    ["one whose map leads into what puts the file down", beforePath(map("variables.input.image", "variables.input.image.resolve"))],
    ["one whose map leads into what promises the file", beforePath(map("variables.input.image", "variables.input.image.promise"))],
    ["one whose map leads into the file again and again", beforePath(map(...["", ".b", ".c"].map((step) => `variables.input.image${step}`)))],
    ["one whose map leads into the file before it leads to it", beforePath(map("variables.input.image.x", "variables.input.image"))],
    [
      "one whose map leads far behind the end of a list",
      () => ({ body: good(withInput({ metadata: { list: [null] } }), map("variables.input.metadata.list.4294967294")) }),
    ],
    [
      "one whose map leads to the length of a list",
      () => ({ body: good(withInput({ metadata: { list: [null] } }), map("variables.input.metadata.list.length")) }),
    ],
    ["one whose map leads into a text", beforePath(map("variables.facilityId.image"))],
    ["one whose map leads to the query", beforePath(map("query"))],
    ["one whose map leads to all variables", beforePath(map("variables"))],
    ["one whose map leads to the extensions", beforePath(map("extensions"))],
    ["one whose map leads to the operation's name", beforePath(map("operationName"))],
    ["one whose map leads to the facility", beforePath(map("variables.facilityId"))],
    ["one whose map leads to the name", beforePath(map("variables.input.name"))],
    ["one whose map leads to the whole input", beforePath(map("variables.input"))],
    ["one whose map leads to the metadata too", beforePath(map("variables.input.image", "variables.input.metadata"))],
    [
      "one whose map leads into the metadata too",
      () => ({ body: good(withInput({ metadata: {} }), map("variables.input.image", "variables.input.metadata.x")) }),
    ],
    [
      "one whose map names two files",
      () => ({
        body: bodyOf([
          text("operations", operations({ variables: { ...variables(), more: null } })),
          text("map", '{"0": ["variables.input.image"], "1": ["variables.more"]}'),
          file(),
          file("1"),
        ]),
      }),
      "PAYLOAD_TOO_LARGE",
    ],
    ["one that lacks the file", () => ({ body: bodyOf([text("operations", operations()), text("map", atImage)]) })],
    ["one that brings another file", () => ({ body: bodyOf([text("operations", operations()), text("map", atImage), file("1")]) })],
    [
      "one that brings a text instead of the file",
      () => ({ body: bodyOf([text("operations", operations()), text("map", atImage), text("0", "no picture")]) }),
    ],
    ["one with a text where the file should be", () => ({ body: good(withInput({ image: "gate.jpg" }), "{}") })],
    ["one with an object where the file should be", () => ({ body: good(withInput({ image: { file: "/etc/passwd", promise: {} } }), "{}") })],
    [
      "one that names the file in its query",
      () => ({
        body: good(
          operations({
            query: addCamera.replace("input: $input", 'input: { name: "Gate", image: "0" }').replace(", $input: CreateClientCameraInput!", ""),
          }),
          "{}",
        ),
      }),
      "GRAPHQL_VALIDATION_FAILED",
    ],
    ["one that is not preceded by a preflight", () => ({ body: good(), headers: { "apollo-require-preflight": "" } })],
    [
      "one whose operations are longer than 1 MiB",
      () => ({ body: good(operations({ extensions: { x: "x".repeat(2 ** 20) } })) }),
      "PAYLOAD_TOO_LARGE",
    ],
    ["one whose map is longer than 1 MiB", beforePath(JSON.stringify({ 0: [`variables.${"x".repeat(2 ** 20)}`] })), "PAYLOAD_TOO_LARGE"],
    [
      "one whose variables are nested too deep",
      () => ({ body: good(withInput({ metadata: JSON.parse(`${'{"x":'.repeat(70)}1${"}".repeat(70)}`) })) }),
    ],
    [
      "one whose variables are nested a hundred thousand levels deep",
      () => ({ body: good(`{"query": "{ me { id } }", "variables": {"x": ${"[".repeat(100_000)}${"]".repeat(100_000)}}}`) }),
    ],
    ["one whose name is blank", () => ({ body: good(withInput({ name: " " })) })],
    ["one whose name is too long", () => ({ body: good(withInput({ name: "x".repeat(201) })) })],
    ["one whose name is missing", () => ({ body: good(withInput({ name: undefined })) })],
    ["one whose name holds a NUL", () => ({ body: good(withInput({ name: "\0" })) })],
    ["one whose metadata are a text", () => ({ body: good(withInput({ metadata: "{}" })) })],
    ["one whose metadata are a list", () => ({ body: good(withInput({ metadata: [{}] })) })],
    ["one whose metadata are too long", () => ({ body: good(withInput({ metadata: { x: "x".repeat(65_536) } })) })],
    ["one whose metadata hold a NUL", () => ({ body: good(withInput({ metadata: { x: "\0" } })) })],
    ["one whose metadata say a width of zero", () => ({ body: good(withInput({ metadata: { width: 0 } })) })],
    ["one that ends within its operations", cut(() => 100)],
    ["one that ends behind its operations", cut((body) => body.indexOf('name="map"') - 40)],
    ["one that ends behind its map", cut((body) => body.indexOf('name="0"') - 40)],
    ["one that ends within the head of its file", cut((body) => body.indexOf('name="0"') + 5)],
    ["one that ends before its file's first byte", cut((body) => body.indexOf(picture))],
    ["one that ends in the middle of its file", cut((body) => body.indexOf(picture) + 300)],
    ["one that lacks its last boundary", cut((body) => body.length - ending.length)],
    ["one without a boundary", () => ({ body: good(), headers: { "content-type": "multipart/form-data" } })],
    ["one of an empty boundary", () => ({ body: good(), headers: { "content-type": "multipart/form-data; boundary=" } })],
    ["one of another boundary", () => ({ body: good(), headers: { "content-type": "multipart/form-data; boundary=other" } })],
    ["an empty one", () => ({ body: "" })],
    ["one that is compressed", () => ({ body: gzipSync(good()), headers: { "content-encoding": "gzip" } })],
    ["one of ten thousand fields before the good ones", () => ({ body: Buffer.concat([many(10_000, (index) => text(`x${index}`, "x")), good()]) })],
    ["one of ten thousand files before the good ones", () => ({ body: Buffer.concat([many(10_000, () => file("x")).subarray(0, 2 ** 20), good()]) })],
    [
      "one of ten thousand files before the good one",
      () => ({
        body: Buffer.concat([
          partText(text("operations", operations())),
          partText(text("map", atImage)),
          many(10_000, () => ({ ...file("x"), content: "" })),
          bodyOf([file()]),
        ]),
      }),
    ],
    [
      "one that begins with more than 11 MiB of something else",
      () => ({ body: Buffer.concat([Buffer.alloc(11 * 2 ** 20, "x"), good()]) }),
      "PAYLOAD_TOO_LARGE",
    ],
    [
      "one that begins with more than 11 MiB of something else, in pieces",
      () => ({ body: Buffer.concat([Buffer.alloc(11 * 2 ** 20 + 1, "x"), good()]), headers: inPieces }),
      "PAYLOAD_TOO_LARGE",
    ],
    [
      "one with a file of one byte more than 10 MiB, in pieces",
      () => ({
        body: bodyOf([text("operations", operations()), text("map", atImage), { ...file(), content: Buffer.alloc(maximumBytes + 1) }]),
        headers: inPieces,
      }),
      "PAYLOAD_TOO_LARGE",
    ],
  ];

  const inherited = [Object.prototype.hasOwnProperty, Object.prototype.toString, String.prototype.slice];

  it.each(hostile)("%s is refused", async (_one, make, expected = "BAD_REQUEST") => {
    const { status, code } = await send(make());
    expect({ code, isFault: status >= 500 }).toEqual({ code: expected, isFault: false });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(inherited.filter((method) => Object.hasOwn(method, "call"))).toEqual([]);
    await expectNoTrace();
  });

  it.each(misnamed)("one whose file comes %s is refused", async (_how, changes) => {
    const body = bodyOf([text("operations", operations()), text("map", atImage), { ...file(), ...changes }]);
    expect(await send({ body })).toMatchObject({ code: "BAD_REQUEST" });
    await expectNoTrace();
  });

  it.each(misnamed)("one that begins with a part that comes %s is refused, or goes without it", async (_how, changes) => {
    const { code } = await send({ body: Buffer.concat([partText({ ...file(), ...changes }), good(withInput({ name: "" }))]) });
    expect(code).toBe("BAD_REQUEST");
    await expectNoTrace();
  });

  it.each(refusedTypes)("one that says it is %s is refused", async (_type, headers) => {
    const { status, code } = await send({ body: good(), headers });
    expect({ code, isFault: status >= 500, isRefused: status >= 400 }).toEqual({ code, isFault: false, isRefused: true });
    await expectNoTrace();
  });

  it.each([
    ["two mutations of one file", () => good(operations({ query: addCamera.replace(/(createClientCamera[^}]*\})/, "one: $1 other: $1") }))],
    [
      "two mutations of a file under two variables",
      () =>
        good(
          JSON.stringify({
            query:
              "mutation ($one: Upload!, $other: Upload!) { one: updateMyPicture(image: $one) { id } other: updateMyPicture(image: $other) { id } }",
            variables: { one: null, other: null },
          }),
          map("variables.one", "variables.other"),
        ),
    ],
  ])("of %s the second is refused, as a file can be read once", async (_what, make) => {
    const response = await site.gateway.fetch("/graphql", {
      method: "POST",
      as: site.admin,
      headers: { "content-type": formType, "apollo-require-preflight": "true" },
      body: Uint8Array.from(make()),
    });
    const { errors } = (await response.json()) as { errors: object[] };
    // The first may be done or not.
    await site.expectNothingHidden();
    before = await site.traces();
    expect(errors).toMatchObject([{ path: ["other"], extensions: { code: "BAD_REQUEST" } }]);
  });

  it("one whose file nobody reads is answered all the same", async () => {
    const query = "query ($image: Upload) { me { id } }";
    for (const content of [picture, Buffer.alloc(maximumBytes)]) {
      const body = bodyOf([
        text("operations", JSON.stringify({ query, variables: { image: null } })),
        text("map", map("variables.image")),
        { ...file(), content },
      ]);
      expect((await send({ body })).code).not.toBe("INTERNAL");
    }
    await expectNoTrace();
  });
});
