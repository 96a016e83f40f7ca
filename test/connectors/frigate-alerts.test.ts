// Runs once: no database can influence what is tested here.
// Takes long: it starts connectors.
import { alertIdOf } from "../../src/programs/connectors/frigate/reviews/review-alert.js";
import { eventually } from "../support/eventually.js";
import { type Gateway, sharedGateway } from "../support/harness.js";
import { pictureAs } from "../uploads/sample-pictures.js";
import { FrigateSite } from "./frigate-site.js";

let gateway: Gateway;
let site: FrigateSite;
let frigate: FrigateSite["frigate"];
beforeEach(async () => {
  gateway = await sharedGateway();
  site = await FrigateSite.forTest(gateway);
  ({ frigate } = site);
});

describe("a review becomes an alert", () => {
  it("of the rule that has an area with the zone's name, with picture, polygon and places", async () => {
    const ruleId = await site.newRule("Yard");
    await site.connect();
    const seen = await frigate.object({ current_zones: ["yard"] });
    frigate.pictures.set(seen.id, await pictureAs("jpeg", 1280, 720));
    const review = await frigate.review({}, { detections: [seen.id], zones: ["street", "yard"] });
    const [alert] = await site.alertsOnceThere(1);
    expect(alert).toMatchObject({
      id: alertIdOf("test-site", review.id),
      cameraId: site.doorId,
      name: "PERSON_IN_AREA",
      severity: "MEDIUM",
      alertRuleId: ruleId,
      createdAt: new Date(Math.trunc(review.start_time * 1000)),
      count: 1,
      imageDimensions: { width: 1280, height: 720 },
      violatingCoordinates: [{ x: 150, y: 600 }],
      area: [
        { x: 0, y: 0 },
        { x: 640, y: 0 },
        { x: 640, y: 360 },
      ],
      info: { source: "frigate", reviewId: review.id, camera: "door", zones: ["street", "yard"] },
    });
    expect(alert?.url).toMatch(/\.jpg$/);
  });

  it("only when its severity becomes alert, and only once, in whichever order it is told", async () => {
    await site.connect();
    const seen = await frigate.object();
    frigate.pictures.set(seen.id, await pictureAs("jpeg", 640, 360));
    const detection = await frigate.review({ severity: "detection" }, { detections: [seen.id] });
    const alert = await frigate.review({ id: detection.id, severity: "alert" });
    await frigate.tell(detection);
    await frigate.tell(alert);
    await site.alertsOnceThere(1);
    await frigate.review({ id: alert.id, end_time: alert.start_time + 9 });
    await frigate.tell(alert);
    const last = await frigate.review();
    await site.alertsOnceThere(2);
    expect((await site.alerts()).map(({ info }) => (info as { reviewId: string }).reviewId)).toEqual([
      alert.id,
      last.id,
    ]);
    expect(frigate.requests.filter((request) => request.endsWith("snapshot.jpg"))).toHaveLength(1);
  });

  it("without the rule that was deleted a moment ago", async () => {
    const id = await site.newRule("yard");
    await site.connect();
    await frigate.review({}, { zones: ["yard"] });
    await site.alertsOnceThere(1);
    await gateway.prisma.alertRule.deleteMany({ where: { id } });
    await frigate.review({}, { zones: ["yard"] });
    const alerts = await site.alertsOnceThere(2);
    expect(alerts.map(({ name }) => name)).toEqual(["PERSON_IN_AREA", "PERSON_IN_YARD"]);
  });

  it("named after what was seen, without a rule or a zone; other topics and messages are ignored", async () => {
    const { broker } = frigate;
    await site.connect();
    await broker.publish("zigbee2mqtt/door", '{"contact":false,"after":{"id":"1"}}');
    await broker.publish("frigate/stats", '{"cameras":{}}');
    await broker.publish("frigate/reviews", "\u0000 no JSON");
    await broker.publish("frigate/reviews", '{"after":{"__proto__":{"id":"x"}}}');
    await frigate.review({}, { objects: ["car"] });
    await frigate.review({}, { objects: ["dog", "person"], zones: ["Back yard"] });
    const alerts = await site.alertsOnceThere(2);
    expect(alerts.map(({ name, alertRuleId, url, area }) => [name, alertRuleId, url, area])).toEqual([
      ["CAR", null, null, null],
      ["PERSON_IN_BACK_YARD", null, null, null],
    ]);
  });
});

describe("the picture of an alert", () => {
  it("is awaited while Frigate does not have it", async () => {
    const picture = await pictureAs("jpeg", 640, 360);
    let requests = 0;
    await site.connect({ frigate: { pictureWaitSeconds: 60 } });
    const seen = await frigate.object();
    frigate.pictures.set(seen.id, () => {
      requests += 1;
      return requests < 3 ? null : picture;
    });
    await frigate.review({}, { detections: [seen.id] });
    const [alert] = await site.alertsOnceThere(1);
    expect([requests, alert?.imageDimensions]).toEqual([3, { width: 640, height: 360 }]);
  });

  it("is the clean copy of an object that is no longer tracked", async () => {
    const at = Date.now() / 1000;
    const seen = await frigate.object({ end_time: at });
    frigate.pictures.set(seen.id, await pictureAs("png", 640, 360));
    await site.connect();
    await frigate.review({ end_time: at }, { detections: [seen.id] });
    const [alert] = await site.alertsOnceThere(1);
    expect(alert).toMatchObject({
      imageDimensions: { width: 640, height: 360 },
      // Told by Frigate's HTTP API: nobody heard the message about the object.
      violatingCoordinates: [{ x: 150, y: 600 }],
    });
  });

  it("is done without if Frigate never has it, or the gateway does not take it", async () => {
    await site.connect({ frigate: { pictureWaitSeconds: 1 } });
    const [missing, broken] = [await frigate.object(), await frigate.object()];
    frigate.pictures.set(broken.id, Buffer.from("no picture"));
    await frigate.review({}, { detections: [missing.id] });
    await frigate.review({}, { detections: [broken.id] });
    const alerts = await site.alertsOnceThere(2);
    expect(alerts.map(({ url }) => url)).toEqual([null, null]);
  });
});

describe("a camera", () => {
  it("may be mapped by name or id, and one that is not known does not stop the others", async () => {
    const connector = await site.connect({ cameras: { eingang: "door", tor: site.doorId } });
    for (const camera of ["eingang", "nowhere", "__proto__", "tor"]) await frigate.review({ camera });
    const alerts = await site.alertsOnceThere(2);
    expect(alerts.map(({ info }) => (info as { camera: string }).camera)).toEqual(["eingang", "tor"]);
    await connector.said(/nowhere/);
  });

  it("is found at once by its new name, and by its id whatever its name", async () => {
    await site.connect({ cameras: { gate: site.doorId } });
    await gateway.prisma.camera.updateMany({ where: { id: site.doorId }, data: { name: "entrance" } });
    await frigate.review({ camera: "gate" });
    await frigate.review({ camera: "entrance" });
    const alerts = await site.alertsOnceThere(2);
    expect(alerts.map(({ cameraId }) => cameraId)).toEqual([site.doorId, site.doorId]);
  });

  it("tells the status of its stream when it changes, also over a restart", async () => {
    const changes = () =>
      gateway.prisma.statusChange.findMany({
        where: { cameraId: site.doorId },
        orderBy: { createdAt: "asc" },
      });
    const told = (count: number) => eventually(changes, ({ length }) => length >= count);
    const first = await site.connect();
    await frigate.status("door", "offline");
    await told(1);
    await frigate.status("door", "disabled");
    await told(2);
    await site.stop(first);
    await site.connect();
    await frigate.status("door", "disabled");
    await frigate.status("door", "online");
    await frigate.status("nowhere", "online");
    await told(3);
    expect((await changes()).map(({ statusDetail, source }) => `${statusDetail} ${source}`)).toEqual([
      "STREAM_ERROR ON_PREMISE_FACILITY",
      "DISABLED ON_PREMISE_FACILITY",
      "OPERATIONAL ON_PREMISE_FACILITY",
    ]);
  });
});

it("the status of a stream is told of the camera that its name is mapped to now", async () => {
  const gate = await gateway.prisma.camera.findFirstOrThrow({
    where: { workspaceId: site.workspaceId, name: "gate" },
  });
  const toldOf = (cameraId: string) =>
    eventually(
      () => gateway.prisma.statusChange.count({ where: { cameraId, statusDetail: "STREAM_ERROR" } }),
      (count) => count > 0,
    );
  const first = await site.connect();
  await frigate.status("door", "offline");
  await toldOf(site.doorId);
  await site.stop(first);
  await site.connect({ cameras: { door: gate.id } });
  await frigate.status("door", "offline");
  await toldOf(gate.id);
});

describe("a heartbeat of the facility", () => {
  const heartbeat = async ({ facilityId }: FrigateSite) =>
    (await gateway.prisma.facility.findFirstOrThrow({ where: { id: facilityId } })).lastHeartbeatAt;

  it("is not while Frigate says that it is not there, and is once it is back", async () => {
    await frigate.announce("offline");
    await site.connect();
    await frigate.review();
    await site.alertsOnceThere(1);
    expect(await heartbeat(site)).toBeNull();
    await frigate.announce();
    await eventually(() => heartbeat(site), Boolean);
  });
});
