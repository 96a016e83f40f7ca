import { useSyncExternalStore } from "react";
import { type AlertFilter, InsightHoursDocument } from "../../generated/console.js";
import { runOverMidnight } from "../alerts/local-time.js";
import { Query } from "../data/query.js";
import { useLanguage } from "../language/language.js";
import { Link, type QueryChanges } from "../navigation/location.js";
import { daysOfWeek, type HourSums, hourSumsOf, hoursOfDay } from "./hour-sums.js";
import { Panel } from "./panel.js";
import { useTexts } from "./texts.js";

interface WeekHoursProps {
  filter: AlertFilter;
  until: number;
  /** The address of the alerts of an hour, a day of the week from 0, Sunday, or both. */
  linkOf: (at: { hour?: number; weekday?: number }) => QueryChanges;
}

/** Alerts by weekday and hour with their sums, as a table. The more alerts, the darker the cell. */
export function WeekHours({ filter, until, linkOf }: WeekHoursProps) {
  const texts = useTexts();
  return (
    <Panel
      title={texts.hours}
      beside={
        <span className="hint">
          {runOverMidnight(filter.localTimes) ? texts.nightHoursHint : texts.hoursHint}
        </span>
      }
    >
      <Query
        query={InsightHoursDocument}
        variables={{ filter }}
        readAt={until}
        placeholder={<div className="week-hours-placeholder placeholder" />}
      >
        {(data) => <Hours sums={hourSumsOf(data)} linkOf={linkOf} />}
      </Query>
    </Panel>
  );
}

const narrow = matchMedia("(max-width: 60rem)");

/** Whether the window has no space for 24 numbers beside each other. */
const useIsNarrow = () =>
  useSyncExternalStore(
    (listener) => {
      narrow.addEventListener("change", listener);
      return () => narrow.removeEventListener("change", listener);
    },
    () => narrow.matches,
  );

interface HoursProps {
  sums: HourSums;
  linkOf: WeekHoursProps["linkOf"];
}

function Hours({ sums, linkOf }: HoursProps) {
  const { formats } = useLanguage();
  const texts = useTexts();
  const isNarrow = useIsNarrow();
  const dayName = (day: number) => formats.dayOfWeek(day, "long");
  const dayHeader = (day: number, scope: "row" | "col") => (
    <th key={day} scope={scope} aria-label={dayName(day)}>
      {formats.dayOfWeek(day, "short")}
    </th>
  );
  const hourHeader = (hour: number, scope: "row" | "col") => (
    <th key={hour} scope={scope} aria-label={formats.hourOfDay(hour)}>
      {isNarrow ? formats.hourOfDay(hour) : hour}
    </th>
  );
  const cell = (day: number, hour: number) => {
    const count = sums.of(day, hour);
    return (
      <Cell
        key={`${day} ${hour}`}
        count={count}
        share={count / sums.most}
        title={texts.hourOf(dayName(day), formats.hourOfDay(hour), texts.alerts(count))}
        to={linkOf({ weekday: day % 7, hour })}
      />
    );
  };
  const hourSum = (hour: number) => {
    const count = sums.ofHour(hour);
    return (
      <Cell
        key={`sum ${hour}`}
        count={count}
        title={texts.hourSum(formats.hourOfDay(hour), texts.alerts(count))}
        to={linkOf({ hour })}
      />
    );
  };
  const daySum = (day: number) => {
    const count = sums.ofDay(day);
    return (
      <Cell
        key={`sum ${day}`}
        count={count}
        title={texts.daySum(dayName(day), texts.alerts(count))}
        to={linkOf({ weekday: day % 7 })}
      />
    );
  };
  return (
    <>
      <WorstHour sums={sums} linkOf={linkOf} />
      {isNarrow ? (
        <div className="week-hours-scroll">
          <table className="week-hours" data-narrow="true">
            <thead>
              <tr>
                <td />
                {daysOfWeek.map((day) => dayHeader(day, "col"))}
                <th scope="col">{texts.sum}</th>
              </tr>
            </thead>
            <tbody>
              {hoursOfDay.map((hour) => (
                <tr key={hour}>
                  {hourHeader(hour, "row")}
                  {daysOfWeek.map((day) => cell(day, hour))}
                  {hourSum(hour)}
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">{texts.sum}</th>
                {daysOfWeek.map(daySum)}
                <td />
              </tr>
            </tfoot>
          </table>
        </div>
      ) : (
        <table className="week-hours">
          <thead>
            <tr>
              <td />
              {hoursOfDay.map((hour) => hourHeader(hour, "col"))}
              <th scope="col">{texts.sum}</th>
            </tr>
          </thead>
          <tbody>
            {daysOfWeek.map((day) => (
              <tr key={day}>
                {dayHeader(day, "row")}
                {hoursOfDay.map((hour) => cell(day, hour))}
                {daySum(day)}
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{texts.sum}</th>
              {hoursOfDay.map(hourSum)}
              <td />
            </tr>
          </tfoot>
        </table>
      )}
    </>
  );
}

function WorstHour({ sums, linkOf }: HoursProps) {
  const { formats } = useLanguage();
  const texts = useTexts();
  const { worst } = sums;
  if (worst === undefined) return null;
  const words = texts.worstHour(
    formats.hourOfDay(worst),
    formats.hourOfDay((worst + 1) % 24),
    texts.alerts(sums.ofHour(worst)),
  );
  return (
    <p className="worst-hour">
      <Link to={linkOf({ hour: worst })}>{words}</Link>
    </p>
  );
}

interface CellProps {
  count: number;
  /** The share of the most alerts in a cell; undefined for sums. */
  share?: number;
  title: string;
  to: QueryChanges;
}

function Cell({ count, share, title, to }: CellProps) {
  const { formats } = useLanguage();
  const number = <span>{formats.number(count)}</span>;
  return (
    <td
      title={title}
      style={{ "--share": share ?? 0 }}
      data-empty={count === 0}
      data-sum={share === undefined}
    >
      {count === 0 ? (
        number
      ) : (
        <Link className="week-hours-link" to={to} aria-label={title}>
          {number}
        </Link>
      )}
    </td>
  );
}
