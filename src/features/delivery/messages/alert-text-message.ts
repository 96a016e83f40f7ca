import { fitsOneSegment, inGsmLetters } from "../channels/gsm-alphabet.js";
import type { AlertNotification } from "./notification.js";
import { gravest, localMoment, presentable, shortenedName } from "./notification-words.js";

/** The shortest length of names before the message drops the link. */
const leastWithLink = 12;
const leastWithoutLink = 5;
const maxSeverityLength = 12;

/** One text message about the most severe of some alerts. `total` is the number of alerts that it stands for. */
export function alertTextMessage(notifications: AlertNotification[], { total }: { total: number }): string {
  const { alert, camera, facility, consoleUrl, isTest } = presentable(gravest(notifications));
  const severity =
    alert.severity === null
      ? ""
      : `[${shortenedName(inGsmLetters(alert.severity), maxSeverityLength, "...")}] `;
  const { time } = localMoment(alert.createdAt, facility.timeZoneId);
  const start = `${isTest ? "[TEST] " : ""}${severity}`;
  const end = `, ${time}.${total > 1 ? ` +${total - 1} more.` : ""}`;
  const names = [alert.name, camera.name, facility.name].map(inGsmLetters);
  return (
    withShortenedNames(names, leastWithLink, (shown) => `${start}${shown}${end} ${consoleUrl}`) ??
    withShortenedNames(names, leastWithoutLink, (shown) => `${start}${shown}${end}`) ??
    `${start}${time}`
  );
}

/** Shortens the longest name repeatedly until the message fits. Undefined if it is too long with the shortest names. */
function withShortenedNames(
  names: string[],
  least: number,
  message: (shown: string) => string,
): string | undefined {
  const longest = Math.max(...names.map((name) => [...name].length), least);
  for (let length = longest; length >= least; length -= 1) {
    const text = message(names.map((name) => shortenedName(name, length, "...")).join(", "));
    if (fitsOneSegment(text)) return text;
  }
  return undefined;
}
