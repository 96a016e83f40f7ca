import type { ReactNode } from "react";
import type { AnyVariables, UseQueryArgs } from "urql";
import { quarter } from "../alerts/filter/alert-filter.js";
import { QueryResult, type ResultProps, useRepeatedQuery } from "../data/query.js";
import { useLanguage, useStepOfTime } from "../language/language.js";
import { Link, type QueryChanges } from "../navigation/location.js";

interface PanelProps {
  /** The ID of the heading, by which the panel is named; without one it is no landmark. */
  id?: string;
  title: string;
  /** What stands beside the title. */
  beside?: ReactNode;
  children: ReactNode;
}

/** A part of a page with numbers. */
export const Panel = ({ id, title, beside, children }: PanelProps) => (
  <section className="insight-panel" aria-labelledby={id}>
    <header>
      <h2 id={id}>{title}</h2>
      {beside}
    </header>
    {children}
  </section>
);

/** The heads of columns. */
export const Heads = ({ of }: { of: readonly string[] }) =>
  of.map((head) => (
    <th key={head} scope="col">
      {head}
    </th>
  ));

/** A cell with a number that leads to what it counts, if there is any. */
export function Count({ count, to }: { count: number; to?: QueryChanges | undefined }) {
  const number = useLanguage().formats.number(count);
  return <td>{count === 0 || !to ? number : <Link to={to}>{number}</Link>}</td>;
}

/** The data of a query of counts, which are counted again as time passes. */
export function CountsQuery<Data, Variables extends AnyVariables>(
  props: UseQueryArgs<Variables, Data> & ResultProps<Data>,
) {
  const { placeholder = <div className="insight-panel placeholder" />, children } = props;
  const [result, readAgain] = useRepeatedQuery<Data, Variables>(props, useStepOfTime(quarter));
  return (
    <QueryResult result={result} onRetry={readAgain} placeholder={placeholder}>
      {children}
    </QueryResult>
  );
}
