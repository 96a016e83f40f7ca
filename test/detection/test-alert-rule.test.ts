// Runs once: both kinds of databases run the same statements.

import { randomUUID } from "node:crypto";
import { type Preset, presets } from "../../src/console/rules/form/presets.js";
import { permissions } from "../../src/engine/access/permissions.js";
import { createAdmin, createCamera, createFacility, createTestUser } from "../support/factories.js";
import { refusal, run, sharedWorkspace } from "../support/harness.js";
import { listOf } from "../support/list-of.js";

const cameraId = randomUUID();
const { gateway, prisma, workspaceId } = await sharedWorkspace();
const facilityId = await createFacility(prisma, { workspaceId, timeZoneId: "Europe/Berlin" });
await createCamera(prisma, {
  id: cameraId,
  workspaceId,
  facilityId,
  imageDimensions: { width: 1280, height: 720 },
});
const admin = await createAdmin(prisma, workspaceId);

const query = `mutation ($id: UUID!, $group: JSONObject!, $frames: [DetectionFrameInput!]!, $dayRange: [Int!], $timeRange: [DateTimeISO!]) {
  testAlertRule(cameraId: $id, group: $group, frames: $frames, dayRange: $dayRange, timeRange: $timeRange) {
    alerts { at count violatingCoordinates { x y } }
  }
}`;

/** The left half of the camera's picture. */
const leftHalf = {
  type: "AREA",
  name: "Left",
  points: [
    { x: 0, y: 0 },
    { x: 640, y: 0 },
    { x: 640, y: 720 },
    { x: 0, y: 720 },
  ],
};
const group = {
  type: "GROUP",
  operator: "AND",
  children: [leftHalf, { type: "PERSON_DETECTION", objects: ["Person"] }],
};
const box = (x: number) => ({ x, y: 100, width: 20, height: 80 });
const person = (trackId: string, x: number) => ({ label: "PERSON", trackId, box: box(x) });
/** A frame of half the size of the camera's picture. */
const frame = (at: string, objects: object[], values: object = {}) => ({
  cameraId,
  at: `2026-11-20T${at}Z`,
  width: 640,
  height: 360,
  objects,
  ...values,
});
const stay = [frame("09:30:00", [person("1", 100)]), frame("09:30:01", [person("1", 110)])];

const call = (values: object = {}): [string, object] => [
  query,
  { id: cameraId, group, frames: stay, ...values },
];
const alertsOf = async (values?: object) =>
  (await run<{ testAlertRule: { alerts: object[] } }>(gateway, admin, call(values))).testAlertRule.alerts;

const alert = { at: "2026-11-20T09:30:01.000Z", count: 1, violatingCoordinates: [{ x: 120, y: 180 }] };

it("says which alerts a rule would raise, with points in pixels of the frame, and writes nothing", async () => {
  const rows = async () => {
    const { alert, alertRule, auditEntry } = prisma;
    return Promise.all([alert, alertRule, auditEntry].map((each) => (each as typeof alert).count()));
  };
  const before = await rows();
  expect(await alertsOf()).toEqual([alert]);
  expect(await alertsOf({ frames: stay.map((each) => ({ ...each, objects: [person("1", 330)] })) })).toEqual(
    [],
  );
  expect(await rows()).toEqual(before);
});

it("applies days and times by the clock of the facility", async () => {
  // Half past ten on a Friday.
  const times = (start: string, end: string) => [
    `2026-06-01T${start}:00+02:00`,
    `2026-06-01T${end}:00+02:00`,
  ];
  expect(await alertsOf({ dayRange: [5], timeRange: times("10:30", "11:00") })).toEqual([alert]);
  expect(await alertsOf({ dayRange: [5], timeRange: null })).toEqual([alert]);
  expect(await alertsOf({ dayRange: [0, 1, 2, 3, 4, 6] })).toEqual([]);
  expect(await alertsOf({ timeRange: times("11:00", "10:30") })).toEqual([]);
});

describe("refuses, and names the path:", () => {
  const withObject = (values: object) => ({
    frames: [stay[0], frame("09:30:01", [person("1", 100), { ...person("2", 200), ...values }])],
  });
  const withFrame = (values: object) => ({ frames: [{ ...stay[0], ...values }] });
  const people = (count: number) => listOf(count, (n) => person(`${n}`, 100));
  const tooFarAhead = () => new Date(Date.now() + 6 * 60_000).toISOString();
  it.each<[string, () => object, string]>([
    ["no frames", () => ({ frames: [] }), "frames"],
    ["1001 frames", () => ({ frames: Array(1001).fill(frame("09:30:00", [])) }), "frames"],
    [
      "a frame of another camera",
      () => ({ frames: [stay[0], { ...stay[1], cameraId: randomUUID() }] }),
      "frames.1.cameraId",
    ],
    ["a frame of 1999", () => withFrame({ at: "1999-12-31T23:59:59Z" }), "frames.0.at"],
    ["a frame ahead of the clock", () => withFrame({ at: tooFarAhead() }), "frames.0.at"],
    ["a frame without a width", () => withFrame({ width: 0 }), "frames.0.width"],
    ["a frame that is too high", () => withFrame({ height: 1_000_001 }), "frames.0.height"],
    ["201 objects", () => withFrame({ objects: people(201) }), "frames.0.objects"],
    [
      "a box with a negative height",
      () => withObject({ box: { ...box(1), height: -1 } }),
      "frames.1.objects.1.box.height",
    ],
    ["a trackId twice in a frame", () => withObject({ trackId: "1" }), "frames.1.objects.1.trackId"],
    ["an empty trackId", () => withObject({ trackId: "" }), "frames.1.objects.1.trackId"],
    ["a long trackId", () => withObject({ trackId: "x".repeat(101) }), "frames.1.objects.1.trackId"],
    ["an empty label", () => withObject({ label: "" }), "frames.1.objects.1.label"],
    ["a long label", () => withObject({ label: "x".repeat(101) }), "frames.1.objects.1.label"],
    ["a confidence over 1", () => withObject({ confidence: 1.01 }), "frames.1.objects.1.confidence"],
    ["a negative confidence", () => withObject({ confidence: -0.01 }), "frames.1.objects.1.confidence"],
    [
      "a nested attribute",
      () => withObject({ attributes: { helmet: { color: "red" } } }),
      "frames.1.objects.1.attributes.helmet",
    ],
    [
      "21 attributes",
      () => withObject({ attributes: Object.fromEntries(listOf(21, (n) => [n, n])) }),
      "frames.1.objects.1.attributes",
    ],
    [
      "5001 objects in all",
      () => ({
        frames: listOf(26, (n) => frame(`09:30:${n + 10}`, people(n < 25 ? 200 : 1))),
      }),
      "frames",
    ],
    ["a tree of 101 nodes", () => ({ group: { ...group, children: Array(100).fill(leftHalf) } }), "group"],
    ["an invalid tree", () => ({ group: { ...group, children: [] } }), "group.children"],
    ["a day of no week", () => ({ dayRange: [7] }), "dayRange.0"],
    ["one time", () => ({ timeRange: ["2026-06-01T10:00:00Z"] }), "timeRange"],
  ])("%s", async (_what, values, path) => {
    expect(await refusal(gateway, admin, call(values()))).toMatchObject({
      code: "BAD_REQUEST",
      paths: [path],
    });
  });

  it("NaN as a number", async () => {
    const text = JSON.stringify({ query, variables: call(withObject({ confidence: 2 }))[1] });
    const { status } = await gateway.fetch("/graphql", {
      method: "POST",
      as: admin.as,
      headers: { "content-type": "application/json" },
      body: text.replace('"confidence":2', '"confidence":NaN'),
    });
    expect(status).toBe(400);
  });
});

it("accepts labels of any script, boxes partly in the frame, and attributes of any name", async () => {
  const objects = [
    { label: "İNSAN 人 🚶", box: { x: -10, y: 350, width: 11, height: 20 }, attributes: { constructor: 1 } },
  ];
  expect(await alertsOf({ frames: [frame("09:30:00", objects)] })).toEqual([]);
});

it("needs alert-rules:write at the camera's facility", async () => {
  const reader = await createTestUser(prisma, {
    workspaceId,
    roles: permissions.filter((each) => each !== "alert-rules:write"),
  });
  expect(await refusal(gateway, reader, call())).toMatchObject({ code: "FORBIDDEN" });
});

const objects = (label: string, attributes = {}, count = 1) =>
  Array.from({ length: count }, (_, index) => ({ ...person(`${index}`, 40 * index), label, attributes }));

it.each<[Preset, told: object[], ignored: object[], seconds: number]>([
  ["forbiddenArea", objects("person"), objects("car"), 1],
  ["vehicle", objects("forklift"), objects("person"), 1],
  ["noHelmet", objects("person", { helmet: false }), objects("person", { helmet: true }), 1],
  ["noVest", objects("person", { vest: false }), objects("person"), 1],
  ["tooLong", objects("person"), objects("car"), 60],
  ["tooMany", objects("person", {}, 6), objects("person", {}, 5), 1],
  ["tooFew", objects("person"), objects("person", {}, 2), 1],
  ["blockedExit", objects("pallet"), [], 60],
])(
  "the console's preset %s raises an alert of what it says, and of nothing else",
  async (preset, told, ignored, seconds) => {
    const began = Date.parse("2026-11-20T09:30:00Z");
    const firstOf = async (seen: object[]) => {
      const frames = Array.from({ length: 62 }, (_, second) =>
        frame("", seen, { at: new Date(began + second * 1000) }),
      );
      const [first] = await alertsOf({ group: { ...group, children: [presets[preset]] }, frames });
      return first;
    };
    expect(await firstOf(told)).toMatchObject({ at: new Date(began + seconds * 1000).toISOString() });
    expect(await firstOf(ignored)).toBeUndefined();
  },
);
