import type { FleetCameraFragment } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { pictureSource } from "../data/picture.js";
import { useLanguage } from "../language/language.js";
import { Moment } from "../language/moment.js";
import { StoredText } from "../language/stored-text.js";
import { Link } from "../navigation/link.js";
import { CameraIcon } from "../shell/icons.js";

/**
 * A camera: its picture, its status, and its newest alert. Links to all alerts of the
 * camera.
 */
export function CameraTile({ camera }: { camera: FleetCameraFragment }) {
  const { messages, words } = useLanguage();
  const { id, name, statusDetail, facility, alerts } = camera;
  const [newest] = alerts.nodes;
  const isOperational = statusDetail === "OPERATIONAL";
  return (
    <article className="camera-tile" aria-label={isolated(name)}>
      <div className="camera-picture">
        <CameraPicture camera={camera} />
        <span className="camera-status" data-operational={isOperational}>
          <StoredText>{words.statusDetail(statusDetail)}</StoredText>
        </span>
      </div>
      <div className="camera-text">
        <h3>
          <Link className="camera-link" to={{ view: "alerts", camera: id }}>
            <StoredText>{name}</StoredText>
          </Link>
        </h3>
        <p className="hint">
          <StoredText>{facility.name}</StoredText>
        </p>
        {newest ? (
          <Link className="newest-alert" to={{ alert: newest.id }}>
            <span className="visually-hidden">{messages.fleet.newestAlert}: </span>
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
          <p className="newest-alert hint">{messages.fleet.noAlerts}</p>
        )}
      </div>
    </article>
  );
}

function CameraPicture({ camera: { name, thumbnailUrl, imageLink } }: { camera: FleetCameraFragment }) {
  const { messages } = useLanguage();
  const source = pictureSource(thumbnailUrl) ?? pictureSource(imageLink);
  if (source)
    return (
      <img src={source} alt={messages.fleet.pictureOf(isolated(name))} loading="lazy" decoding="async" />
    );
  return (
    <div className="no-picture">
      <CameraIcon />
      {imageLink ? (
        <a href={imageLink} target="_blank" rel="noreferrer">
          {messages.fleet.pictureElsewhere}
        </a>
      ) : (
        <span>{messages.fleet.noPicture}</span>
      )}
    </div>
  );
}
