import "./fleet.css";
import { useEffect, useRef, useState } from "react";
import { useQuery, useSubscription } from "urql";
import {
  FleetAlertsDocument,
  FleetFacilitiesDocument,
  type FleetFacilityFragment,
  FleetStatesDocument,
  type StateCountFragment,
  StatusOfCamerasDocument,
} from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { QueryResult, useRepeatedQuery } from "../data/query.js";
import { useThrottled } from "../data/throttled.js";
import { useIsFirstRun } from "../first-run/progress.js";
import { useShortcuts } from "../keyboard/shortcuts.js";
import { StoredText, useLanguage } from "../language/language.js";
import { changeQuery, useAddress } from "../navigation/location.js";
import { FleetIcon } from "../shell/icons.js";
import { Notice } from "../shell/notice.js";
import { part } from "../shell/part.js";
import { SearchField } from "../shell/search-field.js";
import { useMay } from "../viewer/viewer.js";
import { CameraGrid, TilePlaceholders } from "./camera-grid.js";
import { cameraStates, countIn, statesOfConcern, toneOf } from "./camera-states.js";
import { countedDays } from "./daily-counts.js";
import { FacilityCards } from "./facility-cards.js";
import { type FleetFilter, fleetFilterOf, placeFilterOf } from "./fleet-filter.js";
import { useTexts } from "./texts.js";

const FirstRun = part(async () => (await import("../first-run/first-run.js")).FirstRun);

/**
 * The time between two reads, in milliseconds. No event reports that a facility falls
 * silent, or that a picture is old.
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
  const texts = useTexts();
  const filter = fleetFilterOf(useAddress());
  const [result, reexecute] = useQuery({
    query: FleetFacilitiesDocument,
    variables: { counted: countedDays },
  });
  const readAgain = () => reexecute({ requestPolicy: "network-only" });
  const readSoon = useThrottled(readAgain, countInterval);
  const [revision, setRevision] = useState(0);
  const readStatesSoon = useThrottled(() => setRevision((last) => last + 1), countInterval);
  const place = placeFilterOf(filter);
  const [states, readStates] = useRepeatedQuery(
    { query: FleetStatesDocument, variables: { filter: place } },
    revision,
  );
  useSubscription({ query: FleetAlertsDocument }, (_previous, event) => {
    readSoon();
    return event;
  });
  useSubscription({ query: StatusOfCamerasDocument }, (_previous, event) => {
    readSoon();
    readStatesSoon();
    return event;
  });
  useEffect(() => {
    const timer = setInterval(() => {
      readSoon();
      readStatesSoon();
    }, pollInterval);
    return () => clearInterval(timer);
  }, [readSoon, readStatesSoon]);
  // A facility that is online again brings its cameras back.
  const online = result.data?.facilities
    .filter((facility) => facility.online)
    .map(({ id }) => id)
    .join();
  const lastOnline = useRef(online);
  useEffect(() => {
    if (lastOnline.current !== undefined && online !== lastOnline.current) {
      readSoon();
      readStatesSoon();
    }
    lastOnline.current = online;
  }, [online, readSoon, readStatesSoon]);
  const mayAdd = useMay("facilities:write");
  const isFirstRun = useIsFirstRun();
  const search = useRef<HTMLInputElement>(null);
  const toggleConcern = () =>
    changeQuery({ state: undefined, operational: filter.isOfConcern ? undefined : "false" });
  useShortcuts(messages.views.fleet, [
    { keys: "/", label: messages.fleet.keySearch, run: () => search.current?.focus() },
    { keys: "x", label: texts.keyConcern, run: toggleConcern },
  ]);
  return (
    <QueryResult
      result={result}
      onRetry={() => {
        readAgain();
        readStates();
      }}
      placeholder={<FleetPlaceholder />}
    >
      {({ facilities, cameraStateCounts }) => (
        <>
          {mayAdd && (isFirstRun || facilities.length === 0) && <FirstRun />}
          {facilities.length > 0 && (
            <div className="fleet">
              <FacilityCards
                facilities={facilities}
                counts={cameraStateCounts}
                selected={filter.facilityIds}
              />
              <FleetToolbar facilities={facilities} filter={filter} search={search} />
              <StateFilter
                filter={filter}
                counts={states.data?.cameraStateCounts ?? []}
                onToggleConcern={toggleConcern}
              />
              <QueryResult result={states} onRetry={readStates} placeholder={<TilePlaceholders />}>
                {({ cameraStateCounts }) => (
                  <CameraGrid filter={filter} counts={cameraStateCounts} revision={revision} />
                )}
              </QueryResult>
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
  facilities: readonly FleetFacilityFragment[];
  filter: FleetFilter;
  search: React.RefObject<HTMLInputElement | null>;
}

function FleetToolbar({ facilities, filter, search }: FleetToolbarProps) {
  const { messages } = useLanguage();
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

interface StateFilterProps {
  filter: FleetFilter;
  /** The numbers of the cameras that match the rest of the filter. */
  counts: readonly StateCountFragment[];
  onToggleConcern: () => void;
}

/**
 * Chooses the cameras by their states, each with the number of its cameras. Without a
 * choice, all are shown.
 */
function StateFilter({ filter, counts, onToggleConcern }: StateFilterProps) {
  const { messages, formats } = useLanguage();
  const texts = useTexts();
  const concerning = countIn(statesOfConcern, counts);
  const chosen = filter.isOfConcern ? [] : filter.states;
  const offered = cameraStates.filter((state) => countIn([state], counts) > 0 || chosen.includes(state));
  return (
    <fieldset className="state-filter" aria-label={texts.state}>
      <button type="button" aria-pressed={filter.isOfConcern} onClick={onToggleConcern}>
        {texts.concern}
        <span className="badge" data-alarming={concerning > 0}>
          {formats.number(concerning)}
        </span>
      </button>
      {offered.map((state) => {
        const isChosen = chosen.includes(state);
        const states = isChosen ? chosen.filter((each) => each !== state) : [...chosen, state];
        return (
          <button
            key={state}
            type="button"
            className="state-chip"
            data-tone={toneOf(state)}
            aria-pressed={isChosen}
            onClick={() => changeQuery({ state: states, operational: undefined })}
          >
            {messages.fleet.states[state]}
            <span className="badge">{formats.number(countIn([state], counts))}</span>
          </button>
        );
      })}
    </fieldset>
  );
}
