import { useState } from "react";
import { type AlertFilter, InsightDaysDocument, InsightFacilitiesDocument } from "../../generated/console.js";
import { defined } from "../../platform/defined.js";
import { type AlertSelection, addressOfAlerts, alertFilterOf } from "../alerts/filter/alert-filter.js";
import { dayOfWeek } from "../language/calendar-days.js";
import { StoredText, useLanguage } from "../language/language.js";
import { Link, type QueryChanges } from "../navigation/location.js";
import { comparedDays, countsOfDay, daysAndPast, weeksCompared } from "./counted-alerts.js";
import { Count, CountsQuery, Heads, Panel } from "./panel.js";
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
            <Count count={now} />
            <Count count={before} to={selection && linkBefore(selection)} />
            <Change now={now} before={before} />
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{insight.total}</th>
          <Count count={total} />
          <Count count={totalBefore} to={linkBefore({})} />
          <Change now={total} before={totalBefore} />
        </tr>
      </tfoot>
    </table>
  );
}

/** A cell with the change of a number, as a share of the one before. */
function Change({ now, before }: { now: number; before: number }) {
  const { formats } = useLanguage();
  return <td>{before === 0 && now > 0 ? "–" : formats.change((now - before) / (before || 1))}</td>;
}

const mostListed = 10;

interface FacilitiesProps {
  filter: AlertFilter;
  before: AlertFilter;
  /** The addresses of a facility's alerts, in the period and in the one before. */
  linkOf: (facilityId: string) => QueryChanges;
  linkBefore: (facilityId: string) => QueryChanges;
}

/** The alerts of each facility beside those of the others, and of the period before. */
export function Facilities({ filter, before, linkOf, linkBefore }: FacilitiesProps) {
  const texts = useTexts();
  const [isWhole, setWhole] = useState(false);
  return (
    <CountsQuery query={InsightFacilitiesDocument} variables={{ filter, before }}>
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
                    <Count count={now} to={linkOf(id)} />
                    <Count count={before} to={linkBefore(id)} />
                    <Change now={now} before={before} />
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
    </CountsQuery>
  );
}

interface WeekdaysProps {
  counted: AlertSelection;
  /** The last day that is over at all facilities. */
  lastDay: string;
  /** The end of the counted period. */
  until: number;
}

export function Weekdays({ counted, lastDay, until }: WeekdaysProps) {
  const { formats } = useLanguage();
  const texts = useTexts();
  const filter = alertFilterOf(comparedDays(counted, lastDay), new Date(until));
  const days = daysAndPast(counted, lastDay);
  const nameOf = (day: string) => `${formats.dayOfWeek(dayOfWeek(day), "short")} ${formats.calendarDay(day)}`;
  return (
    <CountsQuery query={InsightDaysDocument} variables={{ filter }}>
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
                      <Count count={count} to={addressOfAlerts(each.selection)} />
                      <Count count={Math.round(usual * 10) / 10} />
                      <Count count={pastCount} to={addressOfAlerts(each.pastSelection)} />
                      <Change now={count} before={usual} />
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </Panel>
        );
      }}
    </CountsQuery>
  );
}
