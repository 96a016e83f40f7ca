import { assertCan } from "../../engine/access/permissions.js";
import { assertExpectedVersion } from "../../engine/operation/expected-version.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { changedFields, type WriteAccess } from "../../engine/operation/write.js";
import { type AlertRule, Prisma, type RemovedAlertRule } from "../../generated/prisma/client.js";
import { notFound, orNotFound, ServiceError } from "../../platform/errors/errors.js";
import { hasKey, isRecord } from "../../platform/record.js";
import { wordsFor } from "../../platform/text/code-words.js";
import { later } from "../../platform/time.js";
import { restorableForMs } from "../camera/restoring.js";
import type { CreateAlertRuleInput, UpdateAlertRuleInput } from "./alert-rule.input.js";
import type { AlertRuleRow } from "./alert-rule.loader.js";
import { completeTree, maxEvaluatedRules, ruleNode } from "./rule-tree.js";
import { english } from "./sentence/english.js";
import { ruleSentence } from "./sentence/rule-sentence.js";

export const everyDay = [0, 1, 2, 3, 4, 5, 6];

export function createAlertRule(
  context: RequestContext,
  cameraId: string,
  input: CreateAlertRuleInput,
): Promise<AlertRuleRow> {
  return context.write(async (write) => {
    const camera = await write.lock("Camera", cameraId);
    assertCan(write.caller, "alert-rules:write", camera.facilityId);
    await assertRoom(write, cameraId, input.evaluated ?? false);
    const { name, severity } = input;
    const columns = { dayRange: everyDay, ...columnsOf(input), ...treeColumns(input.group) };
    const rule = await write.transaction.alertRule.create({
      data: { workspaceId: camera.workspaceId, cameraId, name, severity, ...columns },
    });
    const row = { ...rule, facilityId: camera.facilityId };
    write.auditChange("AlertRule", row, changedFields<object>({}, shown(rule)));
    return row;
  });
}

export function updateAlertRule(
  context: RequestContext,
  id: string,
  input: UpdateAlertRuleInput,
): Promise<AlertRuleRow> {
  return context.write(async (write) => {
    const { rule: before, facilityId } = await lockRule(write, id);
    assertExpectedVersion(before, input);
    if (input.evaluated && !before.evaluated) await assertEvaluatedRoom(write, before.cameraId);
    const { name, severity, group } = input;
    const data = {
      ...(name && { name }),
      ...(severity && { severity }),
      ...columnsOf(input),
      ...(group && treeColumns(group)),
    };
    const rule = await write.transaction.alertRule.update({
      where: write.key(id),
      data: { ...data, updatedAt: laterThan(before.updatedAt, write.now) },
    });
    const changes = changedFields<object>(shown(before), shown(rule));
    const row = { ...rule, facilityId };
    write.auditChange("AlertRule", row, {
      ...changes,
      ...(before.notificationUrl !== rule.notificationUrl && {
        notificationUrl: { from: shownUrl(before), to: shownUrl(rule) },
      }),
      ...("notificationSecret" in data && { notificationSecret: { from: "***", to: "***" } }),
    });
    return row;
  });
}

/** The time of an update: later than that of the one before, so that others notice each. */
const laterThan = (before: Date, now: Date): Date => (now > before ? now : later(before, 1));

const maxRules = 100;

/** Fails with CONFLICT if a locked camera has no room for another rule. */
async function assertRoom(write: WriteAccess, cameraId: string, isEvaluated: boolean): Promise<void> {
  const { workspaceId } = write.caller;
  const count = await write.transaction.alertRule.count({ where: { workspaceId, cameraId } });
  if (count >= maxRules)
    throw new ServiceError("CONFLICT", `The camera has ${count} rules already: at most ${maxRules} allowed`);
  if (isEvaluated) await assertEvaluatedRoom(write, cameraId);
}

/** Fails with CONFLICT if a locked camera has no room for another rule that is `evaluated`. */
async function assertEvaluatedRoom(write: WriteAccess, cameraId: string): Promise<void> {
  const where = { workspaceId: write.caller.workspaceId, cameraId, evaluated: true };
  const count = await write.transaction.alertRule.count({ where });
  if (count < maxEvaluatedRules) return;
  const message = `The gateway evaluates ${count} rules of the camera already: at most ${maxEvaluatedRules} allowed`;
  throw new ServiceError("CONFLICT", message, { details: [{ path: "input.evaluated", message }] });
}

/** Deletes a rule, and keeps its row for a while; its alerts keep its ID. */
export function deleteAlertRule(context: RequestContext, id: string): Promise<AlertRuleRow> {
  return context.write(async (write) => {
    const { rule, facilityId, cameraName } = await lockRule(write, id);
    const { workspaceId, name, group, emails, phoneNumbers } = rule;
    await write.transaction.$executeRaw(Prisma.sql`
      INSERT INTO "RemovedAlertRule" ("workspaceId", "id", "cameraId", "removedAt", "rule")
      SELECT "workspaceId", "id", "cameraId", ${write.now}::timestamptz, to_jsonb(item) FROM "AlertRule" AS item
      WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ${id}::uuid`);
    await write.transaction.alertRule.delete({ where: write.key(id) });
    const row = { ...rule, facilityId };
    write.auditChange("AlertRule", row, {
      ...changedFields<object>(
        { name, group, camera: cameraName },
        { name: null, group: null, camera: null },
      ),
      ...changedFields<object>(
        { emails, phoneNumbers, notificationUrl: shownUrl(rule) },
        { emails: [], phoneNumbers: [], notificationUrl: null },
      ),
    });
    return row;
  });
}

/** Restores a deleted rule. Requires alert-rules:write at its camera's facility. */
export function restoreAlertRule(context: RequestContext, id: string): Promise<AlertRuleRow> {
  return context.write(async (write) => {
    const { cameraId } = orNotFound(await write.visible.findById<RemovedAlertRule>("removedAlertRules", id));
    const { workspaceId, facilityId } = await write.lock("Camera", cameraId);
    assertCan(write.caller, "alert-rules:write", facilityId);
    const since = later(write.now, -restorableForMs);
    const key = { workspaceId, id, removedAt: { gt: since } };
    const { rule } = orNotFound(await write.transaction.removedAlertRule.findFirst({ where: key }));
    if (!isRecord(rule)) throw notFound();
    await assertRoom(write, cameraId, rule.evaluated === true);
    // Columns that were added since then get their defaults.
    const columns = Prisma.join(
      Object.keys(rule)
        .filter((name) => hasKey(Prisma.AlertRuleScalarFieldEnum, name))
        .map((name) => Prisma.raw(`"${name}"`)),
    );
    await write.transaction.$executeRaw(Prisma.sql`
      INSERT INTO "AlertRule" (${columns}) SELECT ${columns} FROM jsonb_populate_record(NULL::"AlertRule", ${JSON.stringify(rule)}::jsonb)`);
    await write.transaction.removedAlertRule.deleteMany({ where: { workspaceId, id } });
    const restored = await write.transaction.alertRule.update({
      where: write.key(id),
      data: { updatedAt: write.now },
    });
    const row = { ...restored, facilityId };
    write.auditChange("AlertRule", row, changedFields<object>({ name: null }, { name: restored.name }));
    return row;
  });
}

export async function lockRule(
  write: WriteAccess,
  id: string,
): Promise<{ rule: AlertRule; facilityId: string; cameraName: string }> {
  // All writers lock the camera before the rule, which prevents deadlocks.
  const { cameraId } = orNotFound(await write.visible.findById<AlertRule>("alertRules", id));
  const { facilityId, name: cameraName } = await write.lock("Camera", cameraId);
  const rule = await write.lock("AlertRule", id);
  assertCan(write.caller, "alert-rules:write", facilityId);
  return { rule, facilityId, cameraName };
}

function shown({
  notificationSecret: _secret,
  createdAt: _createdAt,
  updatedAt: _updatedAt,
  ...rule
}: AlertRule): object {
  return { ...rule, notificationUrl: shownUrl(rule) };
}

/** The public part of a webhook's URL. The whole URL may grant access. */
export const originOf = (url: string): string => new URL(url).origin;

const shownUrl = ({ notificationUrl }: Pick<AlertRule, "notificationUrl">) =>
  notificationUrl === null ? null : originOf(notificationUrl);

function treeColumns(group: Record<string, unknown>): { group: Prisma.InputJsonObject; pretty: string } {
  const tree = completeTree(ruleNode(group));
  return { group: tree, pretty: ruleSentence(tree, { texts: english, words: { alertType: wordsFor } }) };
}

function columnsOf({
  dayRange,
  timeRange,
  emails,
  phoneNumbers,
  observation,
  evaluated,
  apiNotification,
  status,
}: CreateAlertRuleInput | UpdateAlertRuleInput) {
  return {
    ...(dayRange && { dayRange: [...new Set(dayRange)].sort() }),
    ...(timeRange !== undefined && {
      timeRangeStart: timeRange?.[0] ?? null,
      timeRangeEnd: timeRange?.[1] ?? null,
    }),
    ...(emails && { emails }),
    ...(phoneNumbers && { phoneNumbers }),
    ...(observation != null && { observation }),
    ...(evaluated != null && { evaluated }),
    ...(status && { status }),
    ...(apiNotification !== undefined && notificationColumns(apiNotification)),
  };
}

function notificationColumns(notification: UpdateAlertRuleInput["apiNotification"]) {
  if (!notification) return { notificationUrl: null, notificationSecret: null, notificationEnabled: false };
  const { url, secret, enabled } = notification;
  return {
    notificationUrl: url,
    notificationEnabled: enabled ?? true,
    ...(secret != null && { notificationSecret: secret }),
  };
}
