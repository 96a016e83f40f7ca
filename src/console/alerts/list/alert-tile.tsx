import "./alert-tile.css";
import { memo, useContext } from "react";
import type { AlertItemFragment } from "../../../generated/console.js";
import { isolated } from "../../../platform/text/text-direction.js";
import { StoredText, useLanguage, useNow } from "../../language/language.js";
import { localDay, readersTimeZone } from "../../language/time-zones.js";
import { Link, useAddress } from "../../navigation/location.js";
import { addressWithAlert } from "../alert-address.js";
import { AlertPicture } from "../details/alert-picture.js";
import { MarkBadges } from "../details/mark-buttons.js";
import { useAlertTexts } from "../texts.js";
import { ListClock } from "./list-clock.js";

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
  return (
    <article
      className="alert-tile"
      data-false-positive={falsePositive}
      data-acknowledged={alert.acknowledgedAt !== null}
    >
      <Link className="alert-link" data-severity={severity} to={addressWithAlert(address, id)}>
        <span className="alert-picture">
          <TilePicture alert={alert} onPainted={onPainted} />
        </span>
        <span className="alert-text">
          <span className="severity">
            <StoredText>{severity === null ? messages.noSeverity : words.severity(severity)}</StoredText>
          </span>
          <span className="hint alert-moment">
            <AlertTime alert={alert} />
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

/**
 * When an alert was raised, by the clock of its list: the time and how long ago that was, or the day on
 * which it was. The tooltip has the whole moment by the clock of the facility, also on the reader's clock if
 * it differs.
 */
function AlertTime({ alert: { createdAt, facility } }: { alert: AlertItemFragment }) {
  const { formats } = useLanguage();
  const now = useNow();
  const { timeZoneId } = facility;
  const exact = formats.moment(createdAt, timeZoneId);
  const own = readersTimeZone === timeZoneId ? [] : [formats.moment(createdAt)];
  const zone = useContext(ListClock) ?? timeZoneId;
  const [day, today] = [localDay(createdAt, zone), localDay(now, zone)];
  const isThisYear = day.slice(0, 4) === today.slice(0, 4);
  return (
    <time dateTime={createdAt} title={[exact, ...own].join("\n")} data-exact={exact}>
      {formats.timeOfDay(createdAt, zone)}
      {" · "}
      {day === today
        ? formats.relative(createdAt, now)
        : isThisYear
          ? formats.calendarDay(day)
          : formats.date(day)}
    </time>
  );
}
