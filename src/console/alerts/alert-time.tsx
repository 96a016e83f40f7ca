import type { AlertItemFragment } from "../../generated/console.js";
import { useLanguage } from "../language/language.js";
import { useNow } from "../language/now.js";
import { localDay, readersTimeZone } from "../language/time-zones.js";

/**
 * When an alert was raised, by the clock of its facility: the time and how long ago that
 * was, or the day on which it was. The tooltip has the whole moment, also on the reader's
 * clock if it differs.
 */
export function AlertTime({ alert: { createdAt, facility } }: { alert: AlertItemFragment }) {
  const { formats } = useLanguage();
  const now = useNow();
  const { timeZoneId } = facility;
  const exact = formats.moment(createdAt, timeZoneId);
  const own = readersTimeZone === timeZoneId ? [] : [formats.moment(createdAt, readersTimeZone)];
  const day = localDay(createdAt, timeZoneId);
  const isToday = day === localDay(now, timeZoneId);
  return (
    <time dateTime={createdAt} title={[exact, ...own].join("\n")} data-exact={exact}>
      {formats.timeOfDay(createdAt, timeZoneId)}
      {" · "}
      {isToday ? formats.relative(createdAt, now) : formats.calendarDay(day)}
    </time>
  );
}
