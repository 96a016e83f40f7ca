import { useLanguage } from "../language/language.js";
import { Link } from "../navigation/link.js";
import type { QueryChanges } from "../navigation/location.js";
import type { Counts, Series } from "./series.js";
import { seriesClass } from "./series-colour.js";
import { useTexts } from "./texts.js";

interface ComparisonProps {
  counts: Counts;
  nameOf: (value: Series["value"]) => string;
  /** The address of a series. */
  linkOf: (part: NonNullable<Series["selection"]>) => QueryChanges;
  /** The address of a series in the period before. */
  linkBefore: (part: NonNullable<Series["selection"]>) => QueryChanges;
}

/**
 * The legend of the colours, with the number of alerts in this period and in the one
 * before.
 */
export function Comparison({ counts, nameOf, linkOf, linkBefore }: ComparisonProps) {
  const { series, total, totalBefore } = counts;
  const { formats } = useLanguage();
  const numberBefore = (before: number, part: Series["selection"]) =>
    before === 0 || !part ? (
      formats.number(before)
    ) : (
      <Link to={linkBefore(part)}>{formats.number(before)}</Link>
    );
  const insight = useTexts();
  return (
    <table className="comparison">
      <thead>
        <tr>
          <td />
          <th scope="col">{insight.thisPeriod}</th>
          <th scope="col">{insight.before}</th>
          <th scope="col">{insight.change}</th>
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
            <td>{numberBefore(before, selection)}</td>
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
          <td>{numberBefore(totalBefore, {})}</td>
          <td>
            <Change now={total} before={totalBefore} />
          </td>
        </tr>
      </tfoot>
    </table>
  );
}

/** The change of a number, as a share of the one before. */
export function Change({ now, before }: { now: number; before: number }) {
  const { formats } = useLanguage();
  if (before === 0) return now === 0 ? formats.change(0) : "–";
  return formats.change((now - before) / before);
}
