// Needs no gateway.

import { CameraStatuses, streamStatusOf } from "../../src/programs/connectors/frigate/camera-statuses.js";
import { objectOfMessage, reviewOfMessage } from "../../src/programs/connectors/frigate/frigate-messages.js";
import { camerasOfConfig } from "../../src/programs/connectors/frigate/frigate-site.js";
import { listOf } from "../support/list-of.js";

const message = (value: unknown) => Buffer.from(JSON.stringify(value));

/** A message of `frigate/reviews`, with the fields that Frigate documents. */
const reviewMessage = (after: object, data: object = {}) =>
  message({
    type: "update",
    before: {},
    after: {
      id: "1718987129.308396-fqk5ka",
      camera: "front_cam",
      start_time: 1718987129.308396,
      end_time: null,
      severity: "alert",
      thumb_path: "/media/frigate/clips/review/thumb-front_cam-1718987129.308396-fqk5ka.webp",
      data: {
        detections: ["1718987128.947436-g92ztx", "1718987148.879516-d7oq7r"],
        objects: ["person-verified", "car"],
        sub_labels: ["Bob"],
        zones: ["front_yard"],
        audio: [],
        metadata: null,
        ...data,
      },
      ...after,
    },
  });

describe("a message about a review", () => {
  it("is read as Frigate documents it", () => {
    expect(reviewOfMessage(reviewMessage({}))).toEqual({
      id: "1718987129.308396-fqk5ka",
      camera: "front_cam",
      isAlert: true,
      start: 1718987129308.396,
      end: null,
      objectIds: ["1718987128.947436-g92ztx", "1718987148.879516-d7oq7r"],
      labels: ["person", "car"],
      subLabels: ["Bob"],
      zones: ["front_yard"],
      sounds: [],
    });
  });

  it("may lack lists, and have names of prototypes", () => {
    const read = reviewOfMessage(
      message(
        JSON.parse(
          '{"after": {"id": "__proto__", "camera": "constructor", "start_time": 1, "severity": "detection", "__proto__": {"severity": "alert"}, "data": {"zones": ["__proto__", 7, null, ""]}}}',
        ),
      ),
    );
    expect(read).toMatchObject({
      id: "__proto__",
      camera: "constructor",
      isAlert: false,
      zones: ["__proto__"],
      objectIds: [],
    });
  });

  it("keeps no more than a part of endless lists", () => {
    const zones = listOf(5000, (index) => `zone ${index}`);
    expect(reviewOfMessage(reviewMessage({}, { zones }))?.zones).toHaveLength(200);
  });

  it.each([
    ["no JSON", Buffer.from("online")],
    ["null", message(null)],
    ["a review without an id", reviewMessage({ id: undefined })],
    ["a review with a date for a time", reviewMessage({ start_time: "2026-11-27" })],
    ["a review with a time that no clock shows", reviewMessage({ start_time: 1e300 })],
    ["a review without data", reviewMessage({ data: null })],
    ["more than Frigate ever sends", reviewMessage({ camera: "x".repeat(300_000) })],
  ])("is ignored if it is %s", (_, payload) => {
    expect(reviewOfMessage(payload)).toBeNull();
  });
});

it("an object is read with its box, its zones and its end", () => {
  const after = {
    id: "1607123955.475377-mxklsc",
    camera: "front_door",
    frame_time: 1607123962.5,
    label: "person",
    sub_label: ["Bob", 0.9],
    end_time: null,
    box: [432, 496, 544, 854],
    current_zones: ["yard"],
    entered_zones: ["driveway", "yard"],
  };
  expect(objectOfMessage(message({ type: "new", before: null, after }))).toEqual({
    id: "1607123955.475377-mxklsc",
    camera: "front_door",
    label: "person",
    box: { left: 432, top: 496, right: 544, bottom: 854 },
    seenAt: 1607123962500,
    hasEnded: false,
    zones: ["yard", "driveway"],
  });
  expect(objectOfMessage(message({ after: { ...after, box: [1, 2] } }))).toBeNull();
});

describe("Frigate's configuration", () => {
  const camera = (zones: object) => ({ detect: { width: 1280, height: 720, fps: 5 }, zones });
  const polygonOf = (coordinates: unknown) =>
    camerasOfConfig({ cameras: { door: camera({ yard: { coordinates } }) } })
      ?.get("door")
      ?.zones.get("yard")?.polygon;
  const triangle = [
    { x: 0, y: 0 },
    { x: 0.5, y: 0 },
    { x: 0.5, y: 1 },
  ];

  it.each([
    ["shares of the frame", "0,0,0.5,0,0.5,1.0"],
    ["pairs", ["0,0", "0.5,0", "0.5,1"]],
    ["pixels, as it was written once", "0,0,640,0,640,720"],
  ])("tells polygons as %s", (_, coordinates) => {
    expect(polygonOf(coordinates)).toEqual(triangle);
  });

  it.each([
    ["a line", "0,0,1,1"],
    ["nothing", ""],
    ["half a point", "0,0,1,1,0,1,1"],
    ["words", "a,b,c,d,e,f"],
    ["null", null],
  ])("has no polygon in %s", (_, coordinates) => {
    expect(polygonOf(coordinates)).toEqual([]);
  });

  it("leaves out cameras that it cannot read, and keeps odd names", () => {
    const cameras = JSON.parse(
      '{"constructor": {"detect": {"width": 4, "height": 2}}, "__proto__": {}, "broken": {"detect": {}}, "none": 3}',
    );
    expect([...(camerasOfConfig({ cameras }) ?? [])]).toEqual([
      ["constructor", { detect: { width: 4, height: 2 }, zones: new Map(), alertLabels: [] }],
    ]);
    expect(camerasOfConfig([])).toBeNull();
  });
});

describe("the status of a stream", () => {
  const told = (statuses: CameraStatuses, at: number) => statuses.settled(at).get("door");

  it("is taken at once when it is first known to work, and when it is switched off", () => {
    const statuses = new CameraStatuses(60_000);
    statuses.observe("door", "online", 0);
    expect(told(statuses, 0)).toBe("online");
    statuses.observe("door", "disabled", 1);
    expect(told(statuses, 1)).toBe("disabled");
  });

  it("is offline after it was so for a while", () => {
    const statuses = new CameraStatuses(60_000);
    statuses.observe("door", "offline", 0);
    statuses.observe("door", "offline", 50_000);
    expect(told(statuses, 59_999)).toBeUndefined();
    expect(told(statuses, 60_000)).toBe("offline");
  });

  it("stays as it was over one restart of Frigate's process", () => {
    const statuses = new CameraStatuses(60_000);
    statuses.observe("door", "offline", 0);
    statuses.observe("door", "online", 20_000);
    expect(told(statuses, 70_000)).toBeUndefined();
    expect(told(statuses, 80_000)).toBe("online");
    // The next trouble is counted from its own beginning.
    statuses.observe("door", "offline", 100_000);
    expect(told(statuses, 159_999)).toBeUndefined();
  });

  it("is offline while it alternates, as it does for a camera that cannot be reached", () => {
    const statuses = new CameraStatuses(60_000);
    for (const at of [0, 30_000, 60_000, 90_000]) {
      statuses.observe("door", "offline", at);
      statuses.observe("door", "online", at + 15_000);
    }
    expect(told(statuses, 119_000)).toBeUndefined();
    statuses.observe("door", "offline", 120_000);
    expect(told(statuses, 120_000)).toBe("offline");
  });

  it("is one of three words", () => {
    expect(
      ["online", " Offline\n", "disabled", "ON", "", "online".repeat(9)].map((text) =>
        streamStatusOf(Buffer.from(text)),
      ),
    ).toEqual(["online", "offline", "disabled", null, null, null]);
  });
});
