import { severityRank } from "../../alert-rule/alert-kind.js";
import type { TodayQuery } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { useLanguage } from "../language/language.js";
import { Link } from "../navigation/link.js";
import { Card } from "./card.js";
import { addressOfCounted, allOpen, countedAlerts } from "./counted-alerts.js";

interface OpenAlertsProps {
  since: string;
  /** The number of all open alerts, whenever they were raised. */
  inAll: number;
  /** The numbers of open alerts that were raised since then. */
  bySeverity: TodayQuery["openBySeverity"];
}

/** What still needs somebody: the open alerts by severity, the gravest first. */
export function OpenAlerts({ since, inAll, bySeverity }: OpenAlertsProps) {
  const { messages, words, formats } = useLanguage();
  const { today } = messages;
  const { open } = countedAlerts(since);
  const count = bySeverity.reduce((sum, group) => sum + group.count, 0);
  const ordered = [...bySeverity].sort(
    (one, other) => rankOf(one.severity) - rankOf(other.severity) || other.count - one.count,
  );
  return (
    <Card title={today.open.title}>
      {count === 0 ? (
        <p className="today-calm">{inAll === 0 ? today.open.none : today.open.noneSince}</p>
      ) : (
        <p>
          <Link className="today-figure" to={addressOfCounted(open)}>
            {today.open.since(count)}
          </Link>
        </p>
      )}
      {count > 0 && (
        <ul className="today-severities">
          {ordered.map(({ severity, count }) => (
            <li key={severity ?? ""}>
              <Link
                className="severity"
                data-severity={severity}
                to={addressOfCounted({
                  ...open,
                  ...(severity === null ? { hasSeverity: false } : { severities: [severity] }),
                })}
              >
                {severity === null ? messages.noSeverity : isolated(words.severity(severity))}{" "}
                {formats.number(count)}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {inAll > count && (
        <p className="today-more">
          <Link to={addressOfCounted(allOpen)}>{today.open.inAll(inAll)}</Link>
        </p>
      )}
    </Card>
  );
}

const rankOf = (severity: string | null) =>
  severity === null ? Number.POSITIVE_INFINITY : severityRank(severity);
