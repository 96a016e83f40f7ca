import "./today.css";
import { useEffect, useRef, useState } from "react";
import { useMutation, useQuery, useSubscription } from "urql";
import {
  ChangedAlertDocument,
  MarkSeenDocument,
  NewAlertDocument,
  StatusOfCamerasDocument,
  TodayDocument,
  type TodayQuery,
} from "../../generated/console.js";
import { QueryResult } from "../data/query.js";
import { serverTime } from "../data/server-time.js";
import { useThrottled } from "../data/throttled.js";
import { FirstRunOr } from "../first-run/first-run-or.js";
import { countIn, isAway, statesOfConcern } from "../fleet/camera-states.js";
import { useLanguage, useNow, useStepOfTime } from "../language/language.js";
import { AcknowledgeIcon } from "../shell/icons.js";
import { useUser } from "../viewer/user.js";
import { useMayAnywhere } from "../viewer/viewer.js";
import { AcknowledgedAlerts, Away, awayFilter, LastNight, OpenAlerts, WorstHour } from "./cards.js";
import { filtersSince } from "./counted-alerts.js";
import { isCut, presentVisit, type Visit } from "./visit.js";

const minute = 60_000;
/** The time between two reads, in milliseconds: no event tells that a facility falls silent, or that a day is over. */
const pollInterval = minute;
/** The minimum time between two reads, in milliseconds, however fast alerts arrive. */
const readInterval = 10_000;

export function TodayView() {
  const { visit, isUser, readUser, failure } = useVisit();
  const [result, reexecute] = useQuery({
    query: TodayDocument,
    variables: { ...filtersSince(visit?.since ?? ""), away: awayFilter },
    pause: !visit,
  });
  const readAgain = () => (visit ? reexecute : readUser)({ requestPolicy: "network-only" });
  useReadsWhileVisible(readAgain);
  const { data, stale, error } = result;
  const seesAlerts = useMayAnywhere("alerts:read", data?.facilities ?? []);
  const [readAt, setReadAt] = useState<number>();
  useEffect(() => {
    if (data && !stale && !error) setReadAt(serverTime());
  }, [data, stale, error]);
  useMarkSeen(isUser && seesAlerts ? readAt : undefined);
  return (
    <QueryResult result={{ data, error: error ?? failure }} onRetry={readAgain} placeholder={<Placeholder />}>
      {(today) => (
        <FirstRunOr facilities={today.facilities}>
          {visit && <Today visit={visit} today={today} seesAlerts={seesAlerts} />}
        </FirstRunOr>
      )}
    </QueryResult>
  );
}

/** The present visit; undefined until it is known since when the viewer was away. */
function useVisit() {
  const { isUser, user, error, readUser } = useUser();
  const [visit, setVisit] = useState<Visit>();
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
function useReadsWhileVisible(readAgain: () => void) {
  const readSoon = useThrottled(() => {
    if (document.visibilityState === "visible") readAgain();
  }, readInterval);
  const follow = <Event,>(_previous: unknown, event: Event) => {
    readSoon();
    return event;
  };
  useSubscription({ query: NewAlertDocument }, follow);
  useSubscription({ query: ChangedAlertDocument }, follow);
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
  today: TodayQuery;
  seesAlerts: boolean;
}

function Today({ visit, today, seesAlerts }: TodayProps) {
  const { messages } = useLanguage();
  const { since } = visit;
  const { openAlertCount } = today.workspace;
  const isNothingAway =
    today.facilities.every((facility) => !isAway(facility)) &&
    countIn(statesOfConcern, today.cameraStateCounts) === 0;
  if (!seesAlerts)
    return (
      <div className="today">
        <Away places={today} />
      </div>
    );
  return (
    <>
      <Lead visit={visit} />
      {openAlertCount === 0 && isNothingAway && (
        <p className="nothing-to-do">
          <AcknowledgeIcon />
          <span>
            <strong>{messages.today.nothing}</strong> {messages.today.nothingText}
          </span>
        </p>
      )}
      <div className="today">
        <OpenAlerts since={since} inAll={openAlertCount} bySeverity={today.openBySeverity} />
        <LastNight since={since} alerts={today.lastNight.totalCount} before={today.nightsBefore.totalCount} />
        <WorstHour since={since} hours={today.raisedByHour} />
        <Away places={today} />
        <AcknowledgedAlerts since={since} {...today.acknowledged} />
      </div>
    </>
  );
}

function Lead({ visit }: { visit: Visit }) {
  const { messages, formats } = useLanguage();
  const now = useNow();
  const { lead } = messages.today;
  const moment = (instant: string) => formats.moment(instant);
  const { since, seenAt } = visit;
  const words =
    seenAt === null
      ? lead.first(moment(since))
      : isCut(visit)
        ? lead.cut(moment(seenAt), moment(since))
        : lead.since(moment(since), formats.relative(since, now));
  return <p className="today-lead">{words}</p>;
}

function Placeholder() {
  return (
    <div className="today" aria-busy="true">
      {[1, 2, 3, 4].map((each) => (
        <div key={each} className="today-card placeholder" />
      ))}
    </div>
  );
}

/** The time after which what is shown counts as seen, in milliseconds. */
const lookedAt = 10_000;

/**
 * Tells the gateway up to when the viewer has seen what happened, once the tab was visible for ten seconds on end.
 * `readAt` is the gateway's time at the latest read of what is shown; undefined until there is any, and for viewers of
 * whom nothing is kept.
 */
function useMarkSeen(readAt: number | undefined) {
  const [, markSeen] = useMutation(MarkSeenDocument);
  const latest = useRef(readAt);
  latest.current = readAt;
  const isShown = readAt !== undefined;
  useEffect(() => {
    if (!isShown) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = () => {
      clearTimeout(timer);
      if (document.visibilityState !== "visible") return;
      const beganAt = serverTime();
      timer = setTimeout(() => {
        // Without a connection, what is shown is older than the look at it.
        const at = new Date(Math.min(beganAt, latest.current ?? beganAt)).toISOString();
        // If it fails, the next visit shows the same again.
        void markSeen({ at });
      }, lookedAt);
    };
    begin();
    document.addEventListener("visibilitychange", begin);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", begin);
    };
  }, [isShown, markSeen]);
}
