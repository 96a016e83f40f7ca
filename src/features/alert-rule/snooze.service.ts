import { assertCan } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { changedFields, isUnchanged, type WriteAccess } from "../../engine/operation/write.js";
import type { Selected } from "../../engine/reading/entity-type.js";
import type { AlertRule, Camera } from "../../generated/prisma/client.js";
import { badRequest } from "../../platform/errors/errors.js";
import type { AlertRuleRow } from "./alert-rule.loader.js";
import { lockRule } from "./alert-rule-write.service.js";

/** For how many days something can be snoozed. */
export const maxSnoozeDays = 30;
const maxSnoozeMs = maxSnoozeDays * 86_400_000;

type Snooze = Pick<Camera & AlertRule, "snoozedAt" | "snoozedUntil" | "snoozedById">;

export type ReadSnooze = Selected<Snooze, never>;

/** Snoozes a camera, or ends that with null. Requires alert-rules:write at its facility. */
export function snoozeCamera(context: RequestContext, id: string, until: Date | null): Promise<Camera> {
  return context.write(async (write) => {
    const camera = await write.lock("Camera", id);
    assertCan(write.caller, "alert-rules:write", camera.facilityId);
    const snooze = snoozeOf(write, camera, until);
    const changes = changesOf(write, camera, until);
    if (isUnchanged(changes)) return camera;
    write.auditChange("Camera", camera, changes);
    // Whoever is editing it meanwhile edits the same settings as before.
    return write.transaction.camera.update({
      where: write.key(id),
      data: { ...snooze, updatedAt: camera.updatedAt },
    });
  });
}

/** Snoozes a rule, or ends that with null. Requires alert-rules:write at its camera's facility. */
export function snoozeAlertRule(
  context: RequestContext,
  id: string,
  until: Date | null,
): Promise<AlertRuleRow> {
  return context.write(async (write) => {
    const { rule, facilityId } = await lockRule(write, id);
    const snooze = snoozeOf(write, rule, until);
    const changes = changesOf(write, rule, until);
    if (isUnchanged(changes)) return { ...rule, facilityId };
    write.auditChange("AlertRule", { id, facilityId }, changes);
    const data = { ...snooze, updatedAt: rule.updatedAt };
    return { ...(await write.transaction.alertRule.update({ where: write.key(id), data })), facilityId };
  });
}

/** The time at which a snooze ends; null if there is none, or it has ended. */
export function endOfSnooze({ snoozedUntil }: ReadSnooze, now: Date): Date | null {
  return snoozedUntil && snoozedUntil > now ? snoozedUntil : null;
}

/** The time at which a snooze began; null if there is none, or it has ended. */
export function startOfSnooze(snooze: ReadSnooze, now: Date): Date | null {
  return endOfSnooze(snooze, now) && (snooze.snoozedAt ?? null);
}

/**
 * The columns of a snooze, which begins when the one that it changes did. Ending one sets its end instead of removing
 * it, as alerts may arrive late.
 */
function snoozeOf({ caller, now }: WriteAccess, before: Snooze, until: Date | null): Snooze {
  if (until && until <= now) throw badRequest([{ path: "until", message: "must be in the future" }]);
  if (until && until.getTime() > now.getTime() + maxSnoozeMs)
    throw badRequest([{ path: "until", message: `must be at most ${maxSnoozeDays} days ahead` }]);
  const snoozedAt = endOfSnooze(before, now) ? before.snoozedAt : now;
  return { snoozedAt, snoozedUntil: until ?? now, snoozedById: caller.id };
}

const changesOf = ({ now }: WriteAccess, before: Snooze, until: Date | null) =>
  changedFields({ snoozedUntil: endOfSnooze(before, now) }, { snoozedUntil: until });
