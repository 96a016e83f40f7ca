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
import { SegmentedChoice } from "../form/segmented-choice.js";
import type { TodayPeriod } from "../language/en.js";
import { useFacilityClock, useLanguage, useNow, useStepOfTime } from "../language/language.js";
import { changeQuery, useAddress } from "../navigation/location.js";
import { AcknowledgeIcon } from "../shell/icons.js";
import { part, ViewBoundary } from "../shell/part.js";
import { QuietPlaces } from "../snooze/quiet-places.js";
import { useUser } from "../viewer/user.js";
import { useMayAnywhere } from "../viewer/viewer.js";
import {
  AcknowledgedAlerts,
  Away,
  awayFilter,
  gravestOf,
  LastNight,
  OpenAlerts,
  WorstHour,
} from "./cards.js";
import { alertsOfPeriod, countedAlerts, filtersOf, periodIn } from "./counted-alerts.js";
import { isCut, presentVisit, type Visit } from "./visit.js";

const minute = 60_000;
/** The time between two reads, in milliseconds: no event tells that a facility falls silent, or that a day is over. */
const pollInterval = minute;
/** The minimum time between two reads, in milliseconds, however fast alerts arrive. */
const readInterval = 10_000;

const GraveAlerts = part(() => import("./grave-alerts.js"), "GraveAlerts");

export function TodayView() {
  const { visit, isUser, readUser, failure } = useVisit();
  const name = periodIn(useAddress());
  const since = visit?.since ?? "";
  const [result, reexecute] = useQuery({
    query: TodayDocument,
    variables: { ...filtersOf(alertsOfPeriod(name, since), serverTime()), away: awayFilter },
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
  useMarkSeen(isUser && seesAlerts && name === "visit" ? readAt : undefined);
  return (
    <QueryResult result={{ data, error: error ?? failure }} onRetry={readAgain} placeholder={<Placeholder />}>
      {(today) => (
        <FirstRunOr facilities={today.facilities} cameras={today.cameraStateCounts}>
          {visit && <Today name={name} visit={visit} today={today} readAt={readAt} seesAlerts={seesAlerts} />}
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
  name: TodayPeriod;
  visit: Visit;
  today: TodayQuery;
  /** When it was read. */
  readAt: number | undefined;
  seesAlerts: boolean;
}

function Today({ name, visit, today, readAt, seesAlerts }: TodayProps) {
  const { messages } = useLanguage();
  const shown = { name, period: alertsOfPeriod(name, visit.since) };
  const { openAlertCount } = today.workspace;
  const isNothingAway =
    today.facilities.every((facility) => !isAway(facility)) &&
    countIn(statesOfConcern, today.cameraStateCounts) === 0;
  const isSomethingSnoozed =
    today.snoozed.totalCount > 0 || today.facilities.some(({ snoozedUntil }) => snoozedUntil);
  const severities = gravestOf(today.openBySeverity);
  const clock = useFacilityClock(today.facilities.map(({ timeZoneId }) => timeZoneId));
  if (!seesAlerts)
    return (
      <div className="today">
        <Away places={today} />
      </div>
    );
  return (
    <>
      <Lead name={name} visit={visit} />
      <SegmentedChoice
        label={messages.today.period.label}
        options={messages.today.period.names}
        value={name}
        onChoose={(chosen) => changeQuery({ period: chosen === "visit" ? undefined : chosen })}
      />
      {isSomethingSnoozed && <QuietPlaces facilityIds={[]} cameraIds={[]} />}
      {openAlertCount === 0 && isNothingAway && today.cameraStateCounts.length > 0 && (
        <p className="nothing-to-do">
          <AcknowledgeIcon />
          <span>
            <strong>{messages.today.nothing}</strong> {messages.today.nothingText}
          </span>
        </p>
      )}
      {severities.length > 0 && readAt !== undefined && (
        <ViewBoundary>
          <GraveAlerts selection={{ ...countedAlerts(shown.period).open, severities }} readAt={readAt} />
        </ViewBoundary>
      )}
      <div className="today">
        <div>
          <OpenAlerts {...shown} inAll={openAlertCount} bySeverity={today.openBySeverity} />
          <LastNight
            alerts={today.lastNight.totalCount}
            before={today.nightsBefore.totalCount}
            clock={clock.words}
          />
          <WorstHour {...shown} hours={today.raisedByHour} clock={clock.words} />
        </div>
        <div>
          <Away places={today} />
          <AcknowledgedAlerts {...shown} {...today.acknowledged} />
        </div>
      </div>
    </>
  );
}

function Lead({ name, visit }: Pick<TodayProps, "name" | "visit">) {
  const { messages, formats } = useLanguage();
  const now = useNow();
  const { lead } = messages.today;
  const moment = (instant: string) => formats.moment(instant);
  const { since, seenAt } = visit;
  const words =
    name !== "visit"
      ? lead.chosen(name)
      : seenAt === null
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

/** For how long somebody has to look until what is shown counts as seen, in milliseconds: a glance is no visit. */
const lookedAt = 60_000;
/** The same for those who then go on to another view, as to the alerts that are open. */
const lookedAtBeforeGoingOn = 10_000;

/**
 * Tells the gateway up to when the viewer has seen what happened, once the tab was visible for a minute in all, or the
 * viewer went on from it to another view. `readAt` is the gateway's time at the latest read of what is shown; undefined
 * until there is any, and for viewers of whom nothing is kept.
 */
function useMarkSeen(readAt: number | undefined) {
  const [, markSeen] = useMutation(MarkSeenDocument);
  const latest = useRef(readAt);
  latest.current = readAt;
  const isShown = readAt !== undefined;
  useEffect(() => {
    if (!isShown) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let looked = 0;
    let beganAt: number | undefined;
    let isMarked = false;
    const mark = () => {
      if (isMarked || beganAt === undefined) return;
      isMarked = true;
      // Without a connection, what is shown is older than the look at it.
      const at = new Date(Math.min(beganAt, latest.current ?? beganAt)).toISOString();
      // If it fails, the next visit shows the same again.
      void markSeen({ at });
    };
    const stop = () => {
      clearTimeout(timer);
      if (beganAt !== undefined) looked += serverTime() - beganAt;
    };
    const change = () => {
      stop();
      beganAt = document.visibilityState === "visible" ? serverTime() : undefined;
      if (beganAt !== undefined) timer = setTimeout(mark, lookedAt - looked);
    };
    change();
    document.addEventListener("visibilitychange", change);
    return () => {
      document.removeEventListener("visibilitychange", change);
      stop();
      if (looked >= lookedAtBeforeGoingOn) mark();
    };
  }, [isShown, markSeen]);
}
