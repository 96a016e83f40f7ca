import { useMemo } from "react";
import { InsightDaysDocument } from "../../generated/console.js";
import { type AlertSelection, alertFilterOf } from "../alerts/alert-filter.js";
import { Query } from "../data/query-result.js";
import { useStableValue } from "../data/stable-value.js";
import { dayOfWeek } from "../language/calendar-days.js";
import { useLanguage } from "../language/language.js";
import { Link } from "../navigation/link.js";
import { Change } from "./comparison.js";
import { addressOfAlerts, comparedDays, countsOfDay, daysAndPast, weeksCompared } from "./counted-alerts.js";
import { useTexts } from "./texts.js";

interface WeekdaysProps {
  counted: AlertSelection;
  /** The last day that is over at all facilities. */
  lastDay: string;
  /** The end of the counted period. Another moment counts again. */
  until: number;
}

/** Each of the last seven days beside the same weekday of the weeks before. */
export function Weekdays({ counted, lastDay, until }: WeekdaysProps) {
  const { formats } = useLanguage();
  const texts = useTexts();
  const filter = useStableValue(alertFilterOf(comparedDays(counted, lastDay), new Date(until)));
  const days = useMemo(() => daysAndPast(counted, lastDay), [counted, lastDay]);
  const nameOf = (day: string) => `${formats.dayOfWeek(dayOfWeek(day), "short")} ${formats.calendarDay(day)}`;
  return (
    <Query
      query={InsightDaysDocument}
      variables={{ filter }}
      readAt={until}
      placeholder={<div className="insight-panel placeholder" />}
    >
      {({ alertStatistics }) => {
        const counts = new Map(alertStatistics.map(({ period, count }) => [period as string, count]));
        return (
          <section className="insight-panel">
            <header>
              <h2>{texts.weekdays}</h2>
            </header>
            <p className="hint">{texts.weekdaysHint}</p>
            <table className="weekdays">
              <thead>
                <tr>
                  <th scope="col">{texts.day}</th>
                  <th scope="col">{texts.alertsColumn}</th>
                  <th scope="col">{texts.usual}</th>
                  <th scope="col">{texts.past}</th>
                  <th scope="col">{texts.change}</th>
                </tr>
              </thead>
              <tbody>
                {days.map((each) => {
                  const { count, pastCount } = countsOfDay(each, counts);
                  const usual = pastCount / weeksCompared;
                  const number = (value: number, selection: AlertSelection) =>
                    value === 0 ? (
                      formats.number(0)
                    ) : (
                      <Link to={addressOfAlerts(selection)}>{formats.number(value)}</Link>
                    );
                  return (
                    <tr key={each.day}>
                      <th scope="row">{nameOf(each.day)}</th>
                      <td>{number(count, each.selection)}</td>
                      <td>{formats.number(Math.round(usual * 10) / 10)}</td>
                      <td>{number(pastCount, each.pastSelection)}</td>
                      <td>
                        <Change now={count} before={usual} />
                      </td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </section>
        );
      }}
    </Query>
  );
}
