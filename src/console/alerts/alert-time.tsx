import { useContext } from "react";
import type { AlertItemFragment } from "../../generated/console.js";
import { useLanguage } from "../language/language.js";
import { useNow } from "../language/now.js";
import { localDay, readersTimeZone } from "../language/time-zones.js";
import { ListClock } from "./list-clock.js";

/**
 * When an alert was raised, by the clock of its list: the time and how long ago that was,
 * or the day on which it was. The tooltip has the whole moment by the clock of the
 * facility, also on the reader's clock if it differs.
 */
export function AlertTime({ alert: { createdAt, facility } }: { alert: AlertItemFragment }) {
  const { formats } = useLanguage();
  const now = useNow();
  const { timeZoneId } = facility;
  const exact = formats.moment(createdAt, timeZoneId);
  const own = readersTimeZone === timeZoneId ? [] : [formats.moment(createdAt, readersTimeZone)];
  const zone = useContext(ListClock) ?? timeZoneId;
  const [day, today] = [localDay(createdAt, zone), localDay(now, zone)];
  const isThisYear = day.slice(0, 4) === today.slice(0, 4);
  return (
    <time dateTime={createdAt} title={[exact, ...own].join("\n")} data-exact={exact}>
      {formats.timeOfDay(createdAt, zone)}
      {" · "}
      {day === today
        ? formats.relative(createdAt, now)
        : isThisYear
          ? formats.calendarDay(day)
          : formats.date(day)}
    </time>
  );
}
