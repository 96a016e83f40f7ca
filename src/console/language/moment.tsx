import { useLanguage } from "./language.js";
import { useNow } from "./now.js";
import { readersTimeZone } from "./time-zones.js";

/**
 * An instant on the facility's clock. The tooltip has the other form and, if it differs,
 * the reader's own time.
 */
export function Moment({
  instant,
  timeZone,
  relative = false,
}: {
  instant: string;
  timeZone: string;
  relative?: boolean;
}) {
  const { formats } = useLanguage();
  const now = useNow();
  const exact = formats.moment(instant, timeZone);
  const own = readersTimeZone === timeZone ? [] : [formats.moment(instant, readersTimeZone)];
  const tooltip = [...(relative ? [exact] : []), ...own].join("\n");
  return (
    <time dateTime={instant} title={tooltip || undefined} data-exact={relative ? exact : undefined}>
      {relative ? formats.relative(instant, now) : exact}
    </time>
  );
}
