import type { RequestContext } from "../../engine/operation/request-context.js";
import { fieldsOf } from "../../engine/reading/selection/fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { DateTimeIso } from "../../platform/input/scalars.js";
import { Camera } from "../camera/camera.type.js";
import { actingUser } from "../user/user.service.js";
import { User } from "../user/user.type.js";
import { AlertRule } from "./alert-rule.type.js";
import { endOfSnooze, type ReadSnooze, startOfSnooze } from "./snooze.service.js";

const snoozeFields = (what: string, mutation: string) => ({
  snoozedFrom: {
    type: () => DateTimeIso,
    nullable: true,
    description: `From when on nobody is notified of the ${what}'s alerts: when it was snoozed. What happened before is told, even if it arrives later. Null unless it is snoozed.`,
    columns: ["snoozedAt", "snoozedUntil"],
    resolve: (snoozed: ReadSnooze, { services }: RequestContext) => startOfSnooze(snoozed, services.now()),
  },
  snoozedUntil: {
    type: () => DateTimeIso,
    nullable: true,
    description: `Until when nobody is notified of the ${what}'s alerts, as \`${mutation}\` says; null unless it is snoozed.`,
    columns: ["snoozedUntil"],
    resolve: (snoozed: ReadSnooze, { services }: RequestContext) => endOfSnooze(snoozed, services.now()),
  },
  snoozedBy: {
    type: () => User,
    nullable: true,
    description: `The user who snoozed the ${what}, or last changed until when; null unless it is snoozed. Also null for an API key, for a user who has been removed, and for a user whom \`Query.node\` would not return to the caller.`,
    columns: ["snoozedUntil", "snoozedById"],
    load: (snoozed: ReadSnooze, context: RequestContext, selection: Selection) =>
      actingUser(context, selection, endOfSnooze(snoozed, context.services.now()) && snoozed.snoozedById),
  },
});

export const CameraSnoozeFields = fieldsOf(Camera, snoozeFields("camera", "snoozeCamera"));
export const AlertRuleSnoozeFields = fieldsOf(AlertRule, snoozeFields("rule", "snoozeAlertRule"));
