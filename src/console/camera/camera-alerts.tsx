import { CameraAlertsDocument } from "../../generated/console.js";
import { alertParametersOf } from "../alerts/alert-filter.js";
import { AlertTile } from "../alerts/alert-tile.js";
import { Query } from "../data/query-result.js";
import { Link } from "../navigation/link.js";
import { useTexts } from "./texts.js";

/**
 * The newest alerts of a camera. `revision` changes whenever they are to be read again.
 */
export function CameraAlerts({ id, revision }: { id: string; revision: number }) {
  const texts = useTexts();
  return (
    <section className="insight-panel" aria-labelledby="camera-alerts">
      <Query query={CameraAlertsDocument} variables={{ id }} readAt={revision}>
        {({ camera }) =>
          camera && (
            <>
              <header>
                <h2 id="camera-alerts">{texts.alerts}</h2>
                <Link to={{ view: "alerts", ...alertParametersOf({ cameraIds: [id], open: true }) }}>
                  {texts.open(camera.openAlertCount)}
                </Link>
                <Link to={{ view: "alerts", camera: id }}>{texts.allAlerts}</Link>
              </header>
              {camera.alerts.nodes.length === 0 && <p className="hint">{texts.noAlerts}</p>}
              <ul className="camera-alerts">
                {camera.alerts.nodes.map((alert) => (
                  <li key={alert.id}>
                    <AlertTile alert={alert} isSelected={false} onSelect={undefined} />
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Query>
    </section>
  );
}
