// Runs once: both kinds of databases run the same statements.

import { permissions } from "../../src/engine/access/permissions.js";
import { createCompleteFacility } from "../support/complete-facility.js";
import { createAdmin, createApiKey, createTestUser } from "../support/factories.js";
import { sharedWorkspace } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { Assistant } from "./assistant.js";
import { readingTools } from "./tool-cases.js";

const now = new Date("2026-11-27T05:10:00.000Z");
const { gateway, prisma, workspaceId } = await sharedWorkspace({
  now: () => now,
  environment: { MCP_WRITE: "on" },
});
const site = await createCompleteFacility(prisma, {
  workspaceId,
  name: "Site",
  alerts: 2,
});
const admin = await createAdmin(prisma, workspaceId);
const reader = await createTestUser(prisma, {
  workspaceId,
  roles: ["facilities:read", "cameras:read", "alerts:read"],
});

const entries = () =>
  prisma.auditEntry.findMany({
    where: { workspaceId },
    select: { action: true, targetId: true, actorId: true, via: true, client: true },
    orderBy: { id: "asc" },
  });

it("offers tools that write, and says that they do", async () => {
  const { client } = await Assistant.open(gateway, admin.as);
  const { tools } = await client.listTools();
  const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint === false);
  expect(writing.map(({ name }) => name)).toEqual([
    "acknowledge_alerts",
    "comment_alert",
    "snooze_camera",
    "snooze_alert_rule",
  ]);
  expect(tools.length - writing.length).toBe(readingTools.length);
});

it("says of each way to snooze that rules that the gateway evaluates raise no alerts meanwhile", async () => {
  const { client } = await Assistant.open(gateway, admin.as);
  const { tools } = await client.listTools();
  const { __type } = await gateway.data<{ __type: { fields: { name: string; description: string }[] } }>(
    '{ __type(name: "Mutation") { fields { name description } } }',
    { as: admin.as },
  );
  const ways = [...tools, ...__type.fields].filter(({ name }) => name.startsWith("snooze"));
  expect(ways).toHaveLength(5);
  for (const { description } of ways) expect(description).toMatch(/evaluate(?:s|d`,) (?:it )?raises? no/);
});

it("writes with the caller's permissions, and says in the audit log which assistant it was", async () => {
  const name = `connector-\0${"x".repeat(200)}`;
  const assistant = await Assistant.open(gateway, admin.as, name);
  const [alert_id] = site.alertIds;
  const camera_id = site.cameraId;
  const alert_rule_id = site.ruleId;
  const before = (await entries()).length;
  const acknowledged = await assistant.call("acknowledge_alerts", { alert_ids: site.alertIds });
  expect(acknowledged.told.items.map(({ alert_id }) => alert_id)).toEqual(site.alertIds);
  const commented = await assistant.call("comment_alert", { alert_id, text: "A cat" });
  expect(commented.told).toMatchObject({
    comment_id: expect.any(String),
    written: { utc: now.toISOString() },
  });
  const snoozed = await assistant.call("snooze_camera", { camera_id, minutes: 90 });
  expect(snoozed.told).toMatchObject({
    snoozed_until: { local: "2026-11-27T09:40:00.000+03:00", utc: "2026-11-27T06:40:00.000Z" },
  });
  expect((await assistant.call("snooze_camera", { camera_id, minutes: 0 })).told.snoozed_until).toBeNull();
  await assistant.call("snooze_alert_rule", { alert_rule_id, minutes: 5 });
  const from = { actorId: admin.id, via: "MCP", client: name.slice(0, 100).replace("\0", " ") };
  const written = (await entries()).slice(before);
  expect(written.map(({ action }) => action).toSorted()).toEqual([
    ...["commentAlert", "markAlerts", "markAlerts", "snoozeAlertRule", "snoozeCamera", "snoozeCamera"],
  ]);
  for (const entry of written) expect(entry).toMatchObject(from);
});

it("refuses what the caller may not do, and changes nothing", async () => {
  const before = await entries();
  const { authorization } = await createApiKey(prisma, {
    workspaceId,
    permissions: [...permissions],
  });
  const [alert_id] = site.alertIds;
  for (const [as, tool, given] of [
    [reader.as, "acknowledge_alerts", { alert_ids: [alert_id] }],
    [reader.as, "comment_alert", { alert_id, text: "x" }],
    [reader.as, "snooze_camera", { camera_id: site.cameraId, minutes: 5 }],
    [reader.as, "snooze_alert_rule", { alert_rule_id: site.ruleId, minutes: 5 }],
    [{ authorization }, "comment_alert", { alert_id, text: "x" }],
  ] as const) {
    const answer = await (await Assistant.open(gateway, as)).call(tool, given);
    expect(answer).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^FORBIDDEN: .*Do not try again/),
    });
  }
  expect(await entries()).toEqual(before);
});

it.each<[string, Record<string, unknown>]>([
  ["acknowledge_alerts", { alert_ids: [] }],
  ["acknowledge_alerts", { alert_ids: listOf(21, () => "00000000-0000-4000-8000-000000000000") }],
  ["comment_alert", { alert_id: "00000000-0000-4000-8000-000000000000", text: "" }],
  ["snooze_camera", { camera_id: "00000000-0000-4000-8000-000000000000", minutes: 43_201 }],
  ["snooze_alert_rule", { alert_rule_id: "00000000-0000-4000-8000-000000000000", minutes: 1.5 }],
])("%s refuses %j", async (tool, given) => {
  const answer = await (await Assistant.open(gateway, admin.as)).call(tool, given);
  expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/^BAD_REQUEST/) });
});
