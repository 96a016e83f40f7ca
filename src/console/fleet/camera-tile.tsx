import type { FleetCameraFragment } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { useLanguage } from "../language/language.js";
import { Moment } from "../language/moment.js";
import { StoredText } from "../language/stored-text.js";
import { Link } from "../navigation/link.js";
import { CameraPicture } from "./camera-picture.js";
import { StateAge, StateName } from "./camera-state.js";
import { toneOf } from "./camera-states.js";
import { useTexts } from "./texts.js";

/** A camera: its picture, its state, and its newest alert. Links to its page. */
export function CameraTile({ camera }: { camera: FleetCameraFragment }) {
  const { words } = useLanguage();
  const texts = useTexts();
  const { id, name, state, facility, alerts, thumbnailUrl, imageLink } = camera;
  const [newest] = alerts.nodes;
  const isWorking = state === "WORKING";
  return (
    <article className="camera-tile" aria-label={isolated(name)}>
      <div className="camera-picture" data-live={isWorking}>
        <CameraPicture name={name} links={[thumbnailUrl, imageLink]} />
        <span className="camera-state" data-tone={toneOf(state)}>
          <StateName camera={camera} />
        </span>
        {!isWorking && (
          <span className="picture-age">
            <StateAge camera={camera} />
          </span>
        )}
      </div>
      <div className="camera-text">
        <h4>
          <Link className="camera-link" to={{ camera: id }}>
            <StoredText>{name}</StoredText>
          </Link>
        </h4>
        <p className="hint">
          <StoredText>{facility.name}</StoredText>
        </p>
        {newest ? (
          <Link className="newest-alert" to={{ alert: newest.id }}>
            <span className="visually-hidden">{texts.newestAlert}: </span>
            <span className="severity" data-severity={newest.severity}>
              <span className="visually-hidden">
                <StoredText>{newest.severity && words.severity(newest.severity)}</StoredText>
              </span>
            </span>
            <span className="newest-type">
              <StoredText>{words.alertType(newest.name)}</StoredText>
            </span>
            <span className="hint">
              <Moment instant={newest.createdAt} timeZone={facility.timeZoneId} relative />
            </span>
          </Link>
        ) : (
          <p className="newest-alert hint">{texts.noAlerts}</p>
        )}
      </div>
    </article>
  );
}
