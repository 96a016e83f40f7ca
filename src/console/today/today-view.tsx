import "./today.css";
import { useEffect, useMemo, useState } from "react";
import { useQuery, useSubscription } from "urql";
import {
  StatusOfCamerasDocument,
  TodayAlertChangedDocument,
  TodayAlertRaisedDocument,
  TodayAlertsDocument,
  type TodayAlertsQuery,
  TodayPlacesDocument,
  type TodayPlacesQuery,
  ViewerNameDocument,
} from "../../generated/console.js";
import { failureKindOf } from "../data/failure.js";
import { QueryResult } from "../data/query-result.js";
import { serverTime } from "../data/server-time.js";
import { useThrottled } from "../data/throttled.js";
import { useIsFirstRun } from "../first-run/progress.js";
import { countIn, statesOfConcern } from "../fleet/camera-states.js";
import { useLanguage } from "../language/language.js";
import { useNow, useStepOfTime } from "../language/now.js";
import { readersTimeZone } from "../language/time-zones.js";
import { useSession } from "../session/session.js";
import { AcknowledgeIcon, FleetIcon } from "../shell/icons.js";
import { Notice } from "../shell/notice.js";
import { part } from "../shell/part.js";
import { useMay } from "../viewer/viewer.js";
import { AcknowledgedAlerts } from "./acknowledged-alerts.js";
import { Away, awayFilter } from "./away.js";
import { filtersSince } from "./counted-alerts.js";
import { LastNight } from "./last-night.js";
import { OpenAlerts } from "./open-alerts.js";
import { useMarkSeen } from "./seen.js";
import { isCut, presentVisit, type Visit } from "./visit.js";
import { WorstHour } from "./worst-hour.js";

const FirstRun = part(async () => (await import("../first-run/first-run.js")).FirstRun);

const minute = 60_000;
/**
 * The time between two reads, in milliseconds. No event reports that a facility falls
 * silent, or that a day is over.
 */
const pollInterval = minute;
/** The minimum time between two reads, in milliseconds, however fast alerts arrive. */
const readInterval = 10_000;

/** What happened since the viewer was last here, and what needs somebody. */
export function TodayView() {
  const { messages } = useLanguage();
  const [places, readPlaces] = useQuery({
    query: TodayPlacesDocument,
    variables: { away: awayFilter },
  });
  const { visit, isUser, readUser, failure } = useVisit();
  const [alerts, readAlerts] = useQuery({
    query: TodayAlertsDocument,
    variables: useMemo(() => filtersSince(visit?.since ?? ""), [visit?.since]),
    pause: !visit,
  });
  const again = { requestPolicy: "network-only" } as const;
  const readAgain = () => {
    readPlaces(again);
    if (visit) readAlerts(again);
    else readUser(again);
  };
  useReadsWhileVisible(readAgain);
  const isRead = alerts.data !== undefined && !alerts.stale && !alerts.error;
  const [readAt, setReadAt] = useState<number>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer is news.
  useEffect(() => {
    if (isRead) setReadAt(serverTime());
  }, [isRead, alerts.data]);
  useMarkSeen(isUser ? readAt : undefined);
  const mayAdd = useMay("facilities:write");
  const isFirstRun = useIsFirstRun();
  // Whoever may not read alerts still sees what is away.
  const error = failure ?? alerts.error;
  const seesAlerts = !error || failureKindOf(error) !== "forbidden";
  return (
    <QueryResult result={places} onRetry={readAgain} placeholder={<Placeholder />}>
      {(data) => (
        <>
          {mayAdd && (isFirstRun || data.facilities.length === 0) && <FirstRun />}
          {data.facilities.length > 0 && !seesAlerts && (
            <div className="today">
              <Away places={data} />
            </div>
          )}
          {data.facilities.length > 0 && seesAlerts && (
            <QueryResult
              result={{ data: alerts.data, error }}
              onRetry={readAgain}
              placeholder={<Placeholder />}
            >
              {(counts) => visit && <Today visit={visit} places={data} alerts={counts} />}
            </QueryResult>
          )}
          {data.facilities.length === 0 && !mayAdd && (
            <Notice icon={<FleetIcon />} title={messages.fleet.nothingVisible}>
              {messages.fleet.nothingVisibleText}
            </Notice>
          )}
        </>
      )}
    </QueryResult>
  );
}

/** The present visit; undefined until it is known since when the viewer was away. */
function useVisit() {
  const session = useSession();
  const isUser = session.status === "signed in" && session.credentials.kind === "token";
  const [{ data, error }, readUser] = useQuery({ query: ViewerNameDocument, pause: !isUser });
  const [visit, setVisit] = useState<Visit>();
  const user = data?.me;
  const isKnown = !isUser || user !== undefined;
  const step = useStepOfTime(minute);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each minute, a visit may end.
  useEffect(() => {
    if (!isKnown) return;
    const present = presentVisit(isUser ? user : undefined, serverTime());
    setVisit((last) => (last?.since === present.since ? last : present));
  }, [isKnown, user?.id, step]);
  return { visit, isUser, readUser, failure: user ? undefined : error };
}

/** Reads again after events and each minute, but only what somebody may look at. */
function useReadsWhileVisible(readAgain: () => void): void {
  const readSoon = useThrottled(() => {
    if (document.visibilityState === "visible") readAgain();
  }, readInterval);
  const follow = <Event,>(_previous: unknown, event: Event) => {
    readSoon();
    return event;
  };
  useSubscription({ query: TodayAlertRaisedDocument }, follow);
  useSubscription({ query: TodayAlertChangedDocument }, follow);
  useSubscription({ query: StatusOfCamerasDocument }, follow);
  useEffect(() => {
    const timer = setInterval(readSoon, pollInterval);
    document.addEventListener("visibilitychange", readSoon);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", readSoon);
    };
  }, [readSoon]);
}

interface TodayProps {
  visit: Visit;
  places: TodayPlacesQuery;
  alerts: TodayAlertsQuery;
}

function Today({ visit, places, alerts }: TodayProps) {
  const { today } = useLanguage().messages;
  const { since } = visit;
  const isNothingOpen = alerts.workspace.openAlertCount === 0;
  const isNothingAway =
    places.facilities.every(({ online }) => online) &&
    countIn(statesOfConcern, places.cameraStateCounts) === 0;
  return (
    <>
      <Lead visit={visit} />
      {isNothingOpen && isNothingAway && (
        <p className="nothing-to-do">
          <AcknowledgeIcon />
          <span>
            <strong>{today.nothing}</strong> {today.nothingText}
          </span>
        </p>
      )}
      <div className="today">
        <OpenAlerts
          since={since}
          inAll={alerts.workspace.openAlertCount}
          bySeverity={alerts.openBySeverity}
        />
        <LastNight
          since={since}
          alerts={alerts.lastNight.totalCount}
          before={alerts.nightsBefore.totalCount}
        />
        <WorstHour since={since} hours={alerts.raisedByHour} />
        <Away places={places} />
        <AcknowledgedAlerts since={since} {...alerts.acknowledged} />
      </div>
    </>
  );
}

/** The sentence that says what this is. */
function Lead({ visit }: { visit: Visit }) {
  const { messages, formats } = useLanguage();
  const now = useNow();
  const { lead } = messages.today;
  const moment = (instant: string) => formats.moment(instant, readersTimeZone);
  const { since, seenAt } = visit;
  const words =
    seenAt === null
      ? lead.first(moment(since))
      : isCut(visit)
        ? lead.cut(moment(seenAt), moment(since))
        : lead.since(moment(since), formats.relative(since, now));
  return <p className="today-lead">{words}</p>;
}

/** The outline of the coming view, so that nothing jumps. */
function Placeholder() {
  return (
    <div className="today" aria-busy="true">
      {[1, 2, 3, 4].map((each) => (
        <div key={each} className="today-card placeholder" />
      ))}
    </div>
  );
}
