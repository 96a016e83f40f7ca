import { z } from "zod";
import {
  ToolAcknowledgeDocument,
  ToolCommentDocument,
  ToolSnoozeCameraDocument,
  ToolSnoozeRuleDocument,
} from "../../generated/operations.js";
import { uuid } from "../../platform/input/scalars.js";
import { later } from "../../platform/time.js";
import { id } from "./alert-arguments.js";
import { time, untrusted } from "./result-texts.js";
import { maxItems, tool } from "./tool.js";

const maxMinutes = 30 * 24 * 60;
const minutes = z
  .int("must be a whole number")
  .min(0, "must not be negative")
  .max(maxMinutes, `must be at most ${maxMinutes}, 30 days`)
  .describe("For how many minutes from now, at most 43200 (30 days). 0 ends a snooze now.");

const after = (minutes: number, now: Date) =>
  minutes === 0 ? null : later(now, minutes * 60_000).toISOString();

export const writingTools = [
  tool({
    name: "acknowledge_alerts",
    title: "Acknowledge alerts",
    description:
      "Marks alerts as handled, for everybody who sees them, in the name of the user. Only after the user has asked for it.",
    operation: ToolAcknowledgeDocument,
    writes: true,
    input: {
      alert_ids: z
        .array(uuid)
        .min(1, "must name an alert")
        .max(maxItems, `must name at most ${maxItems} alerts`)
        .describe("The alerts; list_alerts tells ids. All of them are acknowledged, or none."),
    },
    variables: ({ alert_ids }) => ({ ids: alert_ids }),
    toResult: ({ markAlerts: { alerts } }) => ({
      items: alerts.map(({ id, acknowledgedAt, facility }) => ({
        item: { alert_id: id, acknowledged: time(acknowledgedAt, facility.effectiveTimeZoneId) },
        position: id,
      })),
    }),
  }),
  tool({
    name: "comment_alert",
    title: "Comment on an alert",
    description:
      "Writes a comment on an alert in the user's name, which everybody who sees the alert can read. Only with a text that the user has agreed to. API keys cannot comment.",
    operation: ToolCommentDocument,
    writes: true,
    input: {
      alert_id: id("The alert; list_alerts tells ids"),
      text: z
        .string("must be a string")
        .min(1, "must not be empty")
        .max(2_000, "must have at most 2000 characters")
        .describe("The comment, plain text"),
    },
    variables: ({ alert_id, text }) => ({ id: alert_id, text }),
    toResult: ({ commentAlert: { id, createdAt } }) => ({
      facts: { comment_id: id, written: { utc: createdAt } },
    }),
  }),
  tool({
    name: "snooze_camera",
    title: "Snooze a camera",
    description:
      "Silences a camera for a while: nobody is notified of its alerts, and rules that the gateway evaluates raise none, so what they would have seen is not recorded. Alerts that detectors send are still recorded. Only after the user has asked for it.",
    operation: ToolSnoozeCameraDocument,
    writes: true,
    input: { camera_id: id("The camera; find_cameras tells ids"), minutes },
    variables: ({ camera_id, minutes }, { now }) => ({ id: camera_id, until: after(minutes, now) }),
    toResult: ({ snoozeCamera: { id, name, snoozedUntil, facility } }) => ({
      facts: {
        camera_id: id,
        snoozed_until: time(snoozedUntil, facility.effectiveTimeZoneId) ?? null,
        ...untrusted({ camera: name }),
      },
    }),
  }),
  tool({
    name: "snooze_alert_rule",
    title: "Snooze an alert rule",
    description:
      "Silences one rule for a while: nobody is notified of its alerts. A rule that the gateway evaluates raises none, so what it would have seen is not recorded; alerts that a detector sends are still recorded. Only after the user has asked for it.",
    operation: ToolSnoozeRuleDocument,
    writes: true,
    input: { alert_rule_id: id("The rule; list_alert_rules tells ids"), minutes },
    variables: ({ alert_rule_id, minutes }, { now }) => ({ id: alert_rule_id, until: after(minutes, now) }),
    toResult: ({ snoozeAlertRule: { id, name, snoozedUntil, camera } }) => ({
      facts: {
        alert_rule_id: id,
        camera_id: camera.id,
        snoozed_until: time(snoozedUntil, camera.facility.effectiveTimeZoneId) ?? null,
        ...untrusted({ type: name, camera: camera.name }),
      },
    }),
  }),
];
