import { isolated, withoutDirectionControls } from "../../platform/text-direction.js";
import { localTime } from "../../platform/time.js";
import type { AlertNotification } from "./notification.js";

const maxNameLength = 200;

/**
 * A text that somebody chose, on one line and without characters that could disturb what
 * surrounds it.
 */
function oneLine(text: string, maxLength = maxNameLength): string {
  // A bound before the replacements, as these are chosen by others.
  const line = withoutDirectionControls(text.slice(0, 4 * maxLength))
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return shortened(line, maxLength, "…");
}

/**
 * A text that somebody chose, fit to stand among others on one line: isolated, as it may
 * run from right to left.
 */
export const presentableText = (text: string, maxLength?: number): string =>
  isolated(oneLine(text, maxLength));

/** A presentable text of at most a number of characters. */
export const shortenedName = (name: string, maxLength: number, mark: string): string =>
  isolated(shortened(withoutDirectionControls(name), maxLength, mark));

/**
 * A text of at most a number of characters, with a mark at its end if something is left
 * out.
 */
function shortened(text: string, maxLength: number, mark: string): string {
  const characters = [...text];
  if (characters.length <= maxLength) return text;
  return `${characters
    .slice(0, Math.max(0, maxLength - mark.length))
    .join("")
    .trimEnd()}${mark}`;
}

const abbreviations = new Set(["PPE"]);

/**
 * An alert's type in words: `VEHICLE_IN_PEDESTRIAN_AREA` is “Vehicle in pedestrian area”.
 * Types that are words already stay as they are.
 */
export function humanizedType(type: string): string {
  const line = oneLine(type);
  if (!/^[A-Z0-9]+(?:_[A-Z0-9]+)*$/.test(line)) return isolated(line);
  const words = line.split("_").map((word) => (abbreviations.has(word) ? word : word.toLowerCase()));
  const sentence = words.join(" ");
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** Severities from the gravest down; unknown ones come last. */
const knownSeverities = ["CRITICAL", "HIGH", "MEDIUM", "LOW"];

function gravity({ alert: { severity } }: AlertNotification): number {
  if (severity === null) return knownSeverities.length + 1;
  const known = knownSeverities.indexOf(severity.toUpperCase());
  return known === -1 ? knownSeverities.length : known;
}

/** The first of the gravest alerts. */
export function gravest<Notification extends AlertNotification>(
  notifications: readonly Notification[],
): Notification {
  return notifications.reduce((found, each) => (gravity(each) < gravity(found) ? each : found));
}

/** The alerts in the order in which they happened. */
export function inOrderOfTime<Notification extends AlertNotification>(
  notifications: readonly Notification[],
): Notification[] {
  return [...notifications].sort((a, b) => a.alert.createdAt.getTime() - b.alert.createdAt.getTime());
}

/** An alert's notification with every name and text made fit to be shown on one line. */
export function presentable(notification: AlertNotification): AlertNotification {
  const { alert, camera, facility, alertRule } = notification;
  return {
    ...notification,
    alert: {
      ...alert,
      name: humanizedType(alert.name),
      severity: alert.severity === null ? null : presentableText(alert.severity, 40) || null,
    },
    camera: { ...camera, name: presentableText(camera.name) },
    facility: { ...facility, name: presentableText(facility.name) },
    alertRule: alertRule && {
      ...alertRule,
      name: humanizedType(alertRule.name),
      pretty: alertRule.pretty === null ? null : presentableText(alertRule.pretty, 500) || null,
    },
  };
}

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** An instant on the clock of a facility, in words. */
export interface LocalMoment {
  /** Such as `Sun 22 Nov 2026`. */
  date: string;
  /** Such as `22 Nov`. */
  day: string;
  /** Such as `14:05`. */
  time: string;
  /** Such as `14:05:09`. */
  timeWithSeconds: string;
  /** Such as `Europe/Istanbul, UTC+03:00`. */
  zone: string;
  /** Such as `Sun 22 Nov 2026, 14:05 (Europe/Istanbul, UTC+03:00)`. */
  full: string;
}

/** Tells an instant on the clock of a time zone. */
export function localMoment(instant: Date, timeZoneId: string): LocalMoment {
  const local = localTime(instant, timeZoneId);
  const clock = new Date(`${local.slice(0, 23)}Z`);
  const day = `${clock.getUTCDate()} ${months[clock.getUTCMonth()]}`;
  const date = `${weekdays[clock.getUTCDay()]} ${day} ${clock.getUTCFullYear()}`;
  const time = local.slice(11, 16);
  const zone = `${timeZoneId}, UTC${local.slice(23)}`;
  return { date, day, time, timeWithSeconds: local.slice(11, 19), zone, full: `${date}, ${time} (${zone})` };
}

/** A count with its noun, such as `3 objects`. */
export function numberOf(count: number, singular: string): string {
  return `${count} ${singular}${count === 1 ? "" : "s"}`;
}
