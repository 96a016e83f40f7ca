// Runs once: no database can influence what is tested here.
import { type Body, malformedParts, post, repeatPart, unsupportedTypes } from "./hostile-parts.js";
import { encodeBody, encodePart, type FormPart, formType } from "./multipart.js";
import { addCamera } from "./upload-apis.js";
import { maxBytes, openForRefusedUploads } from "./upload-site.js";

let { site, before, picture } = await openForRefusedUploads();
afterAll(() => site.close());

const expectUnchanged = () => site.expectUnchanged(before);

describe("a GraphQL multipart request", () => {
  const send = (body: Body) => post(site, ["POST", "/graphql"], body);
  const variables = () => ({
    facilityId: site.ids.facilityId,
    input: { name: "Gate", image: null } as object,
  });
  const operations = (changes: object = {}) =>
    JSON.stringify({ query: addCamera, variables: variables(), ...changes });
  const withInput = (input: object) =>
    operations({ variables: { ...variables(), input: { ...variables().input, ...input } } });
  const map = (...paths: string[]) => JSON.stringify({ 0: paths });
  const atImage = map("variables.input.image");
  const text = (name: string, content: string): FormPart => ({ name, content });
  const file = (name = "0"): FormPart => ({
    name,
    filename: "gate.jpg",
    type: "image/jpeg",
    content: picture,
  });
  const fields = (json = operations(), mapped = atImage) => [text("operations", json), text("map", mapped)];
  const valid = (json?: string, mapped?: string) => encodeBody([...fields(json, mapped), file()]);
  const beforePath = (mapped: string) => () => valid(undefined, mapped);

  const hostile: [string, () => Body, string?][] = [
    [
      "with its map before its operations",
      () => encodeBody([text("map", atImage), text("operations", operations()), file()]),
    ],
    [
      "with its file before its map",
      () => encodeBody([text("operations", operations()), file(), text("map", atImage)]),
    ],
    ["without a map", () => encodeBody([text("operations", operations())])],
    ["whose operations are not JSON", () => valid("mutation")],
    [
      "whose operations are a file",
      () =>
        encodeBody([
          { ...text("operations", operations()), filename: "operations" },
          text("map", atImage),
          file(),
        ]),
    ],
    [
      "with a list of operations",
      () =>
        encodeBody([
          text("operations", `[${operations()}]`),
          text("map", map("0.variables.input.image")),
          file(),
        ]),
    ],
    ["whose map is not JSON", beforePath("{")],
    ["whose map is a list", beforePath('[["variables.input.image"]]')],
    ["whose map is empty", beforePath("{}")],
    ["whose map points through __proto__", beforePath(map("variables.__proto__.polluted"))],
    ["whose map points through a constructor", beforePath(map("variables.constructor.prototype.polluted"))],
    [
      "whose map points into a property that the variables inherit",
      beforePath(map("variables.toString.call")),
    ],
    [
      "whose map points into the resolver of the file",
      beforePath(map("variables.input.image", "variables.input.image.resolve")),
    ],
    [
      "whose map points far beyond the end of a list",
      () => valid(withInput({ metadata: { list: [null] } }), map("variables.input.metadata.list.4294967294")),
    ],
    ["whose map points into a string", beforePath(map("variables.facilityId.image"))],
    ["whose map points to the facility", beforePath(map("variables.facilityId"))],
    [
      "whose map points to the metadata too",
      beforePath(map("variables.input.image", "variables.input.metadata")),
    ],
    [
      "whose map points into the metadata too",
      () => valid(withInput({ metadata: {} }), map("variables.input.image", "variables.input.metadata.x")),
    ],
    [
      "whose map names two files",
      () =>
        encodeBody([
          text("operations", operations({ variables: { ...variables(), more: null } })),
          text("map", '{"0": ["variables.input.image"], "1": ["variables.more"]}'),
          file(),
          file("1"),
        ]),
      "PAYLOAD_TOO_LARGE",
    ],
    ["without its file", () => encodeBody(fields())],
    [
      "whose file begins after its end",
      () => Buffer.concat([encodeBody(fields()), encodePart(text("x", "")), encodePart(file())]),
    ],
    ["with a field instead of its file", () => encodeBody([...fields(), text("0", "no picture")])],
    [
      "with an object in place of the file",
      () => valid(withInput({ image: { file: "/etc/passwd", promise: {} } }), "{}"),
    ],
    [
      "that names the file in its query",
      () =>
        valid(
          operations({
            query: addCamera
              .replace("input: $input", 'input: { name: "Gate", image: "0" }')
              .replace(", $input: CreateClientCameraInput!", ""),
          }),
          "{}",
        ),
      "GRAPHQL_VALIDATION_FAILED",
    ],
    ["without the preflight header", () => ({ body: valid(), headers: { "apollo-require-preflight": "" } })],
    [
      "whose operations are longer than 1 MiB",
      () => valid(operations({ extensions: { x: "x".repeat(2 ** 20) } })),
      "PAYLOAD_TOO_LARGE",
    ],
    [
      "whose map is longer than 1 MiB",
      beforePath(JSON.stringify({ 0: [`variables.${"x".repeat(2 ** 20)}`] })),
      "PAYLOAD_TOO_LARGE",
    ],
    [
      "whose variables are nested too deeply",
      () => valid(withInput({ metadata: JSON.parse(`${'{"x":'.repeat(70)}1${"}".repeat(70)}`) })),
    ],
    [
      "whose variables are nested a hundred thousand levels deep",
      () =>
        valid(`{"query": "{ me { id } }", "variables": {"x": ${"[".repeat(100_000)}${"]".repeat(100_000)}}}`),
    ],
    ["whose metadata is a string", () => valid(withInput({ metadata: "{}" }))],
    ["that ends within its operations", () => valid().subarray(0, 100)],
    ["that ends in the middle of its file", () => valid().subarray(0, valid().indexOf(picture) + 300)],
    [
      "with ten thousand fields before the valid ones",
      () => Buffer.concat([repeatPart(10_000, (index) => text(`x${index}`, "x")), valid()]),
    ],
    [
      "with ten thousand files before the valid one",
      () =>
        Buffer.concat([
          ...fields().map(encodePart),
          repeatPart(10_000, () => ({ ...file("x"), content: "" })),
          encodeBody([file()]),
        ]),
    ],
  ];

  const inherited = [Object.prototype.hasOwnProperty, Object.prototype.toString, String.prototype.slice];

  it.each(hostile)("%s is rejected", async (_what, make, expected = "BAD_REQUEST") => {
    const { status, code } = await send(make());
    expect({ code, isServerError: status >= 500 }).toEqual({ code: expected, isServerError: false });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(inherited.filter((method) => Object.hasOwn(method, "call"))).toEqual([]);
    await expectUnchanged();
  });

  it.each(malformedParts)("with a file part %s is rejected", async (_how, changes) => {
    const body = encodeBody([...fields(), { ...file(), ...changes }]);
    expect(await send(body)).toMatchObject({ code: "BAD_REQUEST" });
    await expectUnchanged();
  });

  it.each(unsupportedTypes)("declared as %s is rejected", async (_type, headers) => {
    const { status } = await send({ body: valid(), headers });
    expect(Math.floor(status / 100)).toBe(4);
    await expectUnchanged();
  });

  it.each([
    [
      "two mutations with one file",
      () =>
        valid(operations({ query: addCamera.replace(/(createClientCamera[^}]*\})/, "one: $1 other: $1") })),
    ],
    [
      "two mutations with one file as two variables",
      () =>
        valid(
          JSON.stringify({
            query:
              "mutation ($one: Upload!, $other: Upload!) { one: updateMyPicture(image: $one) { id } other: updateMyPicture(image: $other) { id } }",
            variables: { one: null, other: null },
          }),
          map("variables.one", "variables.other"),
        ),
    ],
  ])("with %s rejects the second, because a file can be read only once", async (_what, make) => {
    const response = await site.gateway.fetch("/graphql", {
      method: "POST",
      as: site.admin,
      headers: { "content-type": formType, "apollo-require-preflight": "true" },
      body: Uint8Array.from(make()),
    });
    const { errors } = (await response.json()) as { errors: object[] };
    // The first may succeed or fail.
    await site.expectNoOrphans();
    before = await site.snapshot();
    expect(errors).toMatchObject([{ path: ["other"], extensions: { code: "BAD_REQUEST" } }]);
  });

  it("whose file is never read still gets a response", async () => {
    const query = "query ($image: Upload) { me { id } }";
    for (const content of [picture, Buffer.alloc(maxBytes)]) {
      const body = encodeBody([
        text("operations", JSON.stringify({ query, variables: { image: null } })),
        text("map", map("variables.image")),
        { ...file(), content },
      ]);
      expect((await send(body)).code).not.toBe("INTERNAL");
    }
    await expectUnchanged();
  });
});
