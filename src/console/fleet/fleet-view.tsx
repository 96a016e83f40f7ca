import "./fleet.css";
import { useEffect, useMemo, useRef } from "react";
import { useQuery, useSubscription } from "urql";
import {
  FleetAlertsDocument,
  FleetFacilitiesDocument,
  type FleetFacilitiesQuery,
  StatusOfCamerasDocument,
} from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { QueryResult } from "../data/query-result.js";
import { useIsFirstRun } from "../first-run/progress.js";
import { useShortcuts } from "../keyboard/shortcuts.js";
import { useLanguage } from "../language/language.js";
import { StoredText } from "../language/stored-text.js";
import { changeQuery, useQuery as useAddress } from "../navigation/location.js";
import { FleetIcon } from "../shell/icons.js";
import { Notice } from "../shell/notice.js";
import { part } from "../shell/part.js";
import { SearchField } from "../shell/search-field.js";
import { useMay } from "../viewer/viewer.js";
import { CameraGrid } from "./camera-grid.js";
import { countedDays } from "./daily-counts.js";
import { FacilityCards } from "./facility-cards.js";
import { type FleetFilter, fleetFilterOf } from "./fleet-filter.js";

const FirstRun = part(async () => (await import("../first-run/first-run.js")).FirstRun);

/**
 * The time between two reads, in milliseconds. No event reports that a facility falls
 * silent.
 */
const pollInterval = 60_000;
/**
 * The minimum time between two counts of alerts, in milliseconds, however fast alerts
 * arrive.
 */
const countInterval = 5_000;

/** All facilities and cameras, with their problems. */
export function FleetView() {
  const { messages } = useLanguage();
  const filter = fleetFilterOf(useAddress());
  const [result, reexecute] = useQuery({
    query: FleetFacilitiesDocument,
    variables: { counted: countedDays },
  });
  const readAgain = () => reexecute({ requestPolicy: "network-only" });
  const readSoon = useThrottled(readAgain, countInterval);
  useSubscription({ query: FleetAlertsDocument }, (_previous, event) => {
    readSoon();
    return event;
  });
  useSubscription({ query: StatusOfCamerasDocument }, (_previous, event) => {
    readSoon();
    return event;
  });
  useEffect(() => {
    const timer = setInterval(readSoon, pollInterval);
    return () => clearInterval(timer);
  }, [readSoon]);
  const mayAdd = useMay("facilities:write");
  const isFirstRun = useIsFirstRun();
  const search = useRef<HTMLInputElement>(null);
  const toggleNotOperational = () =>
    changeQuery({ operational: filter.isNotOperational ? undefined : "false" });
  useShortcuts(messages.views.fleet, [
    { keys: "/", label: messages.fleet.keySearch, run: () => search.current?.focus() },
    { keys: "x", label: messages.fleet.keyNotOperational, run: toggleNotOperational },
  ]);
  return (
    <QueryResult result={result} onRetry={readAgain} placeholder={<FleetPlaceholder />}>
      {({ facilities, notOperational }) => (
        <>
          {mayAdd && (isFirstRun || facilities.length === 0) && <FirstRun />}
          {facilities.length > 0 && (
            <div className="fleet">
              <FacilityCards facilities={facilities} selected={filter.facilityIds} />
              <FleetToolbar
                facilities={facilities}
                filter={filter}
                notOperationalCount={notOperational.totalCount}
                onToggleNotOperational={toggleNotOperational}
                search={search}
              />
              <CameraGrid filter={filter} />
            </div>
          )}
          {facilities.length === 0 && !mayAdd && (
            <Notice icon={<FleetIcon />} title={messages.fleet.nothingVisible}>
              {messages.fleet.nothingVisibleText}
            </Notice>
          )}
        </>
      )}
    </QueryResult>
  );
}

interface FleetToolbarProps {
  facilities: FleetFacilitiesQuery["facilities"];
  filter: FleetFilter;
  notOperationalCount: number;
  onToggleNotOperational: () => void;
  search: React.RefObject<HTMLInputElement | null>;
}

function FleetToolbar({
  facilities,
  filter,
  notOperationalCount,
  onToggleNotOperational,
  search,
}: FleetToolbarProps) {
  const { messages, formats } = useLanguage();
  const chosen = facilities.filter(({ id }) => filter.facilityIds.includes(id));
  return (
    <div className="fleet-toolbar">
      <h2>{messages.fleet.cameras}</h2>
      <SearchField
        ref={search}
        label={messages.fleet.search}
        value={filter.text}
        onChange={(text) => changeQuery({ text }, { replace: true })}
      />
      <button type="button" aria-pressed={filter.isNotOperational} onClick={onToggleNotOperational}>
        {messages.fleet.notOperational}
        <span className="badge" data-alarming={notOperationalCount > 0}>
          {formats.number(notOperationalCount)}
        </span>
      </button>
      {chosen.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          className="chip"
          aria-label={`${messages.common.clear}: ${isolated(name)}`}
          onClick={() => changeQuery({ facility: filter.facilityIds.filter((each) => each !== id) })}
        >
          <StoredText>{name}</StoredText> <span aria-hidden="true">×</span>
        </button>
      ))}
    </div>
  );
}

/** The outline of the coming view, so that nothing jumps. */
function FleetPlaceholder() {
  return (
    <div className="fleet" aria-busy="true">
      <div className="facility-cards">
        {[1, 2, 3, 4].map((each) => (
          <div key={each} className="facility-card placeholder" />
        ))}
      </div>
    </div>
  );
}

/** Runs a function at most once per interval, and once after the last request. */
function useThrottled(run: () => void, interval: number): () => void {
  const latest = useRef(run);
  latest.current = run;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // Use the monotonic clock: the time of day may be set back.
  const lastRun = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useMemo(
    () => () => {
      if (timer.current !== undefined) return;
      timer.current = setTimeout(
        () => {
          timer.current = undefined;
          lastRun.current = performance.now();
          latest.current();
        },
        Math.max(0, lastRun.current + interval - performance.now()),
      );
    },
    [interval],
  );
}
