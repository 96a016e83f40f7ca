import { useState } from "react";
import { type AlertFilter, InsightDaysDocument, InsightFacilitiesDocument } from "../../generated/console.js";
import { defined } from "../../platform/defined.js";
import { type AlertSelection, addressOfAlerts, alertFilterOf } from "../alerts/filter/alert-filter.js";
import { Query } from "../data/query.js";
import { dayOfWeek } from "../language/calendar-days.js";
import { StoredText, useLanguage } from "../language/language.js";
import { Link, type QueryChanges } from "../navigation/location.js";
import { comparedDays, countsOfDay, daysAndPast, weeksCompared } from "./counted-alerts.js";
import { Count, Heads, Panel, panelPlaceholder } from "./panel.js";
import { type Counts, type Series, seriesClass } from "./series.js";
import { useTexts } from "./texts.js";

interface ComparisonProps {
  counts: Counts;
  nameOf: (value: Series["value"]) => string;
  linkOf: (part: NonNullable<Series["selection"]>) => QueryChanges;
  /** The address of a series in the period before. */
  linkBefore: (part: NonNullable<Series["selection"]>) => QueryChanges;
}

/** The legend of the colours, with the number of alerts in this period and in the one before. */
export function Comparison({ counts, nameOf, linkOf, linkBefore }: ComparisonProps) {
  const { series, total, totalBefore } = counts;
  const { formats } = useLanguage();
  const insight = useTexts();
  return (
    <table className="comparison">
      <thead>
        <tr>
          <td />
          <Heads of={[insight.thisPeriod, insight.before, insight.change]} />
        </tr>
      </thead>
      <tbody>
        {series.map(({ value, selection, total: now, totalBefore: before }) => (
          <tr key={String(value)}>
            <th scope="row">
              <span className={seriesClass(series, value)} aria-hidden="true" />
              {selection ? <Link to={linkOf(selection)}>{nameOf(value)}</Link> : nameOf(value)}
            </th>
            <td>{formats.number(now)}</td>
            <td>
              <Count count={before} to={selection && linkBefore(selection)} />
            </td>
            <td>
              <Change now={now} before={before} />
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{insight.total}</th>
          <td>{formats.number(total)}</td>
          <td>
            <Count count={totalBefore} to={linkBefore({})} />
          </td>
          <td>
            <Change now={total} before={totalBefore} />
          </td>
        </tr>
      </tfoot>
    </table>
  );
}

/** The change of a number, as a share of the one before. */
function Change({ now, before }: { now: number; before: number }) {
  const { formats } = useLanguage();
  if (before === 0) return now === 0 ? formats.change(0) : "–";
  return formats.change((now - before) / before);
}

const mostListed = 10;

interface FacilitiesProps {
  filter: AlertFilter;
  before: AlertFilter;
  /** The end of the counted period. Changing it counts again. */
  until: number;
  /** The addresses of a facility's alerts, in the period and in the one before. */
  linkOf: (facilityId: string) => QueryChanges;
  linkBefore: (facilityId: string) => QueryChanges;
}

/** The alerts of each facility beside those of the others, and of the period before. */
export function Facilities({ filter, before, until, linkOf, linkBefore }: FacilitiesProps) {
  const texts = useTexts();
  const [isWhole, setWhole] = useState(false);
  return (
    <Query
      query={InsightFacilitiesDocument}
      variables={{ filter, before }}
      readAt={until}
      placeholder={panelPlaceholder}
    >
      {({ counts, countsBefore }) => {
        const found = new Map<string, { name: string; now: number; before: number }>();
        for (const { facility, count } of counts)
          if (facility) found.set(facility.id, { name: facility.name, now: count, before: 0 });
        for (const { facility, count } of countsBefore)
          if (facility)
            found.set(facility.id, { now: 0, ...found.get(facility.id), name: facility.name, before: count });
        if (found.size < 2) return null;
        const most = Math.max(1, ...[...found.values()].map(({ now }) => now));
        return (
          <Panel title={texts.facilities}>
            <table className="facilities">
              <thead>
                <tr>
                  <Heads of={[texts.facility, texts.thisPeriod, texts.before, texts.change]} />
                </tr>
              </thead>
              <tbody>
                {[...found].slice(0, isWhole ? found.size : mostListed).map(([id, { name, now, before }]) => (
                  <tr key={id}>
                    <th scope="row">
                      <StoredText>{name}</StoredText>
                      <span
                        className="busiest-bar"
                        style={{ width: `${(100 * now) / most}%` }}
                        aria-hidden="true"
                      />
                    </th>
                    <td>
                      <Count count={now} to={linkOf(id)} />
                    </td>
                    <td>
                      <Count count={before} to={linkBefore(id)} />
                    </td>
                    <td>
                      <Change now={now} before={before} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            {!isWhole && found.size > mostListed && (
              <button type="button" onClick={() => setWhole(true)}>
                {texts.showAll(found.size)}
              </button>
            )}
          </Panel>
        );
      }}
    </Query>
  );
}

interface WeekdaysProps {
  counted: AlertSelection;
  /** The last day that is over at all facilities. */
  lastDay: string;
  /** The end of the counted period. Changing it counts again. */
  until: number;
}

export function Weekdays({ counted, lastDay, until }: WeekdaysProps) {
  const { formats } = useLanguage();
  const texts = useTexts();
  const filter = alertFilterOf(comparedDays(counted, lastDay), new Date(until));
  const days = daysAndPast(counted, lastDay);
  const nameOf = (day: string) => `${formats.dayOfWeek(dayOfWeek(day), "short")} ${formats.calendarDay(day)}`;
  return (
    <Query query={InsightDaysDocument} variables={{ filter }} readAt={until} placeholder={panelPlaceholder}>
      {({ alertStatistics }) => {
        const counts = new Map(alertStatistics.map(({ period, count }) => [defined(period), count]));
        return (
          <Panel title={texts.weekdays}>
            <p className="hint">{texts.weekdaysHint}</p>
            <table className="weekdays">
              <thead>
                <tr>
                  <Heads of={[texts.day, texts.alertsColumn, texts.usual, texts.past, texts.change]} />
                </tr>
              </thead>
              <tbody>
                {days.map((each) => {
                  const { count, pastCount } = countsOfDay(each, counts);
                  const usual = pastCount / weeksCompared;
                  return (
                    <tr key={each.day}>
                      <th scope="row">{nameOf(each.day)}</th>
                      <td>
                        <Count count={count} to={addressOfAlerts(each.selection)} />
                      </td>
                      <td>{formats.number(Math.round(usual * 10) / 10)}</td>
                      <td>
                        <Count count={pastCount} to={addressOfAlerts(each.pastSelection)} />
                      </td>
                      <td>
                        <Change now={count} before={usual} />
                      </td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </Panel>
        );
      }}
    </Query>
  );
}
