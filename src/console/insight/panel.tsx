import type { ReactNode } from "react";
import { useLanguage } from "../language/language.js";
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

export const panelPlaceholder = <div className="insight-panel placeholder" />;

/** The heads of columns. */
export const Heads = ({ of }: { of: readonly string[] }) =>
  of.map((head) => (
    <th key={head} scope="col">
      {head}
    </th>
  ));

/** A number that leads to what it counts, if there is any. */
export function Count({ count, to }: { count: number; to: QueryChanges | undefined }) {
  const number = useLanguage().formats.number(count);
  return count === 0 || !to ? number : <Link to={to}>{number}</Link>;
}
