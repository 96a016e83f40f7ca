import { assertCan } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { changedFields, isUnchanged, type WriteAccess } from "../../engine/operation/write.js";
import type { Selected } from "../../engine/reading/entity-type.js";
import { type Camera, type Facility, Prisma } from "../../generated/prisma/client.js";
import { badRequest } from "../../platform/errors/errors.js";
import type { AlertRuleRow } from "./alert-rule.loader.js";
import { lockRule } from "./alert-rule-write.service.js";
import { maxSnoozeDays, type SnoozeArguments } from "./snooze.input.js";

const maxSnoozeMs = maxSnoozeDays * 86_400_000;

type Snooze = Pick<Camera, "snoozedAt" | "snoozedUntil" | "snoozedById" | "snoozeReason">;

export type ReadSnooze = Selected<Snooze, never>;

/**
 * The snoozes that keep the alerts of a rule quiet, each `from` a time `until` another: its own, its camera's and its
 * facility's. The rows have the aliases `rule`, `camera` and `facility`, and the snoozes `snooze`.
 */
export const snoozesOfRule = Prisma.sql`(VALUES
  (rule."snoozedAt", rule."snoozedUntil"), (camera."snoozedAt", camera."snoozedUntil"), (facility."snoozedAt", facility."snoozedUntil")
) AS snooze("from", "until")`;

/** Snoozes a camera, or ends that without `until`. Requires alert-rules:write at its facility. */
export function snoozeCamera(context: RequestContext, given: SnoozeArguments): Promise<Camera> {
  return context.write(async (write) => {
    const camera = await write.lock("Camera", given.id);
    assertCan(write.caller, "alert-rules:write", camera.facilityId);
    const { changes, data } = snoozed(write, camera, given);
    if (isUnchanged(changes)) return camera;
    write.auditChange("Camera", camera, changes);
    return write.transaction.camera.update({ where: write.key(given.id), data });
  });
}

/** Snoozes all cameras of a facility, or ends that without `until`. Requires alert-rules:write there. */
export function snoozeFacility(context: RequestContext, given: SnoozeArguments): Promise<Facility> {
  return context.write(async (write) => {
    const facility = await write.lock("Facility", given.id);
    assertCan(write.caller, "alert-rules:write", given.id);
    const { changes, data } = snoozed(write, facility, given);
    if (isUnchanged(changes)) return facility;
    write.auditChange("Facility", facility, changes);
    return write.transaction.facility.update({ where: write.key(given.id), data });
  });
}

/** Snoozes a rule, or ends that without `until`. Requires alert-rules:write at its camera's facility. */
export function snoozeAlertRule(context: RequestContext, given: SnoozeArguments): Promise<AlertRuleRow> {
  return context.write(async (write) => {
    const { rule, facilityId } = await lockRule(write, given.id);
    const { changes, data } = snoozed(write, rule, given);
    if (isUnchanged(changes)) return { ...rule, facilityId };
    write.auditChange("AlertRule", { id: rule.id, facilityId }, changes);
    return { ...(await write.transaction.alertRule.update({ where: write.key(rule.id), data })), facilityId };
  });
}

/** A snooze that lasts, or is to come; undefined if there is none, or it has ended. */
export const snoozeOf = (row: ReadSnooze, now: Date): ReadSnooze | undefined =>
  row.snoozedUntil && row.snoozedUntil > now ? row : undefined;

/**
 * The columns of a snooze, and what the audit log says of it. Ending one sets its end instead of removing it, as alerts
 * may arrive late.
 */
function snoozed<Row extends Snooze & { updatedAt: Date }>(
  { caller, now }: WriteAccess,
  before: Row,
  { from, until, reason }: SnoozeArguments,
) {
  if (until && until <= now) throw badRequest([{ path: "until", message: "must be in the future" }]);
  if (until && until.getTime() > now.getTime() + maxSnoozeMs)
    throw badRequest([{ path: "until", message: `must be at most ${maxSnoozeDays} days ahead` }]);
  const begun = before.snoozedAt && before.snoozedAt <= now ? snoozeOf(before, now)?.snoozedAt : undefined;
  const isToCome = from != null && from > now;
  const data = {
    snoozedAt: isToCome ? from : (begun ?? now),
    snoozedUntil: until ?? now,
    snoozedById: caller.id,
    snoozeReason: (until && reason) || null,
    // Whoever is editing the row meanwhile edits the same settings as before.
    updatedAt: before.updatedAt,
  };
  return { data, changes: changedFields(told(before, now), told(data, now)) };
}

function told(row: ReadSnooze, now: Date) {
  const { snoozedAt, snoozedUntil = null, snoozeReason = null } = snoozeOf(row, now) ?? {};
  return { snoozedFrom: snoozedAt && snoozedAt > now ? snoozedAt : null, snoozedUntil, snoozeReason };
}
