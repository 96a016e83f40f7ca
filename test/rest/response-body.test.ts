// Needs no gateway.
import fc from "fast-check";
import { buildSchema, parse } from "graphql";
import { shapeOfOperation } from "../../src/api/rest/operation-shape.js";
import { responseBody, serializerOf } from "../../src/api/rest/response-body.js";
import type { Route } from "../../src/engine/route/route.js";
import { ServiceError } from "../../src/platform/errors/errors.js";
import { JsonText } from "../../src/platform/json/json-text.js";

const routeTo = (from: string[], nullable = false) =>
  ({ response: { envelope: "bare", from, nullable } }) as unknown as Route;

/** The part of the data that a route returns unchanged. */
const memberAt = (from: string[], data: unknown, nullable = false) =>
  responseBody(routeTo(from, nullable), data, (value) => value, {});

describe("a member of an answer that came as text", () => {
  it.each([
    ["an object, before another member", '{"camera":{"id":1},"facility":{"id":2}}', '{"id":1}'],
    ["an empty object", '{"camera":{}}', "{}"],
    ["an empty list, before another member", '{"camera":[],"facility":{}}', "[]"],
    [
      "a list of lists, as it is laid out",
      '{"camera":[[1, 2], [], {"a" : [3]}],"facility":1}',
      '[[1, 2], [], {"a" : [3]}]',
    ],
    ["a number, before another member", '{"camera":-1.5e7,"facility":2}', "-1.5e7"],
    ["a word, at the end", '{"camera":false}', "false"],
    ["a text that ends in a backslash", '{"camera":"C:\\\\","facility":"}"}', '"C:\\\\"'],
    [
      "a text with quotes, braces and commas",
      '{"camera":"\\"},{\\"facility\\":[","facility":1}',
      '"\\"},{\\"facility\\":["',
    ],
    [
      "braces in texts and names, of an object",
      '{"camera":{"}":"]}","\\"":"{"},"facility":1}',
      '{"}":"]}","\\"":"{"}',
    ],
    [
      "an object with a member of that name",
      '{"camera":{"camera":{"camera":1}},"facility":1}',
      '{"camera":{"camera":1}}',
    ],
    ["a text that reads null", '{"camera":"null"}', '"null"'],
  ])("is cut out of it: %s", (_what, text, expected) => {
    const member = memberAt(["camera"], new JsonText(text));
    expect(member).toBeInstanceOf(JsonText);
    expect((member as JsonText).text).toBe(expected);
  });

  it.each([
    ["after one in which its name is that of a member", '{"facility":{"camera":1},"camera":{"id":2}}'],
    ["after a text that looks like it", '{"name":"\\"camera\\":1,","camera":{"id":2}}'],
    ["after one whose name begins like its own", '{"camera2":1,"camera":{"id":2}}'],
    ["where the text is laid out otherwise", '{ "camera" : { "id" : 2 } }'],
  ])("is found %s", (_where, text) => {
    expect(JSON.stringify(memberAt(["camera"], new JsonText(text)))).toBe('{"id":2}');
  });

  it("is that of the data at each level, whatever the data is", () => {
    const hostile = fc.constantFrom('"a":', '{"a":{"b":', '\\"', "\\", "}", "]", ",", "null", '","a":1');
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 4 }),
      fc.dictionary(hostile, hostile),
      fc.array(hostile, { maxLength: 4 }),
      fc.record({ a: fc.jsonValue() }),
    );
    fc.assert(
      fc.property(value, value, fc.boolean(), (inner, other, isFirst) => {
        const data = isFirst ? { a: { b: inner, other }, other } : { other, a: { other, b: inner } };
        const found = memberAt(["a", "b"], new JsonText(JSON.stringify(data)), true);
        expect(JSON.stringify(found)).toBe(JSON.stringify(inner));
      }),
    );
  });

  it.each([
    new JsonText('{"camera":null,"facility":1}'),
    new JsonText('{"facility":1,"camera":null}'),
    { camera: null },
  ])("that is null is not found, unless it may be null: %o", (data) => {
    expect(() => memberAt(["camera"], data)).toThrow(ServiceError);
    expect(() => memberAt(["camera", "id"], data, true)).toThrow(ServiceError);
    expect(memberAt(["camera"], data, true)).toBeNull();
  });
});

describe("the values of enums, which are lower case in REST", () => {
  const schema = buildSchema(`
    enum StreamType { DIRECT VPN }
    enum StreamProtocol { RTSP }
    scalar JSON
    type Camera {
      name: String, streamType: StreamType, streamProtocol: StreamProtocol, types: [StreamType], source: String, settings: JSON, cameras: [Camera]
    }
    type Query { cameras: [Camera] }
  `);
  const document = parse(`{ cameras {
    name streamType protocol: streamProtocol types source settings streamProtocol: source
    cameras { streamType: name type: streamType } nested: cameras { name }
  } }`);
  const serialize = serializerOf(shapeOfOperation(schema, document));

  const looksLikeOne = '"streamType":"DIRECT","streamProtocol":"RTSP"';
  const settings = {
    streamType: "VPN",
    'x"streamType': "DIRECT",
    "\\": { type: "VPN", cameras: [{ streamType: "VPN" }] },
    text: looksLikeOne,
  };
  const camera = {
    ...{
      name: looksLikeOne,
      streamType: "DIRECT",
      protocol: "RTSP",
      types: ["VPN", null],
      source: "CLIENT",
      settings,
      streamProtocol: "CLIENT",
    },
    ...{
      cameras: [{ streamType: "VPN", type: "VPN" }, { streamType: `\\${looksLikeOne}`, type: null }, null],
      nested: [{ name: "VPN" }],
    },
  };
  const unset = {
    name: "{",
    streamType: null,
    protocol: null,
    types: null,
    source: null,
    settings: {},
    streamProtocol: null,
    cameras: null,
    nested: [],
  };
  const data = { cameras: [camera, null, unset] };
  const expected = {
    cameras: [
      {
        ...camera,
        ...{ streamType: "direct", protocol: "rtsp", types: ["vpn", null] },
        cameras: [{ streamType: "VPN", type: "vpn" }, { streamType: `\\${looksLikeOne}`, type: null }, null],
      },
      null,
      unset,
    ],
  };

  it.each([
    ["an object", data],
    ["text", new JsonText(JSON.stringify(data))],
    ["an object with text", { cameras: data.cameras.map((each) => new JsonText(JSON.stringify(each))) }],
  ])("are lowered where an enum was selected, and nowhere else, in what came as %s", (_as, value) => {
    expect(JSON.stringify(serialize(value))).toBe(JSON.stringify(expected));
  });

  it("are not looked for in data without an enum, which stays text", () => {
    const text = new JsonText(JSON.stringify(data));
    expect(
      serializerOf(shapeOfOperation(schema, parse("{ cameras { name source settings cameras { name } } }")))(
        text,
      ),
    ).toBe(text);
  });
});
