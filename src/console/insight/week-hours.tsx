import { type AlertFilter, InsightHoursDocument } from "../../generated/console.js";
import { runOverMidnight } from "../alerts/local-time.js";
import { QueryResult } from "../data/query-result.js";
import { useRepeatedQuery } from "../data/repeated-query.js";
import { useLanguage } from "../language/language.js";
import { Link } from "../navigation/link.js";
import type { QueryChanges } from "../navigation/location.js";

const days = [1, 2, 3, 4, 5, 6, 7];
const hours = Array.from({ length: 24 }, (_, hour) => hour);

interface WeekHoursProps {
  filter: AlertFilter;
  /** The end of the counted period. Another moment counts again. */
  until: number;
  /** The address of the alerts of days of the week, from 0 (Sunday), and of hours. */
  linkOf: (daysOfWeek: number[], hoursOfDay: number[]) => QueryChanges;
}

/** Alerts by weekday and hour, as a table. The more alerts, the darker the cell. */
export function WeekHours({ filter, until, linkOf }: WeekHoursProps) {
  const { messages, formats } = useLanguage();
  const { insight } = messages;
  const [result, readAgain] = useRepeatedQuery({ query: InsightHoursDocument, variables: { filter } }, until);
  return (
    <section className="insight-panel">
      <header>
        <h2>{insight.hours}</h2>
        <span className="hint">
          {runOverMidnight(filter.localTimes) ? insight.nightHoursHint : insight.hoursHint}
        </span>
      </header>
      <QueryResult
        result={result}
        onRetry={readAgain}
        placeholder={<div className="week-hours-placeholder placeholder" />}
      >
        {({ alertStatistics }) => {
          const counts = new Map(
            alertStatistics.map(({ dayOfWeek, hourOfDay, count }) => [`${dayOfWeek} ${hourOfDay}`, count]),
          );
          const most = Math.max(1, ...counts.values());
          return (
            <table className="week-hours">
              <thead>
                <tr>
                  <td />
                  {hours.map((hour) => (
                    <th key={hour} scope="col" aria-label={formats.hourOfDay(hour)}>
                      {hour}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {days.map((day) => (
                  <tr key={day}>
                    <th scope="row" aria-label={formats.dayOfWeek(day, "long")}>
                      {formats.dayOfWeek(day, "short")}
                    </th>
                    {hours.map((hour) => {
                      const count = counts.get(`${day} ${hour}`) ?? 0;
                      const title = insight.hourOf(
                        formats.dayOfWeek(day, "long"),
                        formats.hourOfDay(hour),
                        insight.alerts(count),
                      );
                      return (
                        <td
                          key={hour}
                          title={title}
                          style={{ "--share": count / most } as React.CSSProperties}
                          data-empty={count === 0}
                        >
                          {count === 0 ? (
                            <span>{formats.number(count)}</span>
                          ) : (
                            <Link
                              className="week-hours-link"
                              to={linkOf([day % 7], [hour])}
                              aria-label={title}
                            >
                              <span>{formats.number(count)}</span>
                            </Link>
                          )}
                        </td>
                      );
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          );
        }}
      </QueryResult>
    </section>
  );
}
