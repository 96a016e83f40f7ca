import "./alert-tile.css";
import { memo } from "react";
import type { AlertItemFragment } from "../../../generated/console.js";
import { isolated } from "../../../platform/text/text-direction.js";
import { Moment, StoredText, useLanguage } from "../../language/language.js";
import { Link, useAddress } from "../../navigation/location.js";
import { addressWithAlert } from "../alert-address.js";
import { clipSource } from "../clip/clip-source.js";
import { useTileClip } from "../clip/tile-clip.js";
import { AlertPicture } from "../details/alert-picture.js";
import { MarkBadges } from "../details/mark-buttons.js";
import { useAlertTexts } from "../texts.js";

interface AlertTileProps {
  alert: AlertItemFragment;
  isSelected: boolean;
  /** Absent if the alert cannot be selected. */
  onSelect: ((id: string, isRange: boolean) => void) | undefined;
  onPainted?: ((id: string) => void) | undefined;
}

/** An alert in the stream. While the list is scrolled, only tiles that come into sight are rendered. */
export const AlertTile = memo(({ alert, isSelected, onSelect, onPainted }: AlertTileProps) => {
  const { messages, words } = useLanguage();
  const alertTexts = useAlertTexts();
  const address = useAddress();
  const { id, name, severity, alertRuleName, camera, facility, falsePositive } = alert;
  const clip = clipSource(alert);
  const [isPlaying, handlers] = useTileClip();
  return (
    <article
      className="alert-tile"
      data-false-positive={falsePositive}
      data-acknowledged={alert.acknowledgedAt !== null}
      {...(clip && handlers)}
    >
      <Link className="alert-link" data-severity={severity} to={addressWithAlert(address, id)}>
        <span className="alert-picture">
          <TilePicture alert={alert} onPainted={onPainted} />
          {isPlaying && <video src={clip} autoPlay loop muted playsInline />}
        </span>
        <span className="alert-text">
          <span className="severity">
            <StoredText>{severity === null ? messages.noSeverity : words.severity(severity)}</StoredText>
          </span>
          <span className="hint alert-moment">
            <Moment instant={alert.createdAt} timeZone={facility.timeZoneId} form="listed" />
          </span>
          <strong>
            <StoredText>{words.alertType(name)}</StoredText>
            {alertRuleName !== null && (
              <span className="hint">
                {" "}
                <StoredText>{alertRuleName}</StoredText>
              </span>
            )}
          </strong>
          <span className="hint alert-camera">
            <StoredText>{camera.name}</StoredText> · <StoredText>{facility.name}</StoredText>
          </span>
        </span>
      </Link>
      <MarkBadges alert={alert} />
      {onSelect && (
        <label className="alert-select">
          <input
            type="checkbox"
            checked={isSelected}
            aria-label={alertTexts.select(isolated(words.alertType(name)), isolated(camera.name))}
            onChange={(event) =>
              onSelect(id, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)
            }
          />
        </label>
      )}
    </article>
  );
});

/** Rendered again when the alert changes, not with each tick of the clock. */
const TilePicture = memo(({ alert, onPainted }: Pick<AlertTileProps, "alert" | "onPainted">) => (
  <AlertPicture alert={alert} fills onPainted={onPainted} />
));
