import { type ReactNode, useSyncExternalStore } from "react";
import { type AlertFilter, InsightHoursDocument } from "../../generated/console.js";
import { runOverMidnight } from "../alerts/local-time.js";
import { useLanguage } from "../language/language.js";
import { Link, type QueryChanges } from "../navigation/location.js";
import { daysOfWeek, type HourSums, hourSumsOf, hoursOfDay } from "./hour-sums.js";
import { CountsQuery, Panel } from "./panel.js";
import { useTexts } from "./texts.js";

interface WeekHoursProps {
  filter: AlertFilter;
  /** The address of the alerts of an hour, a day of the week from 0, Sunday, or both. */
  linkOf: (at: { hour?: number; weekday?: number }) => QueryChanges;
}

/** Alerts by weekday and hour with their sums, as a table. The more alerts, the darker the cell. */
export function WeekHours({ filter, linkOf }: WeekHoursProps) {
  const texts = useTexts();
  return (
    <Panel
      title={texts.hours}
      beside={<span className="hint">{runOverMidnight(filter.localTimes) && texts.nightHours}</span>}
    >
      <CountsQuery
        query={InsightHoursDocument}
        variables={{ filter }}
        placeholder={<div className="week-hours-placeholder placeholder" />}
      >
        {(data) => <Hours sums={hourSumsOf(data)} linkOf={linkOf} />}
      </CountsQuery>
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

/** The days or the hours, which are the columns or the rows. */
interface Axis {
  of: readonly number[];
  name: (value: number) => string;
  label: (value: number) => ReactNode;
  /** The cell with the sum of a day or an hour. */
  sum: (value: number) => ReactNode;
}

function Hours({ sums, linkOf }: HoursProps) {
  const { formats } = useLanguage();
  const texts = useTexts();
  const isNarrow = useIsNarrow();
  const dayName = (day: number) => formats.dayOfWeek(day, "long");
  const sumCell = (
    name: string,
    count: number,
    { words, to }: { words: typeof texts.daySum; to: QueryChanges },
  ) => <Cell key={`sum ${name}`} count={count} title={words(name, texts.alerts(count))} to={to} />;
  const days: Axis = {
    of: daysOfWeek,
    name: dayName,
    label: (day) => formats.dayOfWeek(day, "short"),
    sum: (day) =>
      sumCell(dayName(day), sums.ofDay(day), { words: texts.daySum, to: linkOf({ weekday: day % 7 }) }),
  };
  const hours: Axis = {
    of: hoursOfDay,
    name: (hour) => formats.hourOfDay(hour),
    label: (hour) => (isNarrow ? formats.hourOfDay(hour) : hour),
    sum: (hour) =>
      sumCell(formats.hourOfDay(hour), sums.ofHour(hour), { words: texts.hourSum, to: linkOf({ hour }) }),
  };
  const [columns, rows] = isNarrow ? [days, hours] : [hours, days];
  const header = ({ name, label }: Axis, value: number, scope: "row" | "col") => (
    <th key={value} scope={scope} aria-label={name(value)}>
      {label(value)}
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
  const table = (
    <table className="week-hours" data-narrow={isNarrow || undefined}>
      <thead>
        <tr>
          <td />
          {columns.of.map((column) => header(columns, column, "col"))}
          <th scope="col">{texts.sum}</th>
        </tr>
      </thead>
      <tbody>
        {rows.of.map((row) => (
          <tr key={row}>
            {header(rows, row, "row")}
            {columns.of.map((column) => (isNarrow ? cell(column, row) : cell(row, column)))}
            {rows.sum(row)}
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{texts.sum}</th>
          {columns.of.map(columns.sum)}
          <td />
        </tr>
      </tfoot>
    </table>
  );
  return (
    <>
      <WorstHour sums={sums} linkOf={linkOf} />
      {isNarrow ? <div className="week-hours-scroll">{table}</div> : table}
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
