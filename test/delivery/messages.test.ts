// Runs once: both kinds of databases run the same statements.

import { randomUUID } from "node:crypto";
import sharp from "sharp";
import { Recorder } from "../ingestion/recorder.js";
import { eventually } from "../support/eventually.js";
import { createAlertRule, createApiKey, createDigest, createUser } from "../support/factories.js";
import { run, startGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { pictureAs } from "../uploads/sample-pictures.js";
import { openMailServer, refusal } from "./mail-server.js";
import { account, openTextMessageServer } from "./text-message-server.js";

/** A gateway that uses both servers, and its clock. */
async function start(settings: Record<string, string> = {}) {
  const clock = { ahead: 0, now: () => new Date(Date.now() + clock.ahead) };
  const environment = {
    PUBLIC_URL: "https://gateway.example",
    SMTP_URL: mail.url,
    MAIL_FROM: "Site safety <gateway@mail.example>",
    TWILIO_ACCOUNT_SID: account.accountSid,
    TWILIO_AUTH_TOKEN: account.authToken,
    TWILIO_FROM: account.from,
    TWILIO_URL: texts.url,
    ...settings,
  };
  return { gateway: await startGateway({ now: clock.now, environment }), clock };
}

const [mail, texts] = [await openMailServer(), await openTextMessageServer()];
const shared = await start();
afterAll(async () => {
  await shared.gateway.close();
  await mail.close();
  texts.close();
});
beforeEach(() => {
  mail.received.length = 0;
  texts.received.length = 0;
});

/** A camera with a rule, at a gateway whose clock is advanced by tests. */
async function newSite({
  emails = [] as string[],
  phoneNumbers = [] as string[],
  cameraEmails = [] as string[],
  on = shared,
  rule = {},
}) {
  const { gateway, clock } = on;
  const { now } = clock;
  const startedAt = now();
  const recorder = await Recorder.open(gateway);
  const { workspaceId, site } = recorder;
  await gateway.prisma.camera.updateMany({
    where: { id: site.cameraId },
    data: { emailAddresses: cameraEmails, name: "Gate in" },
  });
  const values = { name: "NO_HELMET", severity: "HIGH", emails, phoneNumbers, ...rule };
  const alertRuleId = await createAlertRule(gateway.prisma, {
    workspaceId,
    cameraId: site.cameraId,
    ...values,
  });
  // An API key, which does not expire while the clock advances.
  const { authorization } = await createApiKey(gateway.prisma, {
    workspaceId,
    permissions: ["alerts:write", "cameras:write"],
  });
  const detector = { id: "", authId: "", as: { authorization } };
  const record = async (count: number, more: object = {}) => {
    const alerts = listOf(count, () =>
      recorder.alert({ alertRuleId, createdAt: now().toISOString(), ...more }),
    );
    await recorder.record(alerts, detector);
    return alerts;
  };
  const deliveries = () =>
    gateway.prisma.delivery.findMany({
      where: { workspaceId, createdAt: { gt: startedAt } },
      orderBy: [{ queuedAt: "asc" }, { position: "asc" }],
    });
  const settled = () => eventually(deliveries, (all) => all.every(({ state }) => state !== "PENDING"));
  const advance = async (milliseconds: number) => {
    clock.ahead += milliseconds;
    // Any write wakes the workers.
    await run(gateway, detector, [
      "mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }",
      { id: site.facilityId },
    ]);
  };
  return { gateway, recorder, alertRuleId, detector, record, deliveries, settled, advance };
}

it("each address that a rule or its camera names gets an alert once", async () => {
  const emails = ["safety@site.example", "Guard@site.example"];
  const { gateway, record, settled } = await newSite({
    emails,
    cameraEmails: ["guard@site.example", "owner@site.example"],
    phoneNumbers: ["+905321234567"],
  });
  const [alert] = await record(1);
  const states = (await settled()).map(({ channel, state, attempts }) => `${channel} ${state} ${attempts}`);
  expect(states.sort()).toEqual(["EMAIL SENT 1", "EMAIL SENT 1", "EMAIL SENT 1", "SMS SENT 1"]);
  expect(
    mail.received.flatMap(({ recipients }) => recipients.map((each) => each.toLowerCase())).sort(),
  ).toEqual(["guard@site.example", "owner@site.example", "safety@site.example"]);
  expect(new Set(mail.received.map(({ subject }) => subject))).toEqual(
    new Set(["[HIGH] No helmet · Gate in · Site"]),
  );
  expect(mail.received[0]?.text).toContain(`https://gateway.example/?alert=${alert?.id}`);
  const metrics = await (await gateway.fetch("/metrics")).text();
  for (const figure of ['total{channel="EMAIL",outcome="sent"} 3', 'total{channel="SMS",outcome="sent"} 1']) {
    expect(metrics).toContain(`gateway_deliveries_${figure}`);
  }
  expect(metrics).toContain('gateway_delivery_latency_seconds_count{channel="EMAIL"} 3');
  const opened = await gateway.fetch(`/?alert=${alert?.id}`, { redirect: "manual" });
  expect([opened.status, opened.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(
    texts.received.map(({ form }) => [form.To, form.Body?.startsWith("[HIGH] No helmet, Gate in, Site, ")]),
  ).toEqual([["+905321234567", true]]);
});

it("no address that only people have whose access has ended gets an alert", async () => {
  const site = await newSite({
    emails: ["left@site.example", "Shared@site.example"],
    phoneNumbers: ["+905321234567"],
    cameraEmails: ["LEFT@site.example", "owner@site.example"],
  });
  const { prisma } = site.gateway;
  const { workspaceId } = site.recorder;
  const until = new Date(0);
  await createUser(prisma, { workspaceId, email: "Left@site.example", until });
  const phoneNumber = { e164Format: "+905321234567" };
  await createUser(prisma, { workspaceId, email: "shared@site.example", phoneNumber, until });
  await createUser(prisma, { workspaceId, email: "SHARED@site.example" });
  await site.record(1);
  await site.settled();
  const reached = mail.received.flatMap(({ recipients }) => recipients.map((each) => each.toLowerCase()));
  expect(reached.sort()).toEqual(["owner@site.example", "shared@site.example"]);
  expect(texts.received).toEqual([]);
});

it("observations are neither mailed nor sent as text messages", async () => {
  const { record, deliveries } = await newSite({
    emails: ["safety@site.example"],
    phoneNumbers: ["+905321234567"],
    cameraEmails: ["owner@site.example"],
    rule: { observation: true },
  });
  await record(1);
  expect(await deliveries()).toEqual([]);
});

it("alerts that follow within a minute are summed up in the next mail, under the id of the first of them", async () => {
  const { record, deliveries, settled, advance } = await newSite({ emails: ["safety@site.example"] });
  await record(1);
  await settled();
  await record(12);
  await advance(30_000);
  const waiting = (await deliveries()).filter(({ state }) => state === "PENDING");
  expect([waiting.length, mail.received.length]).toEqual([12, 1]);
  await advance(31_000);
  await settled();
  expect(mail.received.map(({ subject }) => subject)).toEqual([
    "[HIGH] No helmet · Gate in · Site",
    "[HIGH] 12 × No helmet · Gate in · Site",
  ]);
  expect(mail.received[1]?.messageId).toBe(`<${waiting[0]?.id}@gateway.example>`);
});

it("alerts that follow within five minutes are summed up in the next text message", async () => {
  const { record, settled, advance } = await newSite({ phoneNumbers: ["+905321234567"] });
  await record(1);
  await settled();
  await record(12);
  await advance(299_000);
  expect(texts.received).toHaveLength(1);
  await advance(2_000);
  await settled();
  expect(texts.received[1]?.form.Body).toMatch(/\+11 more/);
});

it("messages beyond the daily limit are parked, and those of the next day are not", async () => {
  const limited = await start({ MAX_MESSAGES_PER_DAY: "1" });
  onTestFinished(() => limited.gateway.close());
  const { gateway, record, settled, advance } = await newSite({
    emails: ["one@site.example", "two@site.example"],
    on: limited,
  });
  await record(1);
  const parked = (await settled()).filter(({ state }) => state === "PARKED");
  expect(parked.map(({ lastError }) => lastError)).toEqual([
    "The workspace has sent its 1 messages of the day",
  ]);
  expect(await (await gateway.fetch("/metrics")).text()).toContain(
    'gateway_deliveries_parked{channel="EMAIL"} 1',
  );
  await advance(24 * 3_600_000);
  await record(1);
  await settled();
  expect(mail.received).toHaveLength(2);
});

it("a message that is refused does not count for the daily limit", async () => {
  const refusals = [refusal(550)];
  const refusing = await openMailServer({ onRcptTo: (_address, _session, done) => done(refusals.pop()) });
  onTestFinished(refusing.close);
  const limited = await start({ MAX_MESSAGES_PER_DAY: "1", SMTP_URL: refusing.url });
  onTestFinished(() => limited.gateway.close());
  const { record, deliveries, settled, advance } = await newSite({
    emails: ["one@site.example"],
    on: limited,
  });
  await record(1);
  await eventually(deliveries, ([delivery]) => delivery?.attempts === 1);
  await advance(60_000);
  expect(await settled()).toMatchObject([{ state: "SENT", attempts: 2 }]);
});

it("a camera whose stream is lost, and its return, are mailed to its addresses", async () => {
  const { gateway, recorder, detector, settled, advance } = await newSite({
    cameraEmails: ["owner@site.example"],
  });
  const set = (statusDetail: string) =>
    run(gateway, detector, [
      "mutation ($id: UUID!, $input: StatusDetailInput!) { setCameraStatusDetail(id: $id, input: $input) { id } }",
      { id: recorder.site.cameraId, input: { statusDetail, source: "CLIENT" } },
    ]);
  await set("STREAM_ERROR");
  await settled();
  await set("OPERATIONAL");
  await advance(61_000);
  await settled();
  expect(mail.received.map(({ subject }) => subject?.split(" · ")[0])).toEqual([
    "[No stream] Gate in",
    "[Working] Gate in",
  ]);
});

it("a mail tells the time by the clock that its reader chose for digests, and beside it by that of the facility", async () => {
  const [there, here] = ["America/New_York", "Asia/Tokyo"];
  const { gateway, recorder, record, settled } = await newSite({
    emails: ["Night@site.example", "day@site.example"],
  });
  const { workspaceId, site } = recorder;
  const userId = await createUser(gateway.prisma, { workspaceId, email: "night@site.example" });
  await createDigest(gateway.prisma, { workspaceId, userId, timeZoneId: here });
  const ofSite = { where: { id: site.facilityId }, data: { timeZoneId: there } };
  await gateway.prisma.facility.updateMany(ofSite);
  const [alert] = await record(1);
  await settled();
  const timeIn = (timeZone: string) =>
    new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "short" }).format(
      new Date(alert?.createdAt as string),
    );
  const factsOf = (address: string) =>
    mail.received
      .find(({ recipients }) => recipients.includes(address))
      ?.text?.match(/^(?:When|At the facility) .*/gm)
      ?.map((fact) => fact.replace(/ {2,}.*, (\d+:\d+) \((.*), .*/, ": $1 $2"));
  expect(factsOf("Night@site.example")).toEqual([
    `When: ${timeIn(here)} ${here}`,
    `At the facility: ${timeIn(there)} ${there}`,
  ]);
  expect(factsOf("day@site.example")).toEqual([`When: ${timeIn(there)} ${there}`]);
});

it("mails and text messages from a facility whose time zone is not known are sent, with the time of the one that the database knows by another name", async () => {
  const timeZone = "Europe/Brussels";
  const { gateway, recorder, detector, record, deliveries, settled } = await newSite({
    emails: ["safety@site.example"],
    phoneNumbers: ["+905321234567"],
    cameraEmails: ["owner@site.example"],
  });
  const { cameraId, facilityId } = recorder.site;
  // Written by SQL, because the gateway refuses such a zone: the database, or its next
  // version, may no longer know every zone.
  await gateway.prisma
    .$executeRaw`UPDATE "Facility" SET "timeZoneId" = 'CET' WHERE "id" = ${facilityId}::uuid`;
  const [alert] = await record(1);
  await settled();
  await run(gateway, detector, [
    "mutation ($id: UUID!, $input: StatusDetailInput!) { setCameraStatusDetail(id: $id, input: $input) { id } }",
    { id: cameraId, input: { statusDetail: "STREAM_ERROR", source: "CLIENT" } },
  ]);
  const lost = (await settled()).find(({ kind }) => kind === "CAMERA_LOST");
  expect((await deliveries()).map(({ channel, state }) => `${channel} ${state}`).sort()).toEqual([
    "EMAIL SENT",
    "EMAIL SENT",
    "EMAIL SENT",
    "SMS SENT",
  ]);

  const clock = new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "short" });
  const [raisedAt, lostAt] = [
    clock.format(new Date(alert?.createdAt as string)),
    clock.format(lost?.createdAt),
  ];
  const mailTo = (address: string, subject: string) =>
    mail.received.find((each) => each.recipients.includes(address) && each.subject?.startsWith(subject))
      ?.text;
  for (const address of ["safety@site.example", "owner@site.example"])
    expect(mailTo(address, "[HIGH] No helmet")).toContain(`, ${raisedAt} (${timeZone}, UTC+`);
  expect(mailTo("owner@site.example", "[No stream] Gate in")).toContain(`, ${lostAt} (${timeZone}, UTC+`);
  expect(texts.received[0]?.form.Body).toContain(`, Site, ${raisedAt}. `);
});

type Site = Awaited<ReturnType<typeof newSite>>;

/** Uploads a picture for an alert of the camera, and returns the id of the upload. */
async function uploadPicture({ gateway, recorder, detector }: Site): Promise<string> {
  const create = "mutation ($cameraId: UUID!) { createAlertUpload(cameraId: $cameraId) { uploadId url } }";
  const { createAlertUpload } = await run<{ createAlertUpload: { uploadId: string; url: string } }>(
    gateway,
    detector,
    [create, { cameraId: recorder.site.cameraId }],
  );
  const { pathname, search } = new URL(createAlertUpload.url);
  const stored = await gateway.fetch(pathname + search, {
    method: "PUT",
    body: Uint8Array.from(await pictureAs("jpeg", 640, 400)),
  });
  expect(stored.status).toBe(204);
  return createAlertUpload.uploadId;
}

const area = [
  { x: 10, y: 10 },
  { x: 300, y: 10 },
  { x: 300, y: 200 },
];

it("a mail shows the picture with the detected objects", async () => {
  const site = await newSite({ emails: ["safety@site.example"] });
  const { gateway, detector, record, settled } = site;
  const [alert] = await record(1, {
    uploadId: await uploadPicture(site),
    canvasDimensions: { width: 640, height: 400 },
    area,
  });
  await settled();
  const [attachment] = mail.received[0]?.attachments ?? [];
  const shown = await gateway.data<{ alert: { annotatedUrl: string } }>(
    "query ($id: UUID!) { alert(id: $id) { annotatedUrl } }",
    {
      as: detector.as,
      variables: { id: alert?.id },
    },
  );
  const link = new URL(shown.alert.annotatedUrl);
  const picture = Buffer.from(await (await gateway.fetch(link.pathname + link.search)).arrayBuffer());
  expect(attachment?.content.equals(picture)).toBe(true);
});

it("a mail leads to the clips that its alerts have by then", async () => {
  const { gateway, recorder, record, settled, advance } = await newSite({ emails: ["safety@site.example"] });
  const { workspaceId, site } = recorder;
  const recordWithClip = async () => {
    const key = `clips/${randomUUID()}.mp4`;
    const clip = {
      kind: "CLIP",
      url: key,
      contentType: "video/mp4",
      duration: 1,
      width: 64,
      height: 48,
      size: 9,
    };
    const dueAt = new Date(shared.clock.now().getTime() + 1_800_000);
    const { id } = await gateway.prisma.alertUpload.create({
      data: { workspaceId, facilityId: site.facilityId, dueAt, ...clip },
    });
    await record(1, { clipUploadId: id });
    return `https://gateway.example/files/${key}?expires=`;
  };
  const first = await recordWithClip();
  await settled();
  const [one, other] = [await recordWithClip(), await recordWithClip()];
  await record(1);
  await advance(61_000);
  await settled();
  const [single, several] = mail.received.map(({ text }) => text);
  expect(single).toContain(`Play the clip (the link works for 7 days):\n${first}`);
  for (const link of [one, other]) expect(several).toContain(link);
  expect(several?.split("/files/clips/")).toHaveLength(3);
});

it("a test of a rule, and a mail about an alert without a picture, show the areas on the camera's newest one, greyed, with its age", async () => {
  const detection = { id: randomUUID(), type: "NO_HELMET", objects: ["PERSON"] };
  const drawn = { id: randomUUID(), type: "AREA", name: "Dock", points: area };
  const group = { id: randomUUID(), type: "GROUP", operator: "AND", children: [drawn, detection] };
  const site = await newSite({ emails: ["safety@site.example"], rule: { group } });
  const { gateway, recorder, record, settled, alertRuleId } = site;
  const test = async () => {
    const mutation = "mutation ($id: UUID!) { sendTestDelivery(alertRuleId: $id) { id } }";
    await run(gateway, recorder.admin, [mutation, { id: alertRuleId }]);
    await settled();
  };
  await test();
  expect(mail.received[0]?.attachments).toEqual([]);
  expect(mail.received[0]?.text).toContain("None: the gateway has no picture of this camera yet.");

  const { url } = await gateway.prisma.alertUpload.findFirstOrThrow({
    where: { id: await uploadPicture(site) },
  });
  const pictureAt = new Date(shared.clock.now().getTime() + 60_000 - 3 * 3_600_000);
  await gateway.prisma.camera.updateMany({
    where: { id: recorder.site.cameraId },
    data: { imageLink: url, pictureAt, imageDimensions: { width: 640, height: 400 } },
  });
  shared.clock.ahead += 61_000;
  await test();
  await record(1, {
    canvasDimensions: { width: 320, height: 200 },
    area: area.map(({ x, y }) => ({ x: x / 2, y: y / 2 })),
  });
  await settled();
  for (const { text, attachments } of mail.received.slice(1)) {
    expect(text).toMatch(/^Picture +The camera’s newest one, 3 hours old when this was sent\./m);
    const { data, info } = await sharp(attachments[0]?.content).raw().toBuffer({ resolveWithObject: true });
    const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 3).subarray(0, 3)];
    const spread = (color: number[]) => Math.max(...color) - Math.min(...color);
    // What is red in the camera's picture is grey; the outline of the area is red.
    expect(spread(at(480, 280))).toBeLessThan(30);
    expect(spread(at(300, 100))).toBeGreaterThan(90);
  }
  expect(mail.received).toHaveLength(3);
});
