import "./mark-buttons.css";
import type { AlertItemFragment, AlertMarksFragment } from "../../../generated/console.js";
import { AcknowledgeIcon } from "../../shell/icons.js";
import { BookmarkIcon, FalsePositiveIcon, PlayIcon } from "../../shell/view-icons.js";
import { type Mark, marks } from "../filter/alert-filter.js";
import { useAlertTexts } from "../texts.js";

export const markKeys: Record<Mark, string> = { acknowledged: "a", bookmark: "b", falsePositive: "f" };

const icons = { acknowledged: AcknowledgeIcon, bookmark: BookmarkIcon, falsePositive: FalsePositiveIcon };

export const isMarked = (alert: AlertMarksFragment, mark: Mark): boolean =>
  mark === "acknowledged" ? alert.acknowledgedAt !== null : alert[mark];

export function MarkButtons({
  alerts,
  onToggle,
}: {
  alerts: readonly AlertMarksFragment[];
  onToggle: (mark: Mark) => void;
}) {
  const alertTexts = useAlertTexts();
  return (
    <div className="mark-buttons">
      {marks.map((mark) => {
        const Icon = icons[mark];
        const isSet = alerts.length > 0 && alerts.every((alert) => isMarked(alert, mark));
        const { set, remove, is } = alertTexts.marks[mark];
        return (
          <button
            key={mark}
            type="button"
            data-mark={mark}
            aria-pressed={isSet}
            title={isSet ? remove : undefined}
            onClick={() => onToggle(mark)}
          >
            <Icon />
            <span className="mark-text">{isSet ? is : set}</span>
            <span aria-hidden="true">
              <kbd>{markKeys[mark]}</kbd>
            </span>
          </button>
        );
      })}
    </div>
  );
}

export function MarkBadges({ alert }: { alert: AlertMarksFragment & Pick<AlertItemFragment, "clip"> }) {
  const alertTexts = useAlertTexts();
  return (
    <span className="mark-badges">
      {alert.clip?.state === "READY" && (
        <span title={alertTexts.clip.title}>
          <PlayIcon />
          <span className="visually-hidden">{alertTexts.clip.title}</span>
        </span>
      )}
      {marks
        .filter((mark) => isMarked(alert, mark))
        .map((mark) => {
          const Icon = icons[mark];
          return (
            <span key={mark} data-mark={mark} title={alertTexts.marks[mark].is}>
              <Icon />
              <span className="visually-hidden">{alertTexts.marks[mark].is}</span>
            </span>
          );
        })}
    </span>
  );
}
