import type { RequestContext } from "../../engine/operation/request-context.js";
import { fieldsOf } from "../../engine/reading/selection/fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { DateTimeIso } from "../../platform/input/scalars.js";
import { Camera } from "../camera/camera.type.js";
import { Facility } from "../facility/facility.type.js";
import { actingUser } from "../user/user.service.js";
import { User } from "../user/user.type.js";
import { AlertRule } from "./alert-rule.type.js";
import { type ReadSnooze, snoozeOf } from "./snooze.service.js";

const snoozeFields = (what: string, mutation: string) => ({
  snoozedFrom: {
    type: () => DateTimeIso,
    nullable: true,
    description: `From when on nobody is notified of the ${what}'s alerts: when it was snoozed, or a time to come. What happened before is told, even if it arrives later. Null unless it is snoozed, or will be.`,
    columns: ["snoozedAt", "snoozedUntil"],
    resolve: (snoozed: ReadSnooze, { services }: RequestContext) =>
      snoozeOf(snoozed, services.now())?.snoozedAt ?? null,
  },
  snoozedUntil: {
    type: () => DateTimeIso,
    nullable: true,
    description: `Until when nobody is notified of the ${what}'s alerts, as \`${mutation}\` says; null unless it is snoozed, or will be.`,
    columns: ["snoozedUntil"],
    resolve: (snoozed: ReadSnooze, { services }: RequestContext) =>
      snoozeOf(snoozed, services.now())?.snoozedUntil ?? null,
  },
  snoozeReason: {
    type: () => String,
    nullable: true,
    description: `Why the ${what} is snoozed; null if nobody said so, or unless it is snoozed, or will be.`,
    columns: ["snoozeReason", "snoozedUntil"],
    resolve: (snoozed: ReadSnooze, { services }: RequestContext) =>
      snoozeOf(snoozed, services.now())?.snoozeReason ?? null,
  },
  snoozedBy: {
    type: () => User,
    nullable: true,
    description: `The user who snoozed the ${what}, or last changed it; null unless it is snoozed. Also null for an API key, for a user who has been removed, and for a user whom \`Query.node\` would not return to the caller.`,
    columns: ["snoozedUntil", "snoozedById"],
    load: (snoozed: ReadSnooze, context: RequestContext, selection: Selection) =>
      actingUser(context, selection, snoozeOf(snoozed, context.services.now())?.snoozedById ?? null),
  },
});

export const CameraSnoozeFields = fieldsOf(Camera, snoozeFields("camera", "snoozeCamera"));
export const FacilitySnoozeFields = fieldsOf(Facility, snoozeFields("facility", "snoozeFacility"));
export const AlertRuleSnoozeFields = fieldsOf(AlertRule, snoozeFields("rule", "snoozeAlertRule"));
