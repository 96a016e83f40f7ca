import { memo, startTransition, useDeferredValue, useState } from "react";
import { daysOf } from "../language/calendar-days.js";
import { useLanguage } from "../language/language.js";
import { Link, type QueryChanges } from "../navigation/location.js";
import { Count, Heads } from "./panel.js";
import { type Counts, type Series, seriesClass } from "./series.js";
import { useTexts } from "./texts.js";

interface StackedBarsProps {
  counts: Counts;
  nameOf: (value: Series["value"]) => string;
  linkOf: (period: string, part?: Series["selection"]) => QueryChanges;
}

/** The maximum number of dates below the bars. */
const mostLabels = 8;

/**
 * Alerts over time: a bar for each day, week or month, with a mark for the period before, and the same as a table. Ten
 * years have thousands of parts, which are rendered in the background, so that nobody has to wait for them.
 */
export function StackedBars(props: StackedBarsProps) {
  const insight = useTexts();
  const [hasTable, setHasTable] = useState(false);
  const shown = useDeferredValue(props, undefined);
  return (
    <figure className="bars-figure" aria-label={insight.overTime}>
      {/* The table has the same numbers and links for those who do not see the bars, or use no mouse. */}
      {shown && <Bars {...shown} />}
      <details onToggle={({ currentTarget: { open } }) => startTransition(() => setHasTable(open))}>
        <summary>{insight.asTable}</summary>
        {hasTable && shown && <BarsTable {...shown} />}
      </details>
    </figure>
  );
}

const Bars = memo(({ counts, nameOf, linkOf }: StackedBarsProps) => {
  const { formats } = useLanguage();
  const { periods, series, before } = counts;
  const insight = useTexts();
  const hasBefore = before.some((count) => count !== undefined);
  const top = niceCeiling(Math.max(1, ...totalsOf(counts), ...before.map((count) => count ?? 0)));
  const share = (count: number) => `${(100 * count) / top}%`;
  const step = Math.ceil(periods.length / mostLabels);
  const label = usePeriodLabel();
  return (
    <>
      <div className="bars" aria-hidden="true">
        <div className="bars-scale">
          {[top, top / 2, 0].map((each) => (
            <span key={each}>{formats.number(each)}</span>
          ))}
        </div>
        <div className="bars-columns">
          {periods.map((period, index) => (
            <div key={period} className="bars-column">
              <div className="bars-stack">
                {series.map(({ value, selection, counts: each }) => {
                  const count = each[index] ?? 0;
                  if (count === 0) return null;
                  const attributes = {
                    className: seriesClass(series, value),
                    style: { height: share(count) },
                    title: `${label(period)}\n${nameOf(value)}: ${insight.alerts(count)}`,
                  };
                  return selection ? (
                    <Link key={String(value)} tabIndex={-1} to={linkOf(period, selection)} {...attributes} />
                  ) : (
                    <span key={String(value)} {...attributes} />
                  );
                })}
                {before[index] !== undefined && (
                  <span
                    className="bars-before"
                    style={{ bottom: share(before[index]) }}
                    title={`${insight.before}: ${insight.alerts(before[index])}`}
                  />
                )}
              </div>
              <span className="bars-label" data-minor={((periods.length - 1 - index) / step) % 2 === 1}>
                {(periods.length - 1 - index) % step === 0 && label(period)}
              </span>
            </div>
          ))}
        </div>
      </div>
      {hasBefore && (
        <p className="hint bars-key" aria-hidden="true">
          <span /> {insight.before}
        </p>
      )}
    </>
  );
});

const totalsOf = ({ periods, series }: Counts) =>
  periods.map((_, index) => series.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0));

/** The bars as a table, rendered on request, because it may have thousands of rows. */
const BarsTable = memo(({ counts, nameOf, linkOf }: StackedBarsProps) => {
  const { periods, series } = counts;
  const insight = useTexts();
  const totals = totalsOf(counts);
  const label = usePeriodLabel();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys.
    <section className="table-scroll" tabIndex={0} aria-label={insight.overTime}>
      <table>
        <thead>
          <tr>
            <td />
            <Heads of={[...series.map(({ value }) => nameOf(value)), insight.total]} />
          </tr>
        </thead>
        <tbody>
          {periods.map((period, index) => (
            <tr key={period}>
              <th scope="row">{label(period)}</th>
              {series.map(({ value, selection, counts: each }) => (
                <Count
                  key={String(value)}
                  count={each[index] ?? 0}
                  to={selection && linkOf(period, selection)}
                />
              ))}
              <Count count={totals[index] ?? 0} to={linkOf(period)} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
});

/** A short name of a day, week or month. A week is named by its Monday. */
function usePeriodLabel(): (key: string) => string {
  const { formats } = useLanguage();
  return (key) => (key.length === 7 ? formats.calendarMonth(key) : formats.calendarDay(daysOf(key).from));
}

/** The next round number whose half is round, too, since alerts are not counted in halves. */
function niceCeiling(most: number) {
  const magnitude = 10 ** Math.floor(Math.log10(most));
  const factors = magnitude === 1 ? [2, 4, 6, 8, 10] : [1, 2, 4, 5, 6, 8, 10];
  return (factors.find((each) => each * magnitude >= most) ?? 10) * magnitude;
}
