import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAlertRule, createApiKey, createCamera } from "../support/factories.js";
import { type Gateway, startGateway } from "../support/harness.js";
import { newWriter, run, unknownId } from "../writes/writer.js";
import { countDifferences, Recorder, recordAlerts } from "./recorder.js";

const start = new Date();
let clock = start;
const hours = (count: number) => count * 3_600_000;
let gateway: Gateway;
let recorder: Recorder;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none", now: () => clock });
  recorder = await Recorder.open(gateway);
});
afterAll(() => gateway.close());

const fullAlert = () => ({
  ...recorder.alert(),
  alertRuleId: recorder.site.ruleId,
  count: 3,
  url: "https://detector.example/a.jpg",
  thumbnailUrl: "https://detector.example/a-small.jpg",
  imageDimensions: { width: 1280, height: 720 },
  canvasDimensions: { width: 640, height: 360 },
  violatingCoordinates: [{ x: 1.5, y: 2.25 }],
  area: [
    { x: 0, y: 0 },
    { x: 10, y: 0 },
    { x: 10, y: -10 },
  ],
  areaIds: [recorder.site.areaId],
  info: { detector: "yolo", nested: { list: [1, null, "é"] }, nothing: null },
  storageClass: "detector",
});

describe("an alert that is recorded", () => {
  it("keeps everything that its detector says", async () => {
    const alert = fullAlert();
    expect(await recorder.record([alert])).toEqual({ recorded: 1, alreadyRecorded: 0 });
    expect(await recorder.stored(alert.id)).toMatchObject({ ...alert, createdAt: new Date("2025-11-20T09:30:00.000Z") });
  });

  it("has what is not said of it by default", async () => {
    const alert = recorder.alert();
    await recorder.record([alert]);
    expect(await recorder.stored(alert.id)).toEqual({
      ...alert,
      createdAt: new Date("2025-11-20T09:30:00.000Z"),
      recordedAt: expect.any(Date),
      workspaceId: recorder.workspaceId,
      facilityId: recorder.site.facilityId,
      alertRuleId: null,
      severity: null,
      observation: false,
      count: 1,
      url: null,
      thumbnailUrl: null,
      imageDimensions: null,
      canvasDimensions: null,
      violatingCoordinates: null,
      area: null,
      areaIds: [],
      storageClass: "local",
      info: null,
      bookmark: false,
      bookmarkChangedById: null,
      bookmarkChangedAt: null,
      falsePositive: false,
      falsePositiveChangedById: null,
      falsePositiveChangedAt: null,
    });
  });

  it("has what is said to be null by default", async () => {
    const nothing = { alertRuleId: null, count: null, url: null, imageDimensions: null, areaIds: null, info: null, storageClass: null };
    const alert = recorder.alert({ ...nothing, uploadId: null });
    await recorder.record([alert]);
    expect(await recorder.stored(alert.id)).toMatchObject({ ...nothing, count: 1, areaIds: [], storageClass: "local" });
  });

  it("has its rule's severity and observation as they are at the moment", async () => {
    const { cameraId } = recorder.site;
    const alertRuleId = await createAlertRule(gateway.prisma, { cameraId, severity: "CRITICAL", observation: true });
    const alert = recorder.alert({ alertRuleId });
    await recorder.record([alert]);
    await gateway.prisma.alertRule.update({ where: { id: alertRuleId }, data: { severity: "LOW", observation: false } });
    expect(await recorder.stored(alert.id)).toMatchObject({ severity: "CRITICAL", observation: true });
  });

  it("is recorded at the moment of the database's clock, not of ours", async () => {
    const [before] = await gateway.prisma.$queryRaw<[{ now: Date }]>`SELECT clock_timestamp() AS "now"`;
    const alert = recorder.alert();
    await recorder.record([alert]);
    const stored = await recorder.stored(alert.id);
    // Moments are kept in milliseconds.
    expect(stored?.recordedAt.getTime()).toBeGreaterThanOrEqual(before.now.getTime() - 1);
    expect(Math.abs(Number(stored?.recordedAt) - Number(before.now))).toBeLessThan(60_000);
  });

  it("is answered with whatever is asked of it, each once, in the order in which they were given", async () => {
    const alerts = [recorder.alert({ count: 1 }), recorder.alert({ count: 2 }), recorder.alert({ count: 3 })];
    const mutation = `mutation ($input: [RecordAlertInput!]!) {
      recordAlerts(input: $input) { recorded alerts { id count localCreatedAt camera { id facility { name } } } } }`;
    const answer = await run(gateway, recorder.admin, [mutation, { input: [...alerts, alerts[0]] }]);
    const camera = { id: recorder.site.cameraId, facility: { name: "Site" } };
    const shown = alerts.map(({ id, count }) => ({ id, count, localCreatedAt: "2025-11-20T12:30:00.000+03:00", camera }));
    expect(answer).toEqual({ recordAlerts: { recorded: 3, alerts: shown } });
  });

  it("costs as many statements together with others as alone", async () => {
    const statements = async (count: number) => {
      const input = Array.from({ length: count }, () => recorder.alert({ alertRuleId: recorder.site.ruleId }));
      gateway.clearStatements();
      await recorder.record(input);
      return gateway.statements.length;
    };
    expect(await statements(50)).toBe(await statements(1));
  });

  it("is counted at once, and leaves one entry in the audit log with the others of its call", async () => {
    const { cameraId, facilityId } = await recorder.newSite();
    const input = [recorder.alert({ cameraId }), recorder.alert({ cameraId })];
    await recorder.record(input);
    const { camera } = await gateway.data<{ camera: unknown }>(`query ($id: UUID!) { camera(id: $id) { alerts { totalCount } } }`, {
      as: recorder.admin.as,
      variables: { id: cameraId },
    });
    expect(camera).toEqual({ alerts: { totalCount: 2 } });
    expect(await gateway.prisma.auditEntry.findMany({ where: { facilityId } })).toMatchObject([
      {
        action: "recordAlerts",
        targetType: "Alert",
        targetId: null,
        changes: { recorded: { from: null, to: 2 }, cameraIds: { from: null, to: [cameraId] } },
      },
    ]);
  });

  it("may be one of a thousand, of several facilities", async () => {
    const { cameraId } = await recorder.newSite();
    const input = Array.from({ length: 1000 }, (_, n) => recorder.alert({ cameraId: n % 2 ? cameraId : recorder.site.cameraId }));
    expect(await recorder.record(input)).toEqual({ recorded: 1000, alreadyRecorded: 0 });
    expect(await countDifferences(gateway)).toEqual([]);
  });
});

describe("an alert that is recorded again", () => {
  it("with the same content is left as it is, and tells so", async () => {
    const [one, other] = [fullAlert(), recorder.alert()];
    await recorder.record([one, other]);
    const before = await recorder.stored(one.id);
    const entries = await gateway.prisma.auditEntry.count();
    expect(await recorder.record([one, other])).toEqual({ recorded: 0, alreadyRecorded: 2 });
    expect(await recorder.stored(one.id)).toEqual(before);
    expect(await gateway.prisma.auditEntry.count()).toBe(entries);
  });

  it("is the same however its content is written", async () => {
    const alert = fullAlert();
    await recorder.record([alert]);
    const { nothing, nested, detector } = alert.info;
    const written = {
      ...alert,
      id: alert.id.toUpperCase(),
      createdAt: "2025-11-20T12:30:00+03:00",
      info: { nothing, nested, detector },
      imageDimensions: { height: 720.0, width: 1280.0 },
    };
    expect(await recorder.record([written])).toEqual({ recorded: 0, alreadyRecorded: 1 });
  });

  it("comes in beside new ones", async () => {
    const alerts = [recorder.alert(), recorder.alert(), recorder.alert()];
    await recorder.record(alerts.slice(0, 1));
    expect(await recorder.record(alerts)).toEqual({ recorded: 2, alreadyRecorded: 1 });
  });

  it("keeps its marks, and is the same though its rule has changed or is gone", async () => {
    const alertRuleId = await createAlertRule(gateway.prisma, { cameraId: recorder.site.cameraId });
    const alert = recorder.alert({ alertRuleId });
    await recorder.record([alert]);
    await run(gateway, recorder.admin, ["mutation ($id: UUID!) { setAlertBookmark(id: $id, bookmark: true) { id } }", { id: alert.id }]);
    await gateway.prisma.alertRule.delete({ where: { id: alertRuleId } });
    expect(await recorder.record([alert])).toEqual({ recorded: 0, alreadyRecorded: 1 });
    expect(await recorder.stored(alert.id)).toMatchObject({ bookmark: true, severity: "MEDIUM" });
  });

  it("may come twice in one call", async () => {
    const alert = recorder.alert();
    expect(await recorder.record([alert, { ...alert, count: 1, info: null }])).toEqual({ recorded: 1, alreadyRecorded: 1 });
  });

  it("may be recorded anew when it was deleted", async () => {
    const alert = recorder.alert();
    await recorder.record([alert]);
    await run(gateway, recorder.admin, ["mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }", { ids: [alert.id] }]);
    expect(await recorder.record([{ ...alert, count: 2 }])).toEqual({ recorded: 1, alreadyRecorded: 0 });
  });

  const others: [what: string, values: () => Record<string, unknown> | Promise<Record<string, unknown>>][] = [
    ["camera", async () => ({ cameraId: (await recorder.newSite()).cameraId, alertRuleId: null })],
    ["rule", () => ({ alertRuleId: null })],
    ["name", () => ({ name: "NO_VEST" })],
    ["count", () => ({ count: 4 })],
    ["moment", () => ({ createdAt: "2025-11-20T09:30:00.001Z" })],
    ["url", () => ({ url: "https://detector.example/b.jpg" })],
    ["thumbnailUrl", () => ({ thumbnailUrl: null })],
    ["imageDimensions", () => ({ imageDimensions: { width: 1280, height: 721 } })],
    ["canvasDimensions", () => ({ canvasDimensions: null })],
    ["violatingCoordinates", () => ({ violatingCoordinates: [] })],
    ["area", () => ({ area: null })],
    ["areaIds", () => ({ areaIds: [] })],
    ["info", () => ({ info: { detector: "yolo" } })],
    ["storageClass", () => ({ storageClass: null })],
    ["upload", () => ({ url: null, thumbnailUrl: null, uploadId: unknownId })],
  ];

  it.each(others)("with another %s is a CONFLICT, and nothing of its call is recorded", async (_what, values) => {
    const alert = fullAlert();
    await recorder.record([alert]);
    const before = await recorder.stored(alert.id);
    const others = await recorder.count();
    expect(await recorder.refused([recorder.alert(), { ...alert, ...(await values()) }])).toMatchObject({ code: "CONFLICT" });
    expect(await recorder.stored(alert.id)).toEqual(before);
    expect(await recorder.count()).toBe(others);
  });
});

describe("alerts are refused together", () => {
  const faults: [what: string, values: () => Record<string, unknown> | Promise<Record<string, unknown>>, path: string][] = [
    ["an id that is none", () => ({ id: "x" }), "id"],
    ["a camera that is none", () => ({ cameraId: "x" }), "cameraId"],
    ["no camera", () => ({ cameraId: undefined }), "cameraId"],
    ["no name", () => ({ name: undefined }), "name"],
    ["an empty name", () => ({ name: "" }), "name"],
    ["a blank name", () => ({ name: "  " }), "name"],
    ["a name of 101 characters", () => ({ name: "x".repeat(101) }), "name"],
    ["a name of two lines", () => ({ name: "NO\nHELMET" }), "name"],
    ["a name with a NUL", () => ({ name: "NO\0" }), "name"],
    ["no moment", () => ({ createdAt: undefined }), "createdAt"],
    ["a moment without a zone", () => ({ createdAt: "2025-11-20T09:30:00" }), "createdAt"],
    ["a moment more than 24 hours ahead", () => ({ createdAt: new Date(start.getTime() + hours(24) + 1) }), "createdAt"],
    ["a count below zero", () => ({ count: -1 }), "count"],
    ["a count that is not whole", () => ({ count: 1.5 }), "count"],
    ["a count beyond 32 bits", () => ({ count: 2 ** 31 }), "count"],
    ["a url that is a key of the store", () => ({ url: "alerts/1.jpg" }), "url"],
    ["a url of another scheme", () => ({ url: "javascript:alert(1)" }), "url"],
    ["a url of 2049 characters", () => ({ url: `https://detector.example/${"x".repeat(2024)}` }), "url"],
    ["a small picture's url that is a path", () => ({ thumbnailUrl: "/files/x.jpg" }), "thumbnailUrl"],
    ["a picture of no width", () => ({ imageDimensions: { width: 0, height: 1 } }), "imageDimensions.width"],
    ["a canvas without height", () => ({ canvasDimensions: { width: 1 } }), "canvasDimensions.height"],
    ["a point without y", () => ({ violatingCoordinates: [{ x: 1 }] }), "violatingCoordinates.0.y"],
    ["a point of texts", () => ({ area: [{ x: "1", y: 2 }] }), "area.0.x"],
    ["1001 points", () => ({ area: Array(1001).fill({ x: 1, y: 2 }) }), "area"],
    ["101 areas", () => ({ areaIds: Array(101).fill(unknownId) }), "areaIds"],
    ["an area that is none", () => ({ areaIds: ["x"] }), "areaIds.0"],
    ["an info that is a list", () => ({ info: [1] }), "info"],
    ["an info of more than 64 KiB", () => ({ info: { text: "x".repeat(65_536) } }), "info"],
    ["an info with half a surrogate pair", () => ({ info: { deep: ["\ud800"] } }), "info.deep.0"],
    ["a blank storage class", () => ({ storageClass: " " }), "storageClass"],
    ["something that nobody knows", () => ({ severity: "HIGH" }), "severity"],
    ["a rule of another camera", async () => ({ alertRuleId: (await recorder.newSite()).ruleId }), "alertRuleId"],
    ["a rule that never existed", () => ({ alertRuleId: unknownId }), "alertRuleId"],
    ["an upload that never existed", () => ({ uploadId: unknownId }), "uploadId"],
    ["an upload beside a url", () => ({ uploadId: unknownId, url: "https://detector.example/a.jpg" }), "uploadId"],
    ["an upload beside a small picture's url", () => ({ uploadId: unknownId, thumbnailUrl: "https://detector.example/a.jpg" }), "uploadId"],
  ];

  it.each(faults)("for one with %s", async (_what, values, path) => {
    const before = await recorder.count();
    const refused = await recorder.refused([recorder.alert(), recorder.alert(await values())]);
    expect(refused).toMatchObject({ code: "BAD_REQUEST", paths: [expect.stringMatching(`^input\\.1\\.${path.replaceAll(".", "\\.")}$`)] });
    expect(await recorder.count()).toBe(before);
  });

  it("for each fault with its path", async () => {
    const input = [recorder.alert({ name: "" }), recorder.alert(), recorder.alert({ count: -1, url: "x" })];
    expect((await recorder.refused(input)).paths).toEqual(["input.0.name", "input.2.count", "input.2.url"]);
  });

  it("for each fault that only the database knows, with its path", async () => {
    const input = [recorder.alert({ alertRuleId: unknownId }), recorder.alert(), recorder.alert({ alertRuleId: unknownId, uploadId: unknownId })];
    expect((await recorder.refused(input)).paths?.toSorted()).toEqual(["input.0.alertRuleId", "input.2.alertRuleId", "input.2.uploadId"]);
  });

  it.each([0, 1001])("when they are %i", async (length) => {
    const input = Array.from({ length }, () => recorder.alert());
    expect(await recorder.refused(input)).toMatchObject({ code: "BAD_REQUEST", paths: ["input"] });
  });

  it("for an id that comes twice with other content", async () => {
    const alert = recorder.alert();
    expect(await recorder.refused([alert, recorder.alert(), { ...alert, count: 2 }])).toMatchObject({ code: "BAD_REQUEST", paths: ["input.2.id"] });
  });

  it("for an upload that comes twice", async () => {
    const input = [recorder.alert({ uploadId: unknownId }), recorder.alert({ uploadId: unknownId })];
    expect(await recorder.refused(input)).toMatchObject({ code: "BAD_REQUEST", paths: ["input.1.uploadId"] });
  });

  it("but not for a moment that is 24 hours ahead by our clock", async () => {
    const { workspaceId } = recorder;
    // Tokens would be past their time.
    const key = await createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:write"] });
    clock = new Date(start.getTime() + hours(1000));
    try {
      const input = [recorder.alert({ createdAt: new Date(clock.getTime() + hours(24)) })];
      expect(await run(gateway, { as: key }, [recordAlerts, { input }])).toMatchObject({ recordAlerts: { recorded: 1 } });
    } finally {
      clock = start;
    }
  });
});

describe("alerts are recorded for", () => {
  const at = (facilityId: string) => newWriter(gateway.prisma, { workspaceId: recorder.workspaceId, at: { [facilityId]: ["alerts:write"] } });

  it("whoever holds alerts:write at the camera's facility", async () => {
    expect(await recorder.record([recorder.alert()], await at(recorder.site.facilityId))).toMatchObject({ recorded: 1 });
  });

  it("an API key that holds it, which the audit log names", async () => {
    const { facilityId, cameraId } = await recorder.newSite();
    const key = await createApiKey(gateway.prisma, { workspaceId: recorder.workspaceId, permissions: ["alerts:write"], facilityIds: [facilityId] });
    const alert = recorder.alert({ cameraId });
    await run(gateway, { as: key }, [recordAlerts, { input: [alert] }]);
    expect(await gateway.prisma.auditEntry.findMany({ where: { facilityId } })).toMatchObject([
      { actorId: key.id, actorKind: "API_KEY", targetId: alert.id },
    ]);
  });

  it("nobody who sees the camera and does not hold it", async () => {
    const { workspaceId, site } = recorder;
    const reader = await newWriter(gateway.prisma, { workspaceId, roles: ["alerts:read", "alerts:delete", "cameras:write"] });
    const before = await recorder.count();
    expect(await recorder.refused([recorder.alert()], reader)).toMatchObject({ code: "FORBIDDEN" });
    const other = await recorder.newSite();
    const both = await newWriter(gateway.prisma, {
      workspaceId,
      at: { [site.facilityId]: ["alerts:write"], [other.facilityId]: ["alerts:read"] },
    });
    expect(await recorder.refused([recorder.alert(), recorder.alert({ cameraId: other.cameraId })], both)).toMatchObject({ code: "FORBIDDEN" });
    expect(await recorder.count()).toBe(before);
  });

  it("no camera that is not visible, deleted, of another workspace or never existed, all with the same answer", async () => {
    const other = await recorder.newSite();
    const foreign = (await Recorder.open(gateway)).site;
    const { facilityId, workspaceId } = { ...recorder.site, workspaceId: recorder.workspaceId };
    const removed = await createCamera(gateway.prisma, { workspaceId, facilityId, removedAt: new Date() });
    const writer = await at(facilityId);
    const answers = [];
    for (const cameraId of [other.cameraId, foreign.cameraId, removed, unknownId]) {
      answers.push(await recorder.refused([recorder.alert(), recorder.alert({ cameraId })], writer));
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(new Set([JSON.stringify({ code: "NOT_FOUND", message: "Not found" })]));
  });

  it("no rule that is not visible, with the answer for one that never existed", async () => {
    const answers = [];
    for (const alertRuleId of [(await Recorder.open(gateway)).site.ruleId, unknownId])
      answers.push(await recorder.refused([recorder.alert({ alertRuleId })]));
    expect(answers[0]).toEqual(answers[1]);
  });

  it("another workspace under the same id, with other content", async () => {
    const other = await Recorder.open(gateway);
    const id = randomUUID();
    await recorder.record([recorder.alert({ id })]);
    expect(await other.record([other.alert({ id, count: 7 })])).toEqual({ recorded: 1, alreadyRecorded: 0 });
    expect(await recorder.stored(id)).toMatchObject({ count: 1 });
  });
});
