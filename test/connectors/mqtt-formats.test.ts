// Runs once: no database can influence what is tested here.
import { leftHalf, person, personsInLeftHalf } from "../detection/detector.js";
import { type Gateway, sharedGateway } from "../support/harness.js";
import { MqttSite } from "./mqtt-site.js";

let gateway: Gateway;
let site: MqttSite;
beforeEach(async () => {
  gateway = await sharedGateway();
  site = await MqttSite.forTest(gateway);
});

/** A box around a person who stands in the left half, in shares of the picture. */
const bounding_box = { left: 0.1, top: 0.2, right: 0.2, bottom: 0.5 };
const outside = { left: 1.2, top: 0.2, right: 1.4, bottom: 0.5 };

it.each<[string, object, (at: string) => object, object, { x: number; y: number }]>([
  [
    "of Axis scene metadata",
    { topic: "axis/+/scene", format: "AXIS_SCENE", labels: { Human: "PERSON" } },
    (at) => ({
      channel_id: 1,
      timestamp: at.replace("Z", "123Z"),
      detections: [
        {
          object_track_id: "8e653185-8e54-4dca-8af1-9f7202aca120",
          bounding_box,
          class: { type: "Human", score: 0.7, upper_clothing_colors: [{ name: "black", score: 0.66 }] },
        },
        { object_track_id: "other", bounding_box: outside, class: { type: "Human", score: 0.7 } },
        { object_track_id: "unreadable", bounding_box: { left: "0" } },
        { object_track_id: "new", bounding_box },
      ],
      track_events: [{ type: "TrackEnded", object_track_id: "before" }],
    }),
    { trackId: "8e653185-8e54-4dca-8af1-9f7202aca120", confidence: 0.7, label: "PERSON" },
    { x: expect.closeTo(288), y: 540 },
  ],
  [
    "of the beta of Axis scene metadata",
    { topic: "axis/+/scene", format: "AXIS_SCENE", labels: { Human: "PERSON" } },
    (at) => ({
      frame: {
        timestamp: at,
        observations: [{ track_id: "7", bounding_box, class: { type: "Human", score: 0.6 } }],
        operations: [{ type: "DeleteOperation", id: "3" }],
      },
    }),
    { trackId: "7", confidence: 0.6, label: "PERSON" },
    { x: expect.closeTo(288), y: 540 },
  ],
  [
    "in DeepStream's minimal schema, with a classifier",
    { topic: "axis/yard/scene", format: "DEEPSTREAM", frame: { width: 1280, height: 960 } },
    (at) => ({
      version: "4.0",
      id: 12,
      "@timestamp": at,
      sensorId: "yard",
      objects: ["957|128|192|256|480|Person|#|walking|0.8", "958|1|2|three|4|Person", 17],
    }),
    { trackId: "957", confidence: 0.8, label: "Person" },
    { x: 192, y: 480 },
  ],
  [
    "in DeepStream's minimal schema, without a tracker",
    { topic: "axis/#", format: "DEEPSTREAM", camera: "$sensor", frame: { width: 1280, height: 960 } },
    (at) => ({
      version: "4.0",
      id: "12",
      "@timestamp": at,
      sensorId: "yard",
      objects: ["18446744073709551615|128|192|256|480|person", "18446744073709551615|900|192|990|480|person"],
    }),
    { confidence: 1, label: "person" },
    { x: 192, y: 480 },
  ],
  [
    "in the gateway's own form",
    { topic: "axis/+/scene", format: "GATEWAY" },
    (at) => ({
      cameraId: "yard",
      at,
      width: 640,
      height: 480,
      objects: [person(96, 240, { trackId: "a", attributes: { helmet: false } })],
    }),
    { trackId: "a", confidence: 0.9, label: "person", attributes: { helmet: false } },
    { x: 96, y: 240 },
  ],
])("an alert is raised from a frame %s", async (_what, source, frameAt, object, point) => {
  const ruleId = await site.detector.newRule();
  await site.connect({ sources: [source] });
  const at = new Date().toISOString();
  await site.broker.publish("axis/yard/scene", frameAt(at));
  const [alert] = await site.alerts(1);
  expect(alert).toMatchObject({
    createdAt: new Date(at),
    alertRuleId: ruleId,
    count: 1,
    info: { source: "detections", objects: [object] },
    violatingCoordinates: [point],
  });
});

it("an Axis frame without objects ends the stay of those that were there", async () => {
  await site.detector.newRule({
    group: personsInLeftHalf({ cooldownSeconds: 0 }, { objects: ["human"] }),
  });
  await site.connect({ sources: [{ topic: "scene", format: "AXIS_SCENE", camera: "yard" }] });
  const start = Date.now() - 300_000;
  const frame = (seconds: number, detections?: object[]) => ({
    channel_id: 1,
    timestamp: new Date(start + seconds * 1000).toISOString(),
    ...(detections && { detections }),
  });
  const human = { object_track_id: "1", bounding_box, class: { type: "Human", score: 0.9 } };
  await site.broker.publish("scene", frame(0, [human]));
  await site.broker.publish("scene", frame(1));
  for (const seconds of [20, 40, 61, 63]) await site.broker.publish("scene", frame(seconds));
  await site.broker.publish("scene", frame(64, [human]));
  const alerts = await site.alerts(2);
  expect(alerts.map(({ createdAt }) => createdAt.getTime() - start)).toEqual([0, 64_000]);
});

it("objects that a camera has not classified satisfy an area alone, and no detection", async () => {
  const area = await site.detector.newRule({
    name: "AREA",
    group: { type: "GROUP", operator: "AND", cooldownSeconds: 0, children: [leftHalf] },
  });
  await site.detector.newRule({ group: personsInLeftHalf({ cooldownSeconds: 0 }, { objects: [] }) });
  await site.connect({ sources: [{ topic: "scene", format: "AXIS_SCENE", camera: "yard" }] });
  const start = Date.now() - 10_000;
  for (const seconds of [0, 1, 2])
    await site.broker.publish("scene", {
      channel_id: 1,
      timestamp: new Date(start + seconds * 1000).toISOString(),
      detections: [{ object_track_id: "1", bounding_box }],
    });
  const [alert, ...others] = await site.alerts(1);
  expect([alert?.alertRuleId, others]).toEqual([area, []]);
});
