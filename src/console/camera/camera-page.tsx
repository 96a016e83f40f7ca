import "../insight/insight.css";
import "./camera.css";
import { useEffect, useState } from "react";
import { useSubscription } from "urql";
import {
  AlertsRaisedDocument,
  CameraPageDocument,
  type ShownCameraFragment,
  SnoozeCameraDocument,
  StatusOfCamerasDocument,
} from "../../generated/console.js";
import { cameraDraft } from "../administration/facilities/camera-draft.js";
import { QueryResult } from "../data/query-result.js";
import { useRepeatedQuery } from "../data/repeated-query.js";
import { serverTime } from "../data/server-time.js";
import { useThrottled } from "../data/throttled.js";
import { isBeingWritten } from "../form/edit-form.js";
import { useLanguage } from "../language/language.js";
import { StoredText } from "../language/stored-text.js";
import { Link } from "../navigation/link.js";
import { useQuery as useAddress } from "../navigation/location.js";
import { CameraIcon } from "../shell/icons.js";
import { Notice } from "../shell/notice.js";
import { Outcome, type TellOutcome, useOutcome } from "../shell/outcome.js";
import { setPageTitle } from "../shell/page-title.js";
import { part } from "../shell/part.js";
import { ViewBoundary } from "../shell/view-boundary.js";
import { Snooze } from "../snooze/snooze.js";
import { useMay } from "../viewer/viewer.js";
import { CameraAlertPlaces } from "./camera-alert-places.js";
import { CameraAlerts } from "./camera-alerts.js";
import { CameraCondition } from "./camera-condition.js";
import { CameraFacts } from "./camera-facts.js";
import { CameraRuleList } from "./camera-rule-list.js";
import { CameraTimeline } from "./camera-timeline.js";
import { LatestPicture } from "./latest-picture.js";
import { useTexts } from "./texts.js";

const CameraForm = part(async () => (await import("../administration/facilities/camera-form.js")).CameraForm);

/**
 * The time between two reads, in milliseconds: no event tells of a new picture. Shorter
 * while a request of the stream waits for its outcome.
 */
const pollInterval = 60_000;
const waitingInterval = 3_000;
/** How long the outcome of a stream request is waited for, in milliseconds. */
const longestWait = 120_000;
/** The minimum time between two reads, in milliseconds, however much happens. */
const readInterval = 2_000;

/** The page of the camera that the address names. */
export function CameraPage() {
  const id = useAddress().get("camera") ?? "";
  return <PageOfCamera key={id} id={id} />;
}

function PageOfCamera({ id }: { id: string }) {
  const { messages } = useLanguage();
  const [revision, setRevision] = useState(0);
  const readSoon = useThrottled(() => setRevision((last) => last + 1), readInterval);
  const [alertRevision, setAlertRevision] = useState(0);
  const readAlertsSoon = useThrottled(() => setAlertRevision((last) => last + 1), readInterval);
  const [result, readAgain] = useRepeatedQuery({ query: CameraPageDocument, variables: { id } }, revision);
  useSubscription({ query: StatusOfCamerasDocument }, (_previous, event) => {
    if (event.cameraStatusChanged.id === id) readSoon();
    return event;
  });
  const isThere = Boolean(result.data?.camera);
  useSubscription(
    { query: AlertsRaisedDocument, variables: { cameraId: id }, pause: !isThere },
    (_previous, event) => {
      readAlertsSoon();
      return event;
    },
  );
  const isWaiting = result.data?.camera ? isStreamAwaited(result.data.camera) : false;
  useEffect(() => {
    const timer = setInterval(readSoon, isWaiting ? waitingInterval : pollInterval);
    return () => clearInterval(timer);
  }, [readSoon, isWaiting]);
  return (
    <QueryResult result={result} onRetry={readAgain} placeholder={<Placeholder />}>
      {({ camera }) =>
        camera ? (
          <Parts camera={camera} revision={revision} alertRevision={alertRevision} onChange={readSoon} />
        ) : (
          <>
            <h1 className="visually-hidden">{messages.views.camera}</h1>
            <Notice
              icon={<CameraIcon />}
              title={messages.fleet.noCamera}
              actions={<Link to={{ view: "fleet" }}>{messages.notFound.fleet}</Link>}
            >
              {messages.fleet.noCameraText}
            </Notice>
          </>
        )
      }
    </QueryResult>
  );
}

/** Whether the stream was requested just now, and has neither failed nor led to a picture. */
function isStreamAwaited({ streamRequests: { nodes }, pictureAt, feedError }: ShownCameraFragment): boolean {
  const [newest] = nodes;
  if (!newest || serverTime() - Date.parse(newest.createdAt) >= longestWait) return false;
  if (newest.errorMessage !== null || feedError) return false;
  return newest.lastCallbackAt === null || pictureAt === null || pictureAt < newest.createdAt;
}

interface PartsProps {
  camera: ShownCameraFragment;
  revision: number;
  alertRevision: number;
  /** Called after a change, so that everything is read again. */
  onChange: () => void;
}

function Parts({ camera, revision, alertRevision, onChange }: PartsProps) {
  const { messages } = useLanguage();
  const texts = useTexts();
  const { id, name, facility } = camera;
  const mayChange = useMay("cameras:write", facility);
  const maySnooze = useMay("alert-rules:write", facility);
  const [isChanging, setChanging] = useState(
    () => mayChange && isBeingWritten(cameraDraft(facility.id, camera)),
  );
  const [outcome, tell] = useOutcome();
  useEffect(() => {
    setPageTitle(`${name} · ${messages.product}`);
  }, [name, messages]);
  const told: TellOutcome = (message, undo) => {
    tell(
      message,
      undo &&
        (async () => {
          const error = await undo();
          onChange();
          return error;
        }),
    );
    onChange();
  };
  return (
    <div className="camera-page">
      <header className="camera-header">
        <div>
          <p className="hint">
            <Link to={{ view: "fleet" }}>{messages.views.fleet}</Link> ›{" "}
            <Link to={{ view: "fleet", facility: facility.id }}>
              <StoredText>{facility.name}</StoredText>
            </Link>
          </p>
          <h1>
            <StoredText>{name}</StoredText>
          </h1>
        </div>
        {mayChange && (
          <button type="button" onClick={() => setChanging(true)}>
            {texts.edit}
          </button>
        )}
      </header>
      <Snooze
        kind="camera"
        document={SnoozeCameraDocument}
        of={camera}
        name={name}
        timeZone={facility.effectiveTimeZoneId}
        mayChange={maySnooze}
      />
      <CameraCondition camera={camera} onRetried={() => told(texts.retried)} />
      <div className="camera-columns">
        <div className="camera-column">
          <LatestPicture camera={camera} />
          <CameraAlerts id={id} revision={alertRevision} />
          <CameraAlertPlaces id={id} />
        </div>
        <div className="camera-column">
          <CameraFacts camera={camera} />
          <CameraRuleList camera={camera} />
          <CameraTimeline id={id} timeZone={facility.effectiveTimeZoneId} revision={revision} />
        </div>
      </div>
      {isChanging && (
        <ViewBoundary>
          <CameraForm camera={camera} facility={facility} onClose={() => setChanging(false)} onSaved={told} />
        </ViewBoundary>
      )}
      <Outcome>{outcome}</Outcome>
    </div>
  );
}

/** The outline of the coming page, so that nothing jumps. */
function Placeholder() {
  const { messages } = useLanguage();
  return (
    <div className="camera-page" aria-busy="true">
      <h1 className="visually-hidden">{messages.views.camera}</h1>
      <div className="camera-columns">
        <div className="latest-picture placeholder" />
        <div className="insight-panel placeholder" />
      </div>
    </div>
  );
}
