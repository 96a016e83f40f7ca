// Runs once: no database can influence what is tested here.
// Takes long: it starts connectors.

import { randomBytes } from "node:crypto";
import { person } from "../detection/detector.js";
import { eventually } from "../support/eventually.js";
import { createCamera, createFacility } from "../support/factories.js";
import { type Gateway, sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { eventuallyCounts, MqttSite, samplesOf } from "./mqtt-site.js";

let gateway: Gateway;
let site: MqttSite;
beforeEach(async () => {
  gateway = await sharedGateway();
  site = await MqttSite.forTest(gateway);
  await site.detector.newRule();
});

it("a frame that the gateway refuses does not cost those that are sent with it", async () => {
  const connector = await site.connect();
  const future = new Date(Date.now() + 86_400_000).toISOString();
  const bad = [
    site.detector.frame(2, [person(100, 200, { confidence: 2 })]),
    site.detector.frame(4, [person()], { at: future }),
    site.detector.frame(6, [person(100, 200, { label: "\u0000" })]),
    site.detector.frame(8, [person()], { uploadId: "00000000-0000-4000-8000-000000000000" }),
    { ...site.detector.frame(10), width: 0.5 },
  ];
  for (let second = 1; second <= 11; second += 1)
    await site.broker.publish("frames/yard", second % 2 ? site.detector.frame(second) : bad[second / 2 - 1]);
  const alerts = await site.alerts(6);
  expect(alerts.map(({ createdAt }) => (createdAt.getTime() - site.detector.start) / 1000)).toEqual([
    1, 3, 5, 7, 9, 11,
  ]);
  await eventuallyCounts(connector, 'connector_frames_total{outcome="refused"}', 5);
  await connector.said(/refuses frames: input\.<n>\.at: must be at most 5 minutes in the future/);
});

it("unknown cameras are counted, named once each, and reported to the gateway", async () => {
  const connector = await site.connect({ cameras: { yard: site.detector.cameraId, gate: "No such camera" } });
  for (const camera of ["gate", "\u202Eroof", "gate"])
    await site.broker.publish(`frames/${camera}`, site.detector.frame(0));
  await site.broker.publish("frames/yard", site.detector.frame(1));
  await site.alerts(1);
  await eventuallyCounts(connector, 'connector_frames_total{outcome="unknownCamera"}', 3);
  expect(connector.output.match(/A camera cannot be mapped: /g)).toHaveLength(2);
  await connector.said(/"name":"gate".*the API key sees no camera of this name, to which `cameras` maps it/);
  await connector.said(/"name":"�roof"/);
  const { workspaceId } = site.detector;
  const reported = await eventually(
    async () => (await gateway.prisma.connector.findMany({ where: { workspaceId } }))[0]?.unmapped,
    // An earlier report may have counted only some of them.
    (unmapped) => JSON.stringify(unmapped ?? "").includes('"count":2'),
  );
  const sources = [
    { kind: "CAMERA", name: "gate", count: 2 },
    { kind: "CAMERA", name: "�roof", count: 1 },
  ];
  expect(reported).toHaveLength(sources.length);
  for (const source of sources) expect(reported).toContainEqual(expect.objectContaining(source));
});

it("a camera is found by its name or id, in the configured facility only", async () => {
  const { workspaceId, facilityId } = site.detector;
  const elsewhere = await createFacility(gateway.prisma, { workspaceId, name: "Elsewhere" });
  const inFacility = (facility: string, name: string) =>
    createCamera(gateway.prisma, { workspaceId, facilityId: facility, name });
  const [gate] = [await inFacility(facilityId, "Gate"), await inFacility(elsewhere, "Gate")];
  await inFacility(elsewhere, "Roof");
  await site.detector.newRule({ cameraId: gate });
  const settings = { cameras: {} };
  const ambiguous = await site.connect(settings);
  await site.broker.publish("frames/Gate", site.detector.frame(0));
  await ambiguous.said(/"name":"Gate".*several cameras have its name/);
  await ambiguous.kill();
  const connector = await site.connect({ ...settings, facility: "Site" });
  for (const name of ["Roof", "Gate", gate.toUpperCase()])
    await site.broker.publish(`frames/${name}`, site.detector.frame(name === "Gate" ? 1 : 2));
  const alerts = await site.alerts(2);
  expect(alerts.map(({ cameraId }) => cameraId)).toEqual([gate, gate]);
  await eventuallyCounts(connector, 'connector_frames_total{outcome="unknownCamera"}', 1);
});

it("messages that are no frames are counted by their kind, and told once", async () => {
  const connector = await site.connect({
    sources: [
      { topic: "frames/+", format: "GATEWAY", camera: "$1" },
      { topic: "any/#", format: "GATEWAY" },
    ],
  });
  const zigbee = { battery: 100, linkquality: 78, temperature: 21.4 };
  for (const message of [zigbee, zigbee, "online", Buffer.alloc(5 * 1024 * 1024, " ")])
    await site.broker.publish("any/sensor", message);
  await site.broker.publish("any/sensor", { ...site.detector.frame(0), cameraId: undefined });
  // Of topics that are not subscribed to, the broker delivers nothing.
  await site.broker.publish("zigbee2mqtt/sensor", zigbee);
  await site.broker.publish("frames/yard", site.detector.frame(1));
  await site.alerts(1);
  const samples = await samplesOf(connector);
  const bad = (reason: string) =>
    samples.get(`connector_bad_messages_total{source="any/#",reason="${reason}"}`);
  expect(["otherFormat", "notJson", "tooLarge", "noCamera"].map(bad)).toEqual([2, 1, 1, 1]);
  expect([...samples].filter(([name]) => name.startsWith("connector_messages_total"))).toEqual([
    ['connector_messages_total{source="frames/+"}', 1],
    ['connector_messages_total{source="any/#"}', 5],
  ]);
  expect(connector.output.match(/A message /g)).toHaveLength(4);
});

it("a frame that the broker has retained is not taken, and what is published to be retained is", async () => {
  await site.broker.publish("frames/yard", site.detector.frame(0), { retain: true });
  const connector = await site.connect();
  await eventuallyCounts(connector, 'connector_bad_messages_total{source="frames/+",reason="retained"}', 1);
  await site.broker.publish("frames/yard", site.detector.frame(1), { retain: true });
  const [alert] = await site.alerts(1);
  expect(alert?.createdAt.getTime()).toBe(site.detector.start + 1000);
});

it("an object without a finite box does not cost the others of its frame", async () => {
  const connector = await site.connect({
    sources: [{ topic: "axis/+/scene", format: "AXIS_SCENE", labels: { Human: "PERSON" } }],
  });
  const human = (bounding_box: object) => ({ bounding_box, class: { type: "Human", score: 0.9 } });
  await site.broker.publish("axis/yard/scene", {
    channel_id: 1,
    timestamp: new Date(site.detector.start).toISOString(),
    detections: [
      human({ left: -1e307, top: 0.1, right: 1e307, bottom: 0.2 }),
      human({ left: 0.1, top: 0.2, right: 0.2, bottom: 0.9 }),
    ],
  });
  await eventuallyCounts(connector, 'connector_frames_total{outcome="processed"}', 1);
  await eventuallyCounts(connector, "connector_objects_left_out_total", 1);
});

/** What a message may be made of that nobody expects. */
const oddValues = () => {
  const deep = "[".repeat(100_000);
  const nested = `{"a":`.repeat(50_000);
  const prototype = '{"__proto__":{"label":"person"},"constructor":1,"toString":null}';
  const huge = ["1e999", "-1e308", "123456789012345678901234567890", "0.1e-400"];
  const odd = [...huge, prototype, '"\\ud800"', "null", "[]", '"\\u0000"', '"18446744073709551616"'];
  return { raw: [deep, nested, "", "\u0000", "nul", ...odd], odd };
};

it("no message stops it, and none costs the frames after it", async () => {
  const formats = { axis: "AXIS_SCENE", deepstream: "DEEPSTREAM", gateway: "GATEWAY" } as const;
  const connector = await site.connect({
    sources: Object.entries(formats).map(([topic, format]) => ({
      topic,
      format,
      camera: "yard",
      frame: { width: 640, height: 480 },
    })),
  });
  const at = new Date(site.detector.start).toISOString();
  const templates = {
    axis: `{"channel_id":1,"timestamp":"${at}","detections":[{"bounding_box":{"left":0.1,"top":0.1,"right":0.2,"bottom":0.2},"object_track_id":"a","class":{"type":"Human","score":0.5}}]}`,
    deepstream: `{"@timestamp":"${at}","sensorId":"a","objects":["1|10|10|20|20|person|#|a|0.5"]}`,
    gateway: JSON.stringify({
      ...site.detector.frame(0),
      objects: [person(100, 200, { attributes: { a: 1 } })],
    }),
  };
  const { raw, odd } = oddValues();
  for (const [topic, template] of Object.entries(templates)) {
    const values = [...template.matchAll(/"(?:[^"\\]|\\.)*"(?!:)|(?<=:)-?[\d.]+/g)];
    const changed = values.flatMap(({ index, 0: value }) =>
      odd.map((other) => template.slice(0, index) + other + template.slice(index + value.length)),
    );
    const cut = listOf(20, (n) => template.slice(0, (template.length * n) / 20));
    const random = listOf(50, () => randomBytes(200));
    for (const message of [...raw, ...changed, ...cut, ...random]) await site.broker.publish(topic, message);
  }
  await site.broker.publish("gateway", site.detector.frame(3600));
  await eventually(
    () => site.detector.alerts(),
    (alerts) => alerts.at(-1)?.createdAt.getTime() === site.detector.start + 3_600_000,
  );
  expect(connector.output).not.toMatch(/"level":"(?:error|fatal)"/);
});
