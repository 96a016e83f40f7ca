import type { AcknowledgedAlertFragment } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { useLanguage } from "../language/language.js";
import { Moment } from "../language/moment.js";
import { StoredText } from "../language/stored-text.js";
import { Link } from "../navigation/link.js";
import { Card } from "./card.js";
import { addressOfCounted, countedAlerts } from "./counted-alerts.js";

interface AcknowledgedAlertsProps {
  since: string;
  totalCount: number;
  /** The newest of them. */
  nodes: readonly AcknowledgedAlertFragment[];
}

/** What others have looked after: how many alerts, and who acknowledged the newest. */
export function AcknowledgedAlerts({ since, totalCount, nodes }: AcknowledgedAlertsProps) {
  const { today } = useLanguage().messages;
  const { acknowledged } = countedAlerts(since);
  return (
    <Card title={today.acknowledged.title}>
      {totalCount === 0 ? (
        <p className="today-calm">{today.acknowledged.none}</p>
      ) : (
        <p>
          <Link className="today-figure" to={addressOfCounted(acknowledged)}>
            {today.acknowledged.alerts(totalCount)}
          </Link>
        </p>
      )}
      <ul className="today-list">
        {nodes.map((alert) => (
          <li key={alert.id}>
            <AcknowledgedAlert {...alert} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function AcknowledgedAlert({ id, name, camera, facility, ...by }: AcknowledgedAlertFragment) {
  const { messages, words } = useLanguage();
  const { acknowledgedAt, acknowledgedBy } = by;
  // A key has no name, and not everybody sees the names of others.
  const author = acknowledgedBy?.fullName ?? acknowledgedBy?.email;
  return (
    <>
      <Link to={{ alert: id }}>{isolated(words.alertType(name))}</Link>
      {acknowledgedAt !== null && (
        <span className="hint">
          <Moment instant={acknowledgedAt} timeZone={facility.timeZoneId} relative />
        </span>
      )}
      <span className="hint">
        <StoredText>{camera.name}</StoredText>
        {author !== undefined && <> · {messages.today.acknowledged.by(isolated(author))}</>}
      </span>
    </>
  );
}
