import { wordsFor } from "../../../platform/text/code-words.js";
import type { LanguageCode } from "../../../platform/text/language.js";
import { isolated, withoutDirectionControls } from "../../../platform/text/text-direction.js";
import { localTime, offsetMinutes } from "../../../platform/time.js";
import { englishAlertTypes } from "../../alert/english-alert-types.js";
import { severityRank } from "../../alert-rule/alert-kind.js";
import type { AlertNotification } from "./notification.js";

const maxNameLength = 200;

/** Puts a chosen text on one line, without characters that could disturb the surrounding text. */
function oneLine(text: string, maxLength = maxNameLength): string {
  // Limit the length before the replacements: anyone may choose the text.
  const line = withoutDirectionControls(text.slice(0, 4 * maxLength))
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return shortened(line, maxLength, "…");
}

/** Prepares a chosen text for a line with other texts. Isolates the text, as it may run from right to left. */
export const presentableText = (text: string, maxLength?: number): string =>
  isolated(oneLine(text, maxLength));

const maxNameInSubject = 60;

export const nameInSubject = (name: string): string => shortenedName(name, maxNameInSubject, "…");

/** A presentable text of at most n characters. */
export const shortenedName = (name: string, maxLength: number, mark: string): string =>
  isolated(shortened(withoutDirectionControls(name), maxLength, mark));

/** A text of at most n characters. A mark at its end replaces the rest. */
function shortened(text: string, maxLength: number, mark: string): string {
  const characters = [...text];
  if (characters.length <= maxLength) return text;
  return `${characters
    .slice(0, Math.max(0, maxLength - mark.length))
    .join("")
    .trimEnd()}${mark}`;
}

/** A type in words: `VEHICLE_IN_PEDESTRIAN_AREA` is “Vehicle in a pedestrian area”. Words stay unchanged. */
const humanizedType = (type: string): string => isolated(wordsFor(oneLine(type), englishAlertTypes));

/** The first of the most severe alerts. */
export function gravest<Notification extends AlertNotification>(
  notifications: readonly Notification[],
): Notification {
  return notifications.reduce((found, each) =>
    severityRank(each.alert.severity) < severityRank(found.alert.severity) ? each : found,
  );
}

/** The alerts in chronological order. */
export function inOrderOfTime<Notification extends AlertNotification>(
  notifications: readonly Notification[],
): Notification[] {
  return [...notifications].sort((a, b) => a.alert.createdAt.getTime() - b.alert.createdAt.getTime());
}

/** Prepares all names and texts of a notification for display on one line. */
export function presentable(notification: AlertNotification): AlertNotification {
  const { alert, camera, facility, alertRule } = notification;
  return {
    ...notification,
    alert: {
      ...alert,
      name: humanizedType(alert.name),
      alertRuleName: alert.alertRuleName === null ? null : presentableText(alert.alertRuleName) || null,
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

/** The names in a calendar, and how a day of a month is written. */
const calendars: Record<LanguageCode, { weekdays: string[]; months: string[]; dayMark: string }> = {
  en: {
    weekdays: ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"],
    months: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    dayMark: "",
  },
  de: {
    weekdays: ["So", "Mo", "Di", "Mi", "Do", "Fr", "Sa"],
    months: ["Jan", "Feb", "März", "Apr", "Mai", "Juni", "Juli", "Aug", "Sept", "Okt", "Nov", "Dez"],
    dayMark: ".",
  },
};

/** An instant in local time, in words. The examples are in English. */
export interface LocalMoment {
  /** Such as `Sun 22 Nov 2026`. */
  date: string;
  /** Such as `22 Nov`. */
  day: string;
  /** Such as `14:05`. */
  time: string;
  /** Such as `14:05:09`. */
  timeWithSeconds: string;
  /** The name of the zone and its offset, such as `Europe/Istanbul, UTC+03:00`. */
  zone: string;
  /** Such as `Sun 22 Nov 2026, 14:05 (Europe/Istanbul, UTC+03:00)`. */
  full: string;
}

export function localMoment(instant: Date, timeZoneId: string, language: LanguageCode = "en"): LocalMoment {
  const { weekdays, months, dayMark } = calendars[language];
  const local = localTime(instant, timeZoneId);
  const clock = new Date(`${local.slice(0, 23)}Z`);
  const day = `${clock.getUTCDate()}${dayMark} ${months[clock.getUTCMonth()]}`;
  const date = `${weekdays[clock.getUTCDay()]} ${day} ${clock.getUTCFullYear()}`;
  const time = local.slice(11, 16);
  const zone = `${timeZoneId}, UTC${local.slice(23)}`;
  return { date, day, time, timeWithSeconds: local.slice(11, 19), zone, full: `${date}, ${time} (${zone})` };
}

const unitsOfTime = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** An age of some milliseconds in its largest unit, such as `3 minutes`. */
export function ageInWords(age: number): string {
  const [unit, length] = unitsOfTime.find(([, length]) => age >= length) ?? [];
  return unit === undefined ? "less than a minute" : numberOf(Math.floor(age / length), unit);
}

/** Facts that say when something happened, by the reader's clock, and by the facility's where that shows another time. */
export function timeFacts(
  name: string,
  { facility, readersTimeZone }: Pick<AlertNotification, "facility" | "readersTimeZone">,
  instants: readonly Date[],
  inWords: (...moments: LocalMoment[]) => string,
): { name: string; value: string }[] {
  const valueIn = (zone: string) => inWords(...instants.map((instant) => localMoment(instant, zone)));
  const own = { name, value: valueIn(readersTimeZone) };
  const isSame = instants.every(
    (instant) => offsetMinutes(readersTimeZone, instant) === offsetMinutes(facility.timeZoneId, instant),
  );
  return isSame ? [own] : [own, { name: "At the facility", value: valueIn(facility.timeZoneId) }];
}

/** A count with its noun, such as `3 objects`. */
export function numberOf(count: number, singular: string): string {
  return `${count} ${singular}${count === 1 ? "" : "s"}`;
}
