import { useState } from "react";
import { type AlertFilter, InsightFacilitiesDocument } from "../../generated/console.js";
import { Query } from "../data/query-result.js";
import { useLanguage } from "../language/language.js";
import { StoredText } from "../language/stored-text.js";
import { Link } from "../navigation/link.js";
import type { QueryChanges } from "../navigation/location.js";
import { Change } from "./comparison.js";
import { useTexts } from "./texts.js";

/** The maximum number of facilities that are shown at first. */
const mostListed = 10;

interface FacilitiesProps {
  filter: AlertFilter;
  before: AlertFilter;
  /** The end of the counted period. Another moment counts again. */
  until: number;
  /** The addresses of a facility's alerts, in the period and in the one before. */
  linkOf: (facilityId: string) => QueryChanges;
  linkBefore: (facilityId: string) => QueryChanges;
}

/** The alerts of each facility beside those of the others, and of the period before. */
export function Facilities({ filter, before, until, linkOf, linkBefore }: FacilitiesProps) {
  const { formats } = useLanguage();
  const texts = useTexts();
  const [isWhole, setWhole] = useState(false);
  return (
    <Query
      query={InsightFacilitiesDocument}
      variables={{ filter, before }}
      readAt={until}
      placeholder={<div className="insight-panel placeholder" />}
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
          <section className="insight-panel">
            <header>
              <h2>{texts.facilities}</h2>
            </header>
            <table className="facilities">
              <thead>
                <tr>
                  <th scope="col">{texts.facility}</th>
                  <th scope="col">{texts.thisPeriod}</th>
                  <th scope="col">{texts.before}</th>
                  <th scope="col">{texts.change}</th>
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
                    <td>{now === 0 ? 0 : <Link to={linkOf(id)}>{formats.number(now)}</Link>}</td>
                    <td>{before === 0 ? 0 : <Link to={linkBefore(id)}>{formats.number(before)}</Link>}</td>
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
          </section>
        );
      }}
    </Query>
  );
}
