import "./alert-details.css";
import { useEffect, useId, useRef, useState } from "react";
import {
  AlertDetailsDocument,
  DeleteAlertDocument,
  type OpenedAlertFragment,
} from "../../../generated/console.js";
import { isolated } from "../../../platform/text/text-direction.js";
import { AlertContacts } from "../../contacts/whom-to-call.js";
import { QueryResult, useRepeatedQuery } from "../../data/query.js";
import { MutationConfirmation } from "../../form/confirmation.js";
import { keyIn } from "../../keyboard/pressed-key.js";
import { useShortcuts } from "../../keyboard/shortcuts.js";
import { Moment, StoredText, useLanguage, useNow } from "../../language/language.js";
import { Link } from "../../navigation/location.js";
import { NeighbouringPictures } from "../../picture/neighbouring-pictures.js";
import { PictureActions } from "../../picture/picture-actions.js";
import { alertsAhead, useNextAlerts } from "../../review/review.js";
import { useRuleSentence } from "../../rules/use-rule-sentence.js";
import { AcknowledgeIcon, AlertIcon, CloseIcon } from "../../shell/icons.js";
import { Notice } from "../../shell/notice/notice.js";
import { part, ViewBoundary } from "../../shell/part.js";
import { NextIcon, PreviousIcon } from "../../shell/view-icons.js";
import { useMay } from "../../viewer/viewer.js";
import type { AlertActions } from "../alert-actions.js";
import { PictureAndClip } from "../clip/picture-and-clip.js";
import { CoveringPanel } from "../covering-panel.js";
import { marks } from "../filter/alert-filter.js";
import type { AlertStream } from "../list/alert-stream.js";
import { useAlertTexts } from "../texts.js";
import { AlertComments } from "./alert-comments.js";
import { isMarked, MarkButtons } from "./mark-buttons.js";

const CameraNow = part(() => import("../../camera/camera-now.js"), "CameraNow");

interface AlertDetailsProps {
  id: string;
  stream: AlertStream;
  /**
   * Whether the beginning of the list has been read, and the alert's position in it (-1 if unknown). Both come from the
   * view: an effect that depends on what it reads from the stream itself may be lost.
   */
  isListReady: boolean;
  index: number;
  actions: AlertActions;
  /** Told of the alert once its picture, or what is there instead, has been painted. */
  onPainted: (id: string) => void;
  onStep: (by: number) => void;
  /** Whether the alert is shown in a review by somebody who may acknowledge it. */
  isReviewed: boolean;
  /** Acknowledges, and goes on to the next alert. */
  onGoOn: () => void;
  onClose: () => void;
}

/**
 * One alert in front of the stream: its picture, the reason for raising it, its marks and comments, and its
 * neighbours.
 */
export function AlertDetails({
  id,
  stream,
  isListReady,
  index,
  actions,
  onPainted,
  onStep,
  isReviewed,
  onGoOn,
  onClose,
}: AlertDetailsProps) {
  const { messages, words } = useLanguage();
  const alertTexts = useAlertTexts();
  const [result, readAgain] = useRepeatedQuery({ query: AlertDetailsDocument, variables: { id } });
  const titleId = useId();
  const alert = result.data?.alert?.id === id ? result.data.alert : undefined;
  const isKnown = index >= 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: locate the alert once both it and the list are there, and again when its position is uncertain.
  useEffect(() => {
    if (alert && !isKnown) void stream.locate(alert);
  }, [alert?.id, stream, isListReady, isKnown]);
  // Read the alerts beyond the last one that has been read.
  useEffect(() => {
    if (index >= 0) stream.show(Math.max(0, index - 2), index + alertsAhead);
  }, [stream, index]);
  useNextAlerts(stream, index);
  const hasNeighbour = (by: number) => index >= 0 && stream.at(index + by) !== undefined;
  return (
    <CoveringPanel labelledBy={titleId}>
      <nav className="alert-steps" aria-label={alertTexts.neighbours}>
        <button type="button" disabled={!hasNeighbour(-1)} onClick={() => onStep(-1)}>
          <PreviousIcon /> <span>{alertTexts.newer}</span>
        </button>
        <span className="hint" role="status">
          {alert && (
            <span className="visually-hidden">
              <StoredText>{words.alertType(alert.name)}</StoredText>,{" "}
            </span>
          )}
          {index >= 0 && alertTexts.position(index + 1, stream.total)}
        </span>
        <button type="button" disabled={!hasNeighbour(1)} onClick={() => onStep(1)}>
          <span>{alertTexts.older}</span> <NextIcon />
        </button>
        {isReviewed && (
          <button type="button" className="primary" onClick={onGoOn}>
            <AcknowledgeIcon /> <span>{alertTexts.review.goOn}</span>
            <span aria-hidden="true">
              <kbd>Space</kbd>
            </span>
          </button>
        )}
        <button type="button" className="icon-button" aria-label={messages.common.close} onClick={onClose}>
          <CloseIcon />
        </button>
      </nav>
      <QueryResult
        result={alert || result.error ? result : result.fetching || result.data?.alert !== null ? {} : result}
        onRetry={readAgain}
      >
        {(data) =>
          data.alert ? (
            <AlertParts
              key={id}
              alert={data.alert}
              titleId={titleId}
              actions={actions}
              onPainted={onPainted}
              onRetry={readAgain}
              onStep={onStep}
              isReviewed={isReviewed}
              onClose={onClose}
            />
          ) : (
            <Notice icon={<AlertIcon />} title={alertTexts.gone}>
              {alertTexts.goneText}
            </Notice>
          )
        }
      </QueryResult>
    </CoveringPanel>
  );
}

interface AlertPartsProps
  extends Pick<AlertDetailsProps, "actions" | "onPainted" | "onStep" | "isReviewed" | "onClose"> {
  alert: OpenedAlertFragment;
  titleId: string;
  onRetry: () => void;
}

function AlertParts({
  alert,
  titleId,
  actions,
  onPainted,
  onRetry,
  onStep,
  isReviewed,
  onClose,
}: AlertPartsProps) {
  const { formats, messages, words } = useLanguage();
  const alertTexts = useAlertTexts();
  const sentenceOf = useRuleSentence();
  const mayWrite = useMay("alerts:write", alert.facility);
  const mayDelete = useMay("alerts:delete", alert.facility);
  const { name, severity, camera, facility, createdAt, alertRule, count, observation } = alert;
  const { deletion } = alertTexts;
  const [isDeleting, setDeleting] = useState(false);
  const [isLive, setLive] = useState(false);
  const hasDrawing = Boolean(alert.area?.length || alert.violatingCoordinates?.length);
  const [isDrawn, toggleDrawing] = useDrawingKey(hasDrawing, messages.views.alerts, alertTexts.drawing);
  return (
    <div className="alert-parts">
      <div className="alert-stage">
        <PictureAndClip
          alert={alert}
          isDrawn={isDrawn}
          playsOnceSeen={isReviewed}
          onPainted={onPainted}
          onSwipe={onStep}
          onRetry={onRetry}
        />
        {hasDrawing && (
          <button
            type="button"
            className="drawing-button"
            aria-pressed={isDrawn}
            title={alertTexts.picture.withoutDrawing}
            onClick={toggleDrawing}
          >
            {alertTexts.drawing}{" "}
            <span aria-hidden="true">
              <kbd>d</kbd>
            </span>
          </button>
        )}
      </div>
      <div className="alert-facts">
        <header>
          {severity && (
            <span className="severity" data-severity={severity}>
              <StoredText>{words.severity(severity)}</StoredText>
            </span>
          )}
          <h2 id={titleId}>
            <StoredText>{words.alertType(name)}</StoredText>
          </h2>
          <p>
            <Link to={{ camera: camera.id }}>
              <StoredText>{camera.name}</StoredText>
            </Link>
            ,{" "}
            <Link to={{ view: "alerts", facility: facility.id }}>
              <StoredText>{facility.name}</StoredText>
            </Link>
          </p>
          <p className="hint">
            <Moment instant={createdAt} timeZone={facility.timeZoneId} form="both" />
          </p>
          <p className="hint">
            {alertTexts.objects(count)}
            {observation && ` · ${alertTexts.observation}`}
          </p>
          {alert.pictureAt !== null && (
            <p className="hint">
              {alertTexts.pictureTaken(formats.moment(alert.pictureAt, facility.timeZoneId))}
            </p>
          )}
          {alert.clip && alert.clip.state !== "READY" && (
            <p className="hint">{alertTexts.clip.states[alert.clip.state]}</p>
          )}
        </header>
        {mayWrite && (
          <MarkButtons alerts={[alert]} onToggle={(mark) => void actions.toggle([alert.id], mark)} />
        )}
        <MarkHistory alert={alert} />
        <PictureActions alert={alert} />
        <button type="button" aria-expanded={isLive} onClick={() => setLive((was) => !was)}>
          {alertTexts.picture.liveNow}
        </button>
        {isLive && (
          <ViewBoundary>
            <CameraNow id={camera.id} />
          </ViewBoundary>
        )}
        <NeighbouringPictures alert={alert} />
        <section>
          <h3>{alertTexts.rule}</h3>
          {alert.alertRuleName !== null && (
            <p>
              <StoredText>{alert.alertRuleName}</StoredText>
            </p>
          )}
          {alertRule ? (
            <>
              <p>{sentenceOf(alertRule.group) || words.alertType(alertRule.name)}</p>
              <p>
                <Link to={{ view: "alerts", rule: alertRule.id }}>{alertTexts.sameRule}</Link> ·{" "}
                <Link to={{ view: "rules", camera: camera.id }}>{alertTexts.cameraRules}</Link>
              </p>
            </>
          ) : (
            <p className="hint">{alert.alertRuleId ? alertTexts.ruleDeleted : alertTexts.noRule}</p>
          )}
        </section>
        <AlertContacts camera={camera.id} />
        <AlertComments alert={alert} actions={actions} mayWrite={mayWrite} />
        <Deliveries alert={alert} />
        {mayDelete && (
          <button type="button" onClick={() => setDeleting(actions.mayAct([alert.id]))}>
            {deletion.button}
          </button>
        )}
        {isDeleting && (
          <MutationConfirmation
            title={deletion.title}
            label={deletion.confirm}
            mutation={DeleteAlertDocument}
            variables={{ ids: [alert.id] }}
            onDone={onClose}
            onClose={() => setDeleting(false)}
          >
            <p>{deletion.text}</p>
          </MutationConfirmation>
        )}
      </div>
    </div>
  );
}

function MarkHistory({ alert }: { alert: OpenedAlertFragment }) {
  const alertTexts = useAlertTexts();
  const changes = {
    acknowledged: { by: alert.acknowledgedBy, at: alert.acknowledgedAt },
    bookmark: { by: alert.bookmarkChangedBy, at: alert.bookmarkChangedAt },
    falsePositive: { by: alert.falsePositiveChangedBy, at: alert.falsePositiveChangedAt },
  };
  const set = marks.filter((mark) => isMarked(alert, mark));
  if (set.length === 0) return null;
  return (
    <ul className="mark-history hint">
      {set.map((mark) => {
        const { by, at } = changes[mark];
        const author = by?.fullName ?? by?.email;
        return (
          <li key={mark}>
            {author
              ? alertTexts.markedBy(alertTexts.marks[mark].is, isolated(author))
              : alertTexts.marks[mark].is}
            {at && (
              <>
                , <Moment instant={at} timeZone={alert.facility.timeZoneId} form="relative" />
              </>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** The lifetime of sent deliveries, in milliseconds. */
const deliveriesKept = 30 * 24 * 3600_000;

function Deliveries({ alert: { deliveries, facility, createdAt } }: { alert: OpenedAlertFragment }) {
  const alertTexts = useAlertTexts();
  const isForgotten = useNow().getTime() - Date.parse(createdAt) > deliveriesKept;
  const { delivery } = alertTexts;
  return (
    <section className="deliveries">
      <h3>{delivery.title}</h3>
      {deliveries.length === 0 && <p className="hint">{isForgotten ? delivery.forgotten : delivery.none}</p>}
      <ul>
        {deliveries.map(({ id, channel, state, target, sentAt, lastError }) => (
          <li key={id}>
            <span>
              {delivery.channels[channel]}{" "}
              {target && (
                <span className="hint">
                  <StoredText>{target}</StoredText>
                </span>
              )}
            </span>
            <span className="delivery-state" data-state={state}>
              {delivery.states[state]}{" "}
              {sentAt && <Moment instant={sentAt} timeZone={facility.timeZoneId} form="relative" />}
            </span>
            {state !== "SENT" && lastError && <span className="hint">{lastError}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Whether the drawing on a picture is shown, and how to toggle it. A key held down toggles it until released. */
function useDrawingKey(
  isAvailable: boolean,
  title: string,
  label: string,
): [isDrawn: boolean, toggle: () => void] {
  const [isDrawn, setDrawn] = useState(true);
  const toggle = () => setDrawn((present) => !present);
  const isKeyHeld = useRef(false);
  useEffect(() => {
    const release = () => {
      if (isKeyHeld.current) setDrawn((present) => !present);
      isKeyHeld.current = false;
    };
    const releaseKey = (event: KeyboardEvent) => keyIn(event) === "d" && release();
    window.addEventListener("keyup", releaseKey);
    // Another window hears of the key from now on.
    window.addEventListener("blur", release);
    return () => {
      window.removeEventListener("keyup", releaseKey);
      window.removeEventListener("blur", release);
    };
  }, []);
  const press = (isHeld: boolean) => {
    if (isHeld) isKeyHeld.current = true;
    else toggle();
  };
  useShortcuts(title, isAvailable ? [{ keys: "d", label, run: press }] : []);
  return [isDrawn, toggle];
}
