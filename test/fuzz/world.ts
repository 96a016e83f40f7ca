import { decodeNodeId } from "../../src/engine/nodes/node-id.js";
import type { SeededRandom } from "../../src/programs/demo/seeded-random.js";
import { listOf } from "../support/list-of.js";

/**
 * The values for requests: ids by the name of the parameter or field that takes them, and
 * callers.
 */
export interface World {
  ids: Record<string, readonly string[]>;
  /** Cursors of items by the name of the field that takes them, where they are known. */
  cursors?: Record<string, readonly string[]>;
  /**
   * Authorization headers; undefined for anonymous requests. The earlier, the more
   * likely.
   */
  callers: readonly (string | undefined)[];
  /** Links for sending pictures without credentials. */
  uploadUrls: readonly string[];
  /** The end of periods. */
  now: Date;
}

/** A caller, mostly one with permissions. */
export const callerOf = (random: SeededRandom, { callers }: World): string | undefined =>
  random.weighted(callers.map((caller, index) => [caller, 1 / (index + 1) ** 2] as const));

/** The header with which a caller sends a request, if any. */
export function authorizationOf(random: SeededRandom, world: World): { authorization?: string } {
  const authorization = callerOf(random, world);
  return authorization === undefined ? {} : { authorization };
}

/** An id for a parameter or field of this name: mostly one that exists. */
export function idFor(name: string, random: SeededRandom, { ids }: World): string {
  const singular = name.replace(/s$/, "");
  const known = ids[singular] ?? ids[`${singular.replace(/Id$/, "")}Id`];
  if (known && random.chance(0.8)) return random.pick(known);
  return random.chance(0.5)
    ? random.pick(random.pick(Object.values(ids).filter((each) => each.length > 0)))
    : randomUuid(random);
}

/** How a router names an object: by either key, if its type has both. */
export function representationFor(random: SeededRandom, world: World): Record<string, string> {
  const nodeId = idFor("nodeId", random, world);
  const key = decodeNodeId(nodeId);
  if (!key) return { __typename: random.pick(["Camera", "Facility"]), id: randomUuid(random) };
  const isByNodeId = key.type === "Alert" || random.chance(0.5);
  return { __typename: key.type, ...(isByNodeId ? { nodeId } : { id: key.id }) };
}

export function randomUuid(random: SeededRandom): string {
  const hex = (length: number) => listOf(length, () => random.integer(0, 15).toString(16)).join("");
  return [8, 4, 4, 4, 12].map(hex).join("-");
}

/** A text that suits a parameter or field of this name. */
export function textFor(name: string, random: SeededRandom): string {
  const texts: Record<string, readonly string[]> = {
    url: [
      "rtsp://user:secret@camera.example/1",
      "https://pictures.example/a.jpg",
      "http://camera.example:8080/stream?x=1",
    ],
    thumbnailUrl: ["https://pictures.example/b.jpg"],
    region: ["TR", "NL", "BR", "US"],
    phoneNumber: ["+905321234567", "0532 123 45 67", "+31612345678"],
    timeZoneId: ["Europe/Istanbul", "Asia/Kathmandu", "UTC"],
    type: ["NO_HELMET", "STATIC_DELIMITATION_AREA", "direct", "hostedserver"],
    severity: ["LOW", "MEDIUM", "HIGH"],
    action: ["alerts:read", "cameras:write", "facilities:read"],
    permission: ["alerts:read", "cameras:read"],
    role: ["alerts:read", "users:read"],
    email: ["someone@example.org"],
    emailAddresse: ["someone@example.org", "else@example.org"],
    width: ["1280"],
    height: ["720"],
    streamType: ["direct", "proxy", "vpn"],
    streamProtocol: ["rtsp", "hls"],
    status_detail: ["OPERATIONAL", "STREAM_ERROR"],
    statusDetail: ["OPERATIONAL", "STREAM_ERROR"],
    source: ["client", "dashboard", "CLIENT"],
    status: ["ACTIVE", "PASSIVE"],
    aggregate: ["day", "week", "month"],
    after: ["", "bad cursor"],
    separator: [",", ";"],
    language: ["en", "de"],
    text: ["a", "gate", "Ş"],
  };
  const suitable = texts[name] ?? texts[name.replace(/s$/, "")];
  if (suitable) return random.pick(suitable);
  return random.pick([
    "Gate",
    "Gate 2 – north",
    "Çalışma alanı",
    "鎌倉",
    "a".repeat(random.integer(1, 200)),
    "🎥",
    "x",
  ]);
}

/** A value that breaks most rules. */
export const brokenValue = (random: SeededRandom): unknown => random.pick(brokenValues);

const brokenValues: readonly unknown[] = [
  null,
  "",
  "   ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\u202e\u2066",
  "x".repeat(5_000),
  "__proto__",
  "constructor",
  "../../../etc/passwd",
  "' OR 1=1 --",
  "%00",
  "%",
  "0x10",
  "1e400",
  "2026-13-45T99:99:99Z",
  "0000-01-01T00:00:00.000Z",
  "+275760-09-13T00:00:00.001Z",
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-fffffffffffg",
  "http://[::1",
  "javascript:alert(1)",
  -1,
  0,
  1.5,
  1e21,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  true,
  [],
  [[]],
  [null],
  {},
  { toString: null },
  JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":1}}'),
  Array(1_001).fill("x"),
  Array.from({ length: 70 }).reduce<unknown>((inner) => [inner], 1),
];
