import { createHash } from "node:crypto";
import { subscriber } from "../live/live-socket.js";
import { createTestUser, endKeeping, unknownId } from "../support/factories.js";
import { run, sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { Detector, leftHalf, person, personsInLeftHalf } from "./detector.js";

let detector: Detector;
const gateway = await sharedGateway();
const { prisma } = gateway;
beforeEach(async () => {
  detector = await Detector.open(gateway);
});

const deliveries = () =>
  prisma.delivery.findMany({
    where: { workspaceId: detector.workspaceId },
    orderBy: { position: "asc" },
  });
const none = { processed: 0, dropped: 0, alerts: [] };

/** The UUID of version 5 of a name, as RFC 9562 defines it. */
function uuidOfName(namespace: string, name: string): string {
  const bytes = Buffer.concat([Buffer.from(namespace.replaceAll("-", ""), "hex"), Buffer.from(name)]);
  const hash = createHash("sha1").update(bytes).digest("hex");
  const variant = ((Number.parseInt(hash.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-5${hash.slice(13, 16)}-${variant}${hash.slice(18, 20)}-${hash.slice(20, 32)}`;
}

describe("an alert that a frame raises", () => {
  it("has the fields of its rule, of the frame and of the objects that it tells", async () => {
    const ruleId = await detector.newRule({ name: "NO_ENTRY", severity: "HIGH", observation: true });
    // The frame is twice as large as the camera's picture.
    const inside = person(200, 300, { trackId: "7", attributes: { helmet: false } });
    const outside = person(900, 300);
    const frame = detector.frame(0, [inside, outside], { width: 1280, height: 960 });
    const { alerts, ...counts } = await detector.send([frame]);
    expect(counts).toEqual({ processed: 1, dropped: 0 });
    const id = uuidOfName(ruleId, frame.at);
    expect(alerts).toEqual([{ id, createdAt: frame.at }]);
    expect(await detector.alerts()).toMatchObject([
      {
        id,
        facilityId: detector.facilityId,
        cameraId: detector.cameraId,
        alertRuleId: ruleId,
        createdAt: new Date(frame.at),
        name: "NO_ENTRY",
        severity: "HIGH",
        observation: true,
        count: 1,
        violatingCoordinates: [{ x: 200, y: 300 }],
        area: leftHalf.points.map(({ x, y }) => ({ x: 2 * x, y: 2 * y })),
        areaIds: [leftHalf.id],
        canvasDimensions: { width: 1280, height: 960 },
        imageDimensions: null,
        url: null,
        storageClass: "local",
        info: { source: "detections", objects: [inside] },
      },
    ]);
  });

  it("tells when its rule last fired, which is no change of the rule", async () => {
    const id = await detector.newRule();
    const query =
      "query ($id: UUID!) { camera(id: $id) { alertRules { id evaluated lastFiredAt updatedAt } } }";
    const shown = async () => {
      const { camera } = await run<{ camera: { alertRules: object[] } }>(gateway, detector.admin, [
        query,
        { id: detector.cameraId },
      ]);
      return camera.alertRules[0];
    };
    const before = await shown();
    expect(before).toMatchObject({ id, evaluated: true, lastFiredAt: null });
    const [first, last] = [detector.frame(0), detector.frame(1)];
    await detector.send([last, first]);
    expect(await shown()).toEqual({ ...before, lastFiredAt: last.at });
  });

  it("is audited, notified of, and known to subscribers, like alerts that detectors record", async () => {
    const alertRuleId = await detector.newRule({
      notificationUrl: "https://hook.example/1",
      notificationEnabled: true,
    });
    const live = await subscriber(gateway, detector.admin.as, "subscription { alertRaised { id } }");
    const { alerts } = await detector.send([detector.frame(0), detector.frame(1)]);
    expect(alerts).toHaveLength(2);
    const ids = alerts.map(({ id }) => id);
    expect(await detector.auditEntries()).toMatchObject([
      {
        actorId: detector.admin.id,
        targetType: "Alert",
        targetId: null,
        facilityId: detector.facilityId,
        changes: { recorded: { from: null, to: 2 }, cameraIds: { from: null, to: [detector.cameraId] } },
      },
    ]);
    expect(await deliveries()).toMatchObject(
      ids.map((alertId) => ({ alertId, alertRuleId, channel: "WEBHOOK" })),
    );
    await expect.poll(() => live.ids()).toEqual(ids);
  });

  it("is told to nobody if its frame is older than 24 hours", async () => {
    await detector.newRule({ notificationUrl: "https://hook.example/1", notificationEnabled: true });
    const hours = 3600;
    const { alerts } = await detector.send([detector.frame(-24 * hours), detector.frame(-hours)]);
    expect((await deliveries()).map(({ alertId }) => alertId)).toEqual([alerts[1]?.id]);
  });

  it("is not raised twice if the state of its camera is lost", async () => {
    await detector.newRule();
    const frames = [detector.frame(0), detector.frame(1)];
    await detector.send(frames.slice(0, 1));
    const before = await detector.alerts();
    await prisma.detectionState.deleteMany({ where: { cameraId: detector.cameraId } });
    const again = await detector.send(frames);
    expect(again).toMatchObject({ processed: 2, dropped: 0, alerts: [{ createdAt: frames[1]?.at }] });
    expect((await detector.alerts()).slice(0, 1)).toEqual(before);
    expect(await detector.alerts()).toHaveLength(2);
  });
});

it("alerts that tell many objects are inserted by several statements, and those that exist are left out", async () => {
  const rules = 13;
  for (let rule = 0; rule < rules; rule += 1) await detector.newRule();
  const people = listOf(200, () => person());
  const frames = [detector.frame(0, people), detector.frame(1, people)];
  const insertions = () => gateway.statements.filter((sql) => sql.includes('INSERT INTO "Alert" AS'));
  gateway.clearStatements();
  const { alerts } = await detector.send(frames);
  expect(insertions()).toHaveLength(2);
  expect((await detector.alerts()).map(({ count }) => count)).toEqual(
    Array(rules * frames.length).fill(people.length),
  );
  const { workspaceId } = detector;
  await prisma.detectionState.deleteMany({ where: { workspaceId } });
  const gone = [alerts[0], alerts.at(-1)] as typeof alerts;
  await prisma.alert.deleteMany({ where: { workspaceId, id: { in: gone.map(({ id }) => id) } } });
  expect((await detector.send(frames)).alerts).toEqual(gone);
});

it("alerts of many rules about one frame tell little more than the frame, and how many objects they leave out", async () => {
  const rules = 30;
  for (let rule = 0; rule < rules; rule += 1) await detector.newRule();
  const attributes = Object.fromEntries(listOf(10, (n) => [`${n}`, "x".repeat(200)]));
  const few = [person(), person()];
  const many = listOf(200, () => person(100, 200, { attributes }));
  await detector.send([detector.frame(0, few), detector.frame(1, many)]);
  const infos = (await detector.alerts()).map(
    ({ info }) => info as { objects: object[]; omittedObjects?: number },
  );
  expect(infos.slice(0, rules)).toEqual(Array(rules).fill({ source: "detections", objects: few }));
  for (const { objects, omittedObjects } of infos.slice(rules)) {
    expect(objects).toEqual(many.slice(0, objects.length));
    expect([objects.length > 10, omittedObjects]).toEqual([true, many.length - objects.length]);
  }
  expect(JSON.stringify(infos.slice(rules)).length).toBeLessThan(2.1 * JSON.stringify(many).length);
});

describe("the frames of a camera", () => {
  it("are evaluated in the order given, as if each came in a request of its own", async () => {
    await detector.newRule();
    const frames = [1, 3, 2, 4].map((seconds) => detector.frame(seconds));
    const { alerts, ...counts } = await detector.send(frames);
    expect(counts).toEqual({ processed: 3, dropped: 1 });
    expect(alerts.map(({ createdAt }) => createdAt)).toEqual([1, 3, 4].map((at) => detector.frame(at).at));
  });

  it("are dropped and counted if they are not later than the last one", async () => {
    await detector.newRule();
    await detector.send([detector.frame(5)]);
    const { alerts, ...counts } = await detector.send([4, 5, 6, 6].map((seconds) => detector.frame(seconds)));
    expect(counts).toEqual({ processed: 1, dropped: 3 });
    expect(alerts).toHaveLength(1);
    const repeated = await detector.send([detector.frame(6)]);
    expect(repeated).toEqual({ ...none, dropped: 1 });
  });

  it("count as processed without a rule, and their last time is kept", async () => {
    const { cameraId: id } = detector;
    const seenAt = async () => {
      const { cameras } = await run<{ cameras: object[] }>(gateway, detector.admin, [
        "{ cameras { id lastDetectionAt } }",
        {},
      ]);
      return cameras;
    };
    const other = { id: await detector.newCamera(), lastDetectionAt: null };
    expect(await seenAt()).toEqual(expect.arrayContaining([{ id, lastDetectionAt: null }, other]));
    expect(await detector.send([detector.frame(5)])).toEqual({ ...none, processed: 1 });
    const seen = { id, lastDetectionAt: detector.frame(5).at };
    expect(await seenAt()).toEqual(expect.arrayContaining([seen, other]));
    // A row that a write returns lacks the time.
    const snooze = "mutation ($id: UUID!) { snoozeCamera(id: $id) { id lastDetectionAt } }";
    expect(await run(gateway, detector.admin, [snooze, { id }])).toEqual({ snoozeCamera: seen });
    await detector.newRule();
    expect(await detector.send([detector.frame(4)])).toEqual({ ...none, dropped: 1 });
    expect(await detector.send([detector.frame(6)])).toMatchObject({ processed: 1, alerts: [{}] });
  });

  it("raise nothing by rules that are not evaluated or not active", async () => {
    await detector.newRule({ evaluated: false });
    await detector.newRule({ status: "PAUSED" });
    expect(await detector.send([detector.frame(0)])).toEqual({ ...none, processed: 1 });
    expect(await detector.alerts()).toEqual([]);
  });

  it.each([
    [
      "their camera",
      "mutation ($id: UUID!, $until: DateTimeISO) { snoozeCamera(id: $id, until: $until) { id } }",
    ],
    [
      "the rule",
      "mutation ($id: UUID!, $until: DateTimeISO) { snoozeAlertRule(id: $id, until: $until) { id } }",
    ],
  ])(
    "raise nothing if they were taken while %s was snoozed, but if before or after, as late as they come",
    async (what, mutation) => {
      const ruleId = await detector.newRule();
      const id = what === "the rule" ? ruleId : detector.cameraId;
      const snooze = (until: string | null) => run(gateway, detector.admin, [mutation, { id, until }]);
      const send = async (at: number) =>
        (await detector.send([{ ...detector.frame(0), at: new Date(at).toISOString() }])).alerts.length;
      const before = Date.now();
      await snooze(new Date(before + 3_600_000).toISOString());
      const during = Date.now();
      expect([await send(before - 1), await send(during)]).toEqual([1, 0]);
      await snooze(null);
      const after = Date.now();
      expect(await send(after)).toBe(1);
    },
  );

  it("leave no audit entry if they raise nothing, but a state", async () => {
    await detector.newRule();
    await detector.send([detector.frame(0, [])]);
    expect(await detector.auditEntries()).toEqual([]);
    expect([...(await detector.states()).keys()]).toEqual([detector.cameraId]);
  });

  it.each<[what: string, change: (ruleId: string) => [mutation: string, variables: object]]>([
    [
      "the rules",
      (id) => [
        "mutation ($id: UUID!) { updateAlertRule(id: $id, input: { evaluated: false }) { id } }",
        { id },
      ],
    ],
    [
      "the size of their camera's picture",
      () => [
        "mutation ($id: UUID!) { updateCamera(id: $id, input: { imageDimensions: { width: 6400, height: 4800 } }) { id } }",
        { id: detector.cameraId },
      ],
    ],
    [
      "the time zone of their facility",
      () => [
        'mutation ($id: UUID!) { updateFacility(id: $id, input: { timeZoneId: "Pacific/Kiritimati" }) { id } }',
        { id: detector.facilityId },
      ],
    ],
  ])("meet %s as they are when they arrive", async (_what, change) => {
    // Its day is never that of the zone to come, 25 hours ahead.
    await run(gateway, detector.admin, [
      'mutation ($id: UUID!) { updateFacility(id: $id, input: { timeZoneId: "Pacific/Pago_Pago" }) { id } }',
      { id: detector.facilityId },
    ]);
    const day = new Date(detector.start - 11 * 3_600_000).getUTCDay();
    const ruleId = await detector.newRule({ dayRange: [day] });
    expect(await detector.send([detector.frame(0)])).toMatchObject({ alerts: [{}] });
    // What rules were last used with is kept, and a rule that fires is another row.
    await detector.send([detector.frame(1, [])]);
    await run(gateway, detector.admin, change(ruleId));
    expect(await detector.send([detector.frame(2)])).toEqual({ ...none, processed: 1 });
  });

  it("may be 1000 of several cameras in one request", async () => {
    const other = await detector.newCamera();
    await detector.newRule();
    const frames = listOf(1000, (n) =>
      detector.frame(Math.floor(n / 2) / 10, [], n % 2 ? { cameraId: other } : {}),
    );
    expect(await detector.send(frames)).toEqual({ ...none, processed: 1000 });
    expect(await detector.refused([...frames, detector.frame(1000)])).toMatchObject({
      code: "BAD_REQUEST",
      paths: ["input"],
    });
  });
});

describe("objects that reach beyond their frame", () => {
  it("stand at its border: whoever is nearest to the camera is in an area drawn to its edge", async () => {
    await detector.newRule();
    // The frame has half the size of the camera's picture.
    const near = person(50, 0, { box: { x: -5, y: 150, width: 25, height: 90.4 } });
    const { alerts } = await detector.send([detector.frame(0, [near], { width: 320, height: 240 })]);
    expect(alerts).toHaveLength(1);
    expect(await detector.alerts()).toMatchObject([
      {
        violatingCoordinates: [{ x: 10, y: 240 }],
        info: { objects: [{ box: { x: 0, y: 150, width: 20, height: 90 } }] },
      },
    ]);
  });

  it("stand within it, whatever rounding did to their boxes", async () => {
    await detector.newRule({
      group: { ...personsInLeftHalf(), children: personsInLeftHalf().children.slice(1) },
    });
    const rounded = person(0, 0, {
      box: { x: Math.fround(639.9), y: Math.fround(0.1), width: 0.2, height: 480 },
    });
    await detector.send([detector.frame(0, [rounded])]);
    const points = (await detector.alerts()).map(({ violatingCoordinates }) => violatingCoordinates);
    const [[point]] = points as unknown as [[{ x: number; y: number }]];
    expect(point.x).toBeLessThanOrEqual(640);
    expect(point.y).toBe(480);
  });

  it("are left out and counted if nothing of them is in it, and the others count", async () => {
    await detector.newRule();
    const outside = [
      { x: 640, y: 1 },
      { x: -9, y: 1 },
      { x: 1, y: -9 },
      { x: 1, y: 480 },
      { width: 0 },
      { height: 0 },
    ].map((box) => person(0, 0, { box: { x: 1, y: 1, width: 9, height: 9, ...box } }));
    const answer = await run<{ recordDetections: object }>(gateway, detector.admin, [
      "mutation ($input: [DetectionFrameInput!]!) { recordDetections(input: $input) { processed ignoredObjects alerts { count } } }",
      { input: [detector.frame(0, [...outside, person()]), detector.frame(1, outside.slice(0, 1))] },
    ]);
    expect(answer.recordDetections).toEqual({ processed: 2, ignoredObjects: 7, alerts: [{ count: 1 }] });
  });
});

describe("the payload names the cameras of the frames", () => {
  const asked = async (frames: object[]) =>
    (
      await run<{ recordDetections: { cameras: object[] } }>(gateway, detector.admin, [
        "mutation ($input: [DetectionFrameInput!]!) { recordDetections(input: $input) { cameras { camera { id } evaluatedRules quietRules { alertRule { id } reason } } } }",
        { input: frames },
      ])
    ).recordDetections.cameras;

  it("and why which of their rules could raise nothing for the last frame, by the first reason", async () => {
    const quiet: { alertRule: { id: string }; reason: string }[] = [];
    const add = async (reason: string, values: Parameters<Detector["newRule"]>[0] = {}) => {
      const name = `RULE_${quiet.length}`;
      quiet.push({ reason, alertRule: { id: await detector.newRule({ name, ...values }) } });
    };
    const snoozed = { snoozedAt: new Date(detector.start), snoozedUntil: new Date(detector.start + 60_000) };
    const never = { dayRange: [(new Date(detector.start).getUTCDay() + 3) % 7] };
    const children = listOf(100, () => leftHalf);
    const tooLarge = { group: { ...personsInLeftHalf(), children } };
    await add("NOT_EVALUATED", { evaluated: false, status: "PAUSED", ...tooLarge, ...snoozed });
    await add("INACTIVE", { status: "PAUSED", ...tooLarge, ...snoozed });
    await add("TOO_LARGE", { ...tooLarge, ...snoozed, ...never });
    await add("SNOOZED", { ...snoozed, ...never });
    await add("OUTSIDE_WINDOW", never);
    await detector.newRule({ name: "AAA" });
    const other = await detector.newCamera();
    const frames = [detector.frame(120), detector.frame(59), detector.frame(0, [], { cameraId: other })];
    const expected = [
      { camera: { id: detector.cameraId }, evaluatedRules: 1, quietRules: quiet },
      { camera: { id: other }, evaluatedRules: 0, quietRules: [] },
    ];
    const sorted = (cameras: object[]) =>
      cameras.toSorted((one, another) => JSON.stringify(one).localeCompare(JSON.stringify(another)));
    expect(sorted(await asked(frames))).toEqual(sorted(expected));
    // A snooze that is over leaves the next reason.
    const [later] = await asked([detector.frame(180)]);
    expect(later).toMatchObject({
      quietRules: quiet.map((each) => (each.reason === "SNOOZED" ? { reason: "OUTSIDE_WINDOW" } : each)),
    });
    await gateway.prisma.facility.updateMany({
      where: { cameras: { some: { id: detector.cameraId } } },
      data: { snoozedAt: snoozed.snoozedAt, snoozedUntil: new Date(detector.start + 400_000) },
    });
    const [atSnoozed] = await asked([detector.frame(300)]);
    expect(atSnoozed).toMatchObject({
      evaluatedRules: 0,
      quietRules: ["SNOOZED", "NOT_EVALUATED", "INACTIVE", "TOO_LARGE", "SNOOZED", "SNOOZED"].map(
        (reason) => ({
          reason,
        }),
      ),
    });
  });

  it("and the oldest 30 rules are evaluated, whatever the status of these, of cameras that have more", async () => {
    const day = 86_400_000;
    const ids: string[] = [];
    for (let number = 0; number < 32; number += 1)
      ids.push(
        await detector.newRule({
          name: `RULE_${number}`,
          createdAt: new Date(detector.start - number * day),
          status: number === 31 ? "PAUSED" : "ACTIVE",
        }),
      );
    const [camera] = await asked([detector.frame(0)]);
    expect(camera).toMatchObject({
      evaluatedRules: 29,
      quietRules: [
        { alertRule: { id: ids[0] }, reason: "TOO_LARGE" },
        { alertRule: { id: ids[1] }, reason: "TOO_LARGE" },
        { alertRule: { id: ids[31] }, reason: "INACTIVE" },
      ],
    });
    expect(await detector.alerts()).toHaveLength(29);
  });
});

it("a clock that was ahead shuts a camera out until its own time no longer than the clock was", async () => {
  await detector.newRule();
  const [at, ahead] = [detector.frame(0).at, new Date(Date.now() + 400_000).getTime()];
  await prisma.detectionState.create({
    data: {
      workspaceId: detector.workspaceId,
      cameraId: detector.cameraId,
      state: JSON.stringify([ahead, [], []]),
    },
  });
  expect(await detector.send([detector.frame(0)])).toMatchObject({
    processed: 1,
    alerts: [{ createdAt: at }],
  });
  // What is at most five minutes ahead may be a detector's clock.
  const cameraId = await detector.newCamera();
  await prisma.detectionState.create({
    data: {
      workspaceId: detector.workspaceId,
      cameraId,
      state: JSON.stringify([Date.now() + 200_000, [], []]),
    },
  });
  expect(await detector.send([detector.frame(0, [], { cameraId })])).toMatchObject({ dropped: 1 });
});

describe("a request", () => {
  it("with a frame of a camera that is not there is NOT_FOUND, and nothing of it counts", async () => {
    await detector.newRule();
    await detector.send([detector.frame(0)]);
    const before = { alerts: await detector.alerts(), states: await detector.states() };
    const frames = [detector.frame(1), detector.frame(1, [person()], { cameraId: unknownId })];
    expect(await detector.refused(frames)).toMatchObject({ code: "NOT_FOUND", message: "Not found" });
    expect({ alerts: await detector.alerts(), states: await detector.states() }).toEqual(before);
  });

  it("requires alerts:write at the facility of every camera", async () => {
    const facilityId = (
      await prisma.facility.create({
        data: { workspaceId: detector.workspaceId, name: "Other", timeZoneId: "UTC" },
      })
    ).id;
    const cameraId = await detector.newCamera(facilityId);
    const user = await createTestUser(prisma, {
      workspaceId: detector.workspaceId,
      at: { [detector.facilityId]: ["alerts:write"], [facilityId]: ["alerts:read"] },
    });
    await detector.newRule();
    const own = detector.frame(0);
    expect(await detector.refused([own, detector.frame(0, [], { cameraId })], user)).toMatchObject({
      code: "FORBIDDEN",
    });
    expect(await detector.alerts()).toEqual([]);
    expect(await detector.send([own], user)).toMatchObject({ processed: 1, alerts: [{}] });
  });
});

it("the state of a camera is removed with it", async () => {
  await detector.send([detector.frame(0)]);
  await endKeeping(prisma, detector.cameraId);
  await run(gateway, detector.admin, [
    "mutation ($id: UUID!) { deleteCamera(id: $id) { id } }",
    { id: detector.cameraId },
  ]);
  await expect.poll(async () => (await detector.states()).size).toBe(0);
});
