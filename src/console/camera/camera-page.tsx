import "../insight/insight.css";
import "./camera.css";
import { useEffect, useState } from "react";
import { useSubscription } from "urql";
import {
  AlertsRaisedDocument,
  CameraAlertsDocument,
  CameraPageDocument,
  type ShownCameraFragment,
  SnoozeCameraDocument,
  StatusOfCamerasDocument,
} from "../../generated/console.js";
import { cameraDraft } from "../administration/facilities/camera-draft.js";
import { addressOfAlerts, alertFilterOf, quarter } from "../alerts/filter/alert-filter.js";
import { AlertTile } from "../alerts/list/alert-tile.js";
import { WhomToCall } from "../contacts/whom-to-call.js";
import { Query, QueryResult, useRepeatedQuery } from "../data/query.js";
import { serverTime } from "../data/server-time.js";
import { useInterval, useThrottled } from "../data/throttled.js";
import { isBeingWritten } from "../form/edit-form.js";
import { CameraHeatmap } from "../insight/camera-heatmap.js";
import { Panel } from "../insight/panel.js";
import { Moment, StoredText, useLanguage, useMessages, useStepOfTime } from "../language/language.js";
import { keptPeriodFor } from "../navigation/kept-period.js";
import { Link, useAddress } from "../navigation/location.js";
import { FramesInVain, RuleEvaluation } from "../rules/evaluation/evaluation.js";
import { useRuleSentence } from "../rules/use-rule-sentence.js";
import { Fact } from "../shell/fact.js";
import { Notice, type TellOutcome, useOutcome } from "../shell/notice/notice.js";
import { setPageTitle } from "../shell/page-title.js";
import { part, ViewBoundary } from "../shell/part.js";
import { CameraIcon } from "../shell/view-icons.js";
import { Snooze, SnoozedUntil } from "../snooze/snooze.js";
import { useMay } from "../viewer/viewer.js";
import { CameraCondition } from "./camera-condition.js";
import { CameraTimeline } from "./camera-timeline.js";
import { LatestPicture } from "./latest-picture.js";
import { useTexts } from "./texts.js";

const CameraDeletion = part(() => import("../administration/audit/audit-log.js"), "CameraDeletion");
const CameraForm = part(() => import("../administration/facilities/camera-form.js"), "CameraForm");

/** The time between reads, in milliseconds: no event tells of a new picture. Shorter while a stream is awaited. */
const pollInterval = 60_000;
const waitingInterval = 3_000;
/** How long the outcome of a stream request is waited for, in milliseconds. */
const longestWait = 120_000;
/** The minimum time between two reads, in milliseconds, however much happens. */
const readInterval = 2_000;

export function CameraPage() {
  const id = useAddress().get("camera") ?? "";
  return <PageOfCamera key={id} id={id} />;
}

function PageOfCamera({ id }: { id: string }) {
  const messages = useMessages();
  const texts = useTexts();
  const [revision, setRevision] = useState(0);
  const readSoon = useThrottled(() => setRevision((last) => last + 1), readInterval);
  const [alertRevision, setAlertRevision] = useState(0);
  const readAlertsSoon = useThrottled(() => setAlertRevision((last) => last + 1), readInterval);
  const [result, readAgain] = useRepeatedQuery({ query: CameraPageDocument, variables: { id } }, revision);
  useSubscription({ query: StatusOfCamerasDocument }, (_previous, event) => {
    if (event.cameraStatusChanged.id === id) readSoon();
    return event;
  });
  const seesDeletions = useMay("users:read");
  const isThere = Boolean(result.data?.camera);
  useSubscription(
    { query: AlertsRaisedDocument, variables: { cameraId: id }, pause: !isThere },
    (_previous, event) => {
      readAlertsSoon();
      return event;
    },
  );
  const isWaiting = result.data?.camera ? isStreamAwaited(result.data.camera) : false;
  useInterval(readSoon, isWaiting ? waitingInterval : pollInterval);
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
              title={texts.noCamera}
              actions={<Link to={{ view: "fleet" }}>{messages.notFound.fleet}</Link>}
            >
              {texts.noCameraText}
            </Notice>
            {seesDeletions && (
              <ViewBoundary>
                <CameraDeletion id={id} />
              </ViewBoundary>
            )}
          </>
        )
      }
    </QueryResult>
  );
}

/** Whether the stream was requested just now, and has neither failed nor led to a picture. */
function isStreamAwaited({ streamRequests: { nodes }, pictureAt, feedError }: ShownCameraFragment) {
  const [newest] = nodes;
  if (!newest || serverTime() - Date.parse(newest.createdAt) >= longestWait) return false;
  if (newest.errorMessage !== null || feedError) return false;
  return newest.lastCallbackAt === null || pictureAt === null || pictureAt < newest.createdAt;
}

interface PartsProps {
  camera: ShownCameraFragment;
  revision: number;
  alertRevision: number;
  onChange: () => void;
}

function Parts({ camera, revision, alertRevision, onChange }: PartsProps) {
  const messages = useMessages();
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
    tell(message, undo && (() => undo().finally(onChange)));
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
      <SnoozedUntil of={facility} whose="facility" timeZone={facility.effectiveTimeZoneId} />
      <CameraCondition camera={camera} onRetried={() => told(texts.retried)} />
      <div className="camera-columns">
        <div className="camera-column">
          <LatestPicture camera={camera} />
          <CameraAlerts id={id} revision={alertRevision} />
          <CameraAlertHeatmap id={id} />
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
      {outcome}
    </div>
  );
}

function Placeholder() {
  const messages = useMessages();
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

/** The newest alerts of a camera. `revision` changes whenever they are to be read again. */
function CameraAlerts({ id, revision }: { id: string; revision: number }) {
  const texts = useTexts();
  return (
    <section className="insight-panel" aria-labelledby="camera-alerts">
      <Query query={CameraAlertsDocument} variables={{ id }} readAt={revision}>
        {({ camera }) =>
          camera && (
            <>
              <header>
                <h2 id="camera-alerts">{texts.alerts}</h2>
                <Link to={addressOfAlerts({ cameraIds: [id], open: true })}>
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

/** Where in the picture the alerts of the last month lie. */
function CameraAlertHeatmap({ id }: { id: string }) {
  const texts = useTexts();
  const until = useStepOfTime(quarter);
  const filter = alertFilterOf({ cameraIds: [id], period: "30d" }, new Date(until));
  return (
    <Panel
      id="camera-alert-places"
      title={texts.heatmap}
      beside={<Link to={{ view: "insight", ...keptPeriodFor("insight"), camera: id }}>{texts.insight}</Link>}
    >
      <p className="hint">{texts.heatmapPeriod}</p>
      <CameraHeatmap cameraId={id} filter={filter} />
    </Panel>
  );
}

/** The host and port of a stream: any other part of its URL may be a secret, and others may see the screen. */
const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : "");

function CameraFacts({ camera }: { camera: ShownCameraFragment }) {
  const { formats } = useLanguage();
  const texts = useTexts();
  const { url, streamProtocol, imageDimensions: size, createdAt, facility } = camera;
  return (
    <Panel id="camera-facts" title={texts.facts}>
      <dl className="facts">
        <Fact label={texts.url}>
          {url === null ? (
            texts.uploads
          ) : (
            <>
              {streamProtocol && `${streamProtocol} · `}
              <StoredText>{hostOf(url)}</StoredText>
            </>
          )}
        </Fact>
        {size && (
          <Fact label={texts.size}>
            {formats.number(size.width)} × {formats.number(size.height)}
          </Fact>
        )}
        <Fact label={texts.added}>
          <Moment instant={createdAt} timeZone={facility.effectiveTimeZoneId} />
        </Fact>
      </dl>
      <WhomToCall camera={camera} />
    </Panel>
  );
}

function CameraRuleList({ camera }: { camera: ShownCameraFragment }) {
  const { id, alertRules, facility } = camera;
  const mayChange = useMay("alert-rules:write", facility);
  const { words } = useLanguage();
  const texts = useTexts();
  const sentenceOf = useRuleSentence();
  return (
    <Panel id="camera-rules" title={texts.rules}>
      <FramesInVain camera={camera} />
      {alertRules.length === 0 && <p className="hint">{texts.noRules}</p>}
      <ul className="camera-rule-list">
        {alertRules.map(({ name, severity, status, observation, group, ...rule }) => (
          <li key={rule.id}>
            <p>
              <strong>
                <StoredText>{words.alertType(name)}</StoredText>
              </strong>
              <span className="severity" data-severity={severity}>
                <StoredText>{words.severity(severity)}</StoredText>
              </span>
            </p>
            <p className="hint">{sentenceOf(group)}</p>
            {(observation || status !== "ACTIVE") && (
              <p className="hint">{status === "ACTIVE" ? texts.observation : texts.inactive}</p>
            )}
            <RuleEvaluation camera={camera} ruleId={rule.id} />
            <SnoozedUntil of={rule} timeZone={facility.effectiveTimeZoneId} />
          </li>
        ))}
      </ul>
      <p>
        {mayChange && (
          <>
            <Link to={{ view: "rules", camera: id, rule: "new" }}>{texts.addRule}</Link> ·{" "}
          </>
        )}
        <Link to={{ view: "rules", camera: id }}>{texts.changeRules}</Link>
      </p>
    </Panel>
  );
}
