import "./grave-alerts.css";
import { useId } from "react";
import { GraveAlertsDocument } from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { AlertPicture } from "../alerts/details/alert-picture.js";
import { type AlertSelection, addressOfAlerts, alertFilterOf } from "../alerts/filter/alert-filter.js";
import { Query } from "../data/query.js";
import { serverTime } from "../data/server-time.js";
import { Moment, StoredText, useLanguage } from "../language/language.js";
import { Link } from "../navigation/location.js";

interface GraveAlertsProps {
  /** Which alerts, with their severities. */
  selection: Partial<AlertSelection> & { severities: readonly string[] };
  readAt: number;
}

/** The newest of the gravest open alerts as pictures. */
export function GraveAlerts({ selection, readAt }: GraveAlertsProps) {
  const { messages, words } = useLanguage();
  const id = useId();
  const severities = selection.severities.map((severity) => isolated(words.severity(severity)));
  return (
    <section className="grave-alerts" aria-labelledby={id}>
      <h2 id={id}>
        <Link to={addressOfAlerts(selection)}>{messages.today.grave(severities.join(", "))}</Link>
      </h2>
      <Query
        query={GraveAlertsDocument}
        variables={{ filter: alertFilterOf(selection, new Date(serverTime())) }}
        readAt={readAt}
      >
        {({ alerts }) => (
          <ul>
            {alerts.nodes.map((alert) => (
              <li key={alert.id}>
                <Link to={{ ...addressOfAlerts(selection), alert: alert.id }}>
                  <span className="grave-picture">
                    <AlertPicture alert={alert} fills />
                  </span>
                  <span>{isolated(words.alertType(alert.name))}</span>
                </Link>
                <span className="hint">
                  <StoredText>{alert.camera.name}</StoredText> ·{" "}
                  <Moment instant={alert.createdAt} timeZone={alert.facility.timeZoneId} form="listed" />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Query>
    </section>
  );
}
