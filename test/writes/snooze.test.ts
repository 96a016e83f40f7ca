// Runs once: both kinds of databases run the same statements.
import { permissions } from "../../src/engine/access/permissions.js";
import { Recorder } from "../ingestion/recorder.js";
import { createAlertRule, createApiKey, createTestUser, type TestUser } from "../support/factories.js";
import { type Call, refusal, run, sharedGateway } from "../support/harness.js";

const minute = 60_000;
const day = 1440 * minute;
const start = Date.now();
let clock = start;
/** Each test has its own workspace. */
let recorder: Recorder;
let ruleId: string;
const gateway = await sharedGateway({
  now: () => new Date(clock),
  environment: {
    // Nothing answers there: what is queued stays queued.
    SMTP_URL: "smtp://127.0.0.1:9",
    MAIL_FROM: "gateway@test.example",
    TWILIO_ACCOUNT_SID: "AC0123456789abcdef",
    TWILIO_AUTH_TOKEN: "word",
    TWILIO_FROM: "+12025550123",
    TWILIO_URL: "http://127.0.0.1:9",
  },
});
const { prisma } = gateway;
beforeEach(async () => {
  clock = start;
  recorder = await Recorder.open(gateway);
  const { cameraId } = recorder.site;
  await prisma.camera.updateMany({
    where: { id: cameraId },
    data: { emailAddresses: ["guard@test.example"] },
  });
  ruleId = await newRule();
});

const newRule = () =>
  createAlertRule(prisma, {
    cameraId: recorder.site.cameraId,
    notificationUrl: "https://hooks.example/1",
    notificationEnabled: true,
    emails: ["lead@test.example"],
    phoneNumbers: ["+905321234567"],
  });

const at = (ahead: number) => new Date(clock + ahead).toISOString();

interface Snoozed {
  id: string;
  snoozedFrom: string | null;
  snoozedUntil: string | null;
  snoozedBy: { id: string } | null;
  snoozeReason: string | null;
  updatedAt: string;
}
const fields = "id snoozedFrom snoozedUntil snoozedBy { id } snoozeReason updatedAt";

/** What can be snoozed: the mutation, and what it is called with. */
const kinds = [
  { kind: "camera", mutation: "snoozeCamera", idOf: () => recorder.site.cameraId },
  { kind: "rule", mutation: "snoozeAlertRule", idOf: () => ruleId },
  { kind: "facility", mutation: "snoozeFacility", idOf: () => recorder.site.facilityId },
];
const snooze = (mutation: string, id: string, until: string | null, more: object = {}): Call => [
  `mutation ($id: UUID!, $from: DateTimeISO, $until: DateTimeISO, $reason: String) {
    it: ${mutation}(id: $id, from: $from, until: $until, reason: $reason) { ${fields} }
  }`,
  { id, until, ...more },
];
const snoozed = async (call: Call, as = recorder.admin) => (await run<{ it: Snoozed }>(gateway, as, call)).it;

const newUser = (roles: readonly (typeof permissions)[number][]) =>
  createTestUser(prisma, { workspaceId: recorder.workspaceId, roles });

/** What a caller sees of the camera, its rule or its facility. */
async function seen(kind: string, as: TestUser = recorder.admin): Promise<Snoozed> {
  const { camera } = await gateway.data<{
    camera: Snoozed & { alertRules: Snoozed[]; facility: Snoozed };
  }>(`query ($id: UUID!) { camera(id: $id) { ${fields} alertRules { ${fields} } facility { ${fields} } } }`, {
    ...as,
    variables: { id: recorder.site.cameraId },
  });
  if (kind === "facility") return camera.facility;
  return kind === "camera" ? camera : (camera.alertRules.find(({ id }) => id === ruleId) as Snoozed);
}

/** Records an alert that happened at a time, and answers to whom it is told. */
async function told(createdAt: string, alertRuleId: string | null = ruleId): Promise<string[]> {
  const alert = recorder.alert({ alertRuleId, createdAt });
  expect(await recorder.record([alert])).toMatchObject({ recorded: 1 });
  const deliveries = await prisma.delivery.findMany({
    where: { workspaceId: recorder.workspaceId, alertId: alert.id },
    orderBy: { target: "asc" },
  });
  return deliveries.map(({ target }) => target);
}
const everyone = ["+905321234567", "guard@test.example", "https://hooks.example/1", "lead@test.example"];

describe.each(kinds)("$mutation", ({ kind, mutation, idOf }) => {
  const until = (time: string | null, more?: object) => snooze(mutation, idOf(), time, more);

  it("says from when until when and by whom, until it ends by itself", async () => {
    const end = at(10 * minute);
    const expected = { snoozedFrom: at(0), snoozedUntil: end, snoozedBy: { id: recorder.admin.id } };
    expect(await snoozed(until(end))).toMatchObject(expected);
    expect(await seen(kind)).toMatchObject(expected);
    clock += 10 * minute - 1;
    expect(await seen(kind)).toMatchObject(expected);
    clock += 1;
    expect(await seen(kind)).toMatchObject({ snoozedFrom: null, snoozedUntil: null, snoozedBy: null });
  });

  it("takes a time in the next 30 days", async () => {
    for (const [time, message] of [
      [at(0), "until: must be in the future"],
      [at(30 * day + 1), "until: must be at most 30 days ahead"],
    ] as const)
      expect(await refusal(gateway, recorder.admin, until(time))).toEqual({
        code: "BAD_REQUEST",
        message: expect.stringContaining(message),
        paths: ["until"],
      });
    expect(await seen(kind)).toMatchObject({ snoozedUntil: null });
    for (const time of [at(1), at(30 * day)])
      expect(await snoozed(until(time))).toMatchObject({ snoozedUntil: time });
  });

  it("records alerts that happen until it ends, also by null, and tells nobody, whenever they arrive", async () => {
    const [before, during] = [at(-1), at(0)];
    await snoozed(until(at(10 * minute)));
    expect(await told(before)).toEqual(everyone);
    expect(await told(during)).toEqual([]);
    expect(await told(at(10 * minute - 1))).toEqual([]);
    expect(await told(at(10 * minute))).toEqual(everyone);
    clock += minute;
    await snoozed(until(at(2 * minute)));
    expect(await told(during)).toEqual([]);
    clock += minute;
    expect(await snoozed(until(null))).toMatchObject({ snoozedUntil: null, snoozedBy: null });
    expect(await told(during)).toEqual([]);
    expect(await told(at(-1))).toEqual([]);
    expect(await told(at(0))).toEqual(everyone);
  });

  it("begins when it should, says why, and is replaced by a later one", async () => {
    const [from, end] = [at(minute), at(2 * minute)];
    const reason = "Maintenance";
    const shown = { snoozedFrom: from, snoozedUntil: end, snoozeReason: reason };
    expect(await snoozed(until(end, { from, reason }))).toMatchObject(shown);
    expect(await seen(kind)).toMatchObject(shown);
    expect(await told(at(minute - 1))).toEqual(everyone);
    expect(await told(from)).toEqual([]);
    expect(await told(end)).toEqual(everyone);
    // What is past begins now.
    const next = { snoozedFrom: at(0), snoozedUntil: from, snoozeReason: null };
    expect(await snoozed(until(from, { from: at(-minute) }))).toMatchObject(next);
    expect(await told(at(-1))).toEqual(everyone);
    expect(await told(at(0))).toEqual([]);
    expect(await told(from)).toEqual(everyone);
    for (const [call, path] of [
      [until(null, { from }), "from"],
      [until(end, { from: end }), "from"],
      [until(end, { reason: "x".repeat(201) }), "reason"],
    ] as const)
      expect(await refusal(gateway, recorder.admin, call)).toMatchObject({
        code: "BAD_REQUEST",
        paths: [path],
      });
    const { changes } = await prisma.auditEntry.findFirstOrThrow({
      where: { workspaceId: recorder.workspaceId, action: mutation },
      orderBy: { id: "asc" },
    });
    expect(changes).toEqual({
      snoozedFrom: { from: null, to: from },
      snoozedUntil: { from: null, to: end },
      snoozeReason: { from: null, to: reason },
    });
  });

  it("leaves updatedAt as it is, so that an open form can still be saved", async () => {
    const { updatedAt } = await seen(kind);
    clock += minute;
    expect(await snoozed(until(at(minute)))).toMatchObject({ updatedAt });
  });

  it("shows who it was, unless it was an API key or somebody who was removed", async () => {
    await snoozed(until(at(minute)));
    const { workspaceId } = recorder;
    const key = { as: await createApiKey(prisma, { workspaceId, permissions: [...permissions] }) };
    expect((await run<{ it: Snoozed }>(gateway, key, until(at(2 * minute)))).it.snoozedBy).toBeNull();
    const other = await newUser(permissions);
    await snoozed(until(at(3 * minute)), other);
    expect(await seen(kind)).toMatchObject({ snoozedBy: { id: other.id } });
    await run(gateway, recorder.admin, [
      "mutation ($id: UUID!) { removeUser(userId: $id) { id } }",
      { id: other.id },
    ]);
    expect(await seen(kind)).toMatchObject({ snoozedUntil: at(3 * minute), snoozedBy: null });
  });

  it("writes each change to the audit log, and no repetition", async () => {
    const end = at(minute);
    for (const time of [end, end, null, null]) await snoozed(until(time));
    const entries = await prisma.auditEntry.findMany({
      where: { workspaceId: recorder.workspaceId, action: mutation },
      orderBy: { id: "asc" },
    });
    expect(entries.map(({ changes }) => changes)).toEqual([
      { snoozedUntil: { from: null, to: end } },
      { snoozedUntil: { from: end, to: null } },
    ]);
  });
});

it("a snoozed rule leaves other rules of its camera as they are, a snoozed camera none", async () => {
  const other = await newRule();
  await snoozed(snooze("snoozeAlertRule", ruleId, at(minute)));
  expect(await told(at(0), other)).toEqual(everyone);
  expect(await told(at(0), null)).toEqual(["guard@test.example"]);
  await snoozed(snooze("snoozeCamera", recorder.site.cameraId, at(minute)));
  expect(await told(at(0), other)).toEqual([]);
  expect(await told(at(0), null)).toEqual([]);
});

it("outages of a snoozed camera are told", async () => {
  const { cameraId, workspaceId } = { ...recorder.site, ...recorder };
  await snoozed(snooze("snoozeCamera", cameraId, at(minute)));
  await run(gateway, recorder.admin, [
    `mutation ($id: UUID!) { setCameraStatusDetail(id: $id, input: { statusDetail: "STREAM_ERROR", source: TRACKER }) { id } }`,
    { id: cameraId },
  ]);
  const deliveries = await prisma.delivery.findMany({ where: { workspaceId, kind: "CAMERA_LOST" } });
  expect(deliveries).toMatchObject([{ target: "guard@test.example" }]);
});
