import "./fleet.css";
import { useCallback, useEffect, useRef, useState } from "react";
import { useSubscription } from "urql";
import {
  FleetAlertsDocument,
  FleetFacilitiesDocument,
  type FleetFacilityFragment,
  FleetStatesDocument,
  type StateCountFragment,
  StatusOfCamerasDocument,
} from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { usableTimeZone } from "../../platform/time.js";
import { useTexts as useFacilityTexts } from "../administration/facilities/texts.js";
import { type AlertSelection, addressOfAlerts } from "../alerts/filter/alert-filter.js";
import { QueryResult, useRepeatedQuery } from "../data/query.js";
import { useThrottled } from "../data/throttled.js";
import { FirstRunOr } from "../first-run/first-run-or.js";
import { useShortcuts } from "../keyboard/shortcuts.js";
import { StoredText, useLanguage, useMessages, useNow, useStepOfTime } from "../language/language.js";
import { changeQuery, Link, useAddress } from "../navigation/location.js";
import { MoreIcon } from "../shell/icons.js";
import { Menu } from "../shell/menu.js";
import { type TellOutcome, useOutcome } from "../shell/notice/notice.js";
import { part, ViewBoundary } from "../shell/part.js";
import { AddressSearch } from "../shell/search-field.js";
import { SnoozedUntil } from "../snooze/snooze.js";
import { CameraGrid, TilePlaceholders } from "./camera-grid.js";
import { cameraStates, countIn, isAway, statesOfConcern, toneOf, worstOf } from "./camera-states.js";
import { countedDays, dailyCounts, yesterdayByNow } from "./daily-counts.js";
import { type FleetFilter, fleetFilterOf, statelessFilterOf } from "./fleet-filter.js";
import { FacilitySnooze, SnoozeSelection } from "./fleet-snooze.js";
import { useTexts } from "./texts.js";

/** The time between two reads, in milliseconds: no event tells that a facility falls silent or a picture is old. */
const pollInterval = 60_000;
/** The minimum time between two counts of alerts, in milliseconds, however fast alerts arrive. */
const countInterval = 5_000;

const CameraExport = part(() => import("../administration/facilities/camera-export.js"), "CameraExport");

export function FleetView() {
  const messages = useMessages();
  const texts = useTexts();
  const filter = fleetFilterOf(useAddress());
  const step = useStepOfTime(pollInterval);
  const counted = yesterdayByNow(step);
  const [result, readAgain] = useRepeatedQuery({
    query: FleetFacilitiesDocument,
    variables: { counted: countedDays, yesterday: counted },
  });
  const readSoon = useThrottled(readAgain, countInterval);
  const [changes, setChanges] = useState(0);
  const readStatesSoon = useThrottled(() => setChanges((last) => last + 1), countInterval);
  const revision = step + changes;
  const stateless = statelessFilterOf(filter);
  const [states, readStates] = useRepeatedQuery(
    { query: FleetStatesDocument, variables: { filter: stateless } },
    revision,
  );
  useSubscription({ query: FleetAlertsDocument }, (_previous, event) => {
    readSoon();
    return event;
  });
  const readAllSoon = useCallback(() => {
    readSoon();
    readStatesSoon();
  }, [readSoon, readStatesSoon]);
  useSubscription({ query: StatusOfCamerasDocument }, (_previous, event) => {
    readAllSoon();
    return event;
  });
  // A facility that is online again brings its cameras back.
  const online = result.data?.facilities
    .filter((facility) => facility.online)
    .map(({ id }) => id)
    .join();
  const lastOnline = useRef(online);
  useEffect(() => {
    if (lastOnline.current !== undefined && online !== lastOnline.current) readAllSoon();
    lastOnline.current = online;
  }, [online, readAllSoon]);
  const search = useRef<HTMLInputElement>(null);
  const [outcome, tell] = useOutcome();
  const toggleConcern = () =>
    changeQuery({ state: undefined, operational: filter.isOfConcern ? undefined : "false" });
  useShortcuts(messages.views.fleet, [
    { keys: "/", label: messages.fleet.search, run: () => search.current?.focus() },
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
      {({ facilities, yesterday, cameraStateCounts }) => (
        <FirstRunOr facilities={facilities} cameras={cameraStateCounts}>
          <div className="fleet">
            <section aria-label={messages.fleet.facilities}>
              <ul className="facility-cards">
                {facilities.map((facility) => (
                  <li key={facility.id}>
                    <FacilityCard
                      facility={facility}
                      states={cameraStateCounts.filter(({ facilityId }) => facilityId === facility.id)}
                      yesterday={{
                        selection: { facilityIds: [facility.id], ...counted },
                        count: yesterday.find((each) => each.facility?.id === facility.id)?.count ?? 0,
                      }}
                      isSelected={filter.facilityIds.includes(facility.id)}
                    />
                  </li>
                ))}
              </ul>
            </section>
            <FleetToolbar facilities={facilities} filter={filter} search={search} tell={tell} />
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
            {outcome}
          </div>
        </FirstRunOr>
      )}
    </QueryResult>
  );
}

interface FleetToolbarProps {
  facilities: readonly FleetFacilityFragment[];
  filter: FleetFilter;
  search: React.RefObject<HTMLInputElement | null>;
  tell: TellOutcome;
}

function FleetToolbar({ facilities, filter, search, tell }: FleetToolbarProps) {
  const messages = useMessages();
  const { cameraExport } = useFacilityTexts();
  const [isExporting, setExporting] = useState(false);
  const someMay = (permission: string) =>
    facilities.some(({ viewerPermissions }) => viewerPermissions.includes(permission));
  const chosen = facilities.filter(({ id }) => filter.facilityIds.includes(id));
  const only = chosen.length === 1 ? chosen[0] : undefined;
  return (
    <div className="fleet-toolbar">
      <h2>{messages.fleet.cameras}</h2>
      <AddressSearch ref={search} label={messages.fleet.search} />
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
      {only && <FacilitySnooze key={only.id} facility={only} />}
      {someMay("alert-rules:write") && <SnoozeSelection filter={filter} tell={tell} />}
      {someMay("cameras:write") && (
        <Menu label={<MoreIcon />} name={messages.common.more}>
          <button type="button" onClick={() => setExporting(true)}>
            {cameraExport.title}
          </button>
          <Link className="button" to={{ view: "settings", import: "cameras" }}>
            {messages.adding.cameras}
          </Link>
        </Menu>
      )}
      {isExporting && (
        <ViewBoundary>
          <CameraExport onClose={() => setExporting(false)} />
        </ViewBoundary>
      )}
    </div>
  );
}

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
  counts: readonly StateCountFragment[];
  onToggleConcern: () => void;
}

/** Chooses the cameras by their states, each with its number of cameras. Without a choice, all are shown. */
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

interface FacilityCardProps {
  facility: FleetFacilityFragment;
  states: readonly StateCountFragment[];
  /** The alerts of yesterday by this time. */
  yesterday: { selection: Partial<AlertSelection>; count: number };
  isSelected: boolean;
}

/** Choosing a facility shows only its cameras. */
function FacilityCard({ facility, states, yesterday, isSelected }: FacilityCardProps) {
  const { messages, formats } = useLanguage();
  const texts = useTexts();
  const {
    id,
    name,
    timeZoneId,
    effectiveTimeZoneId: zone,
    monitored,
    lastHeartbeatAt,
    cameraCount,
    alertCounts,
  } = facility;
  const now = useNow();
  const recent = dailyCounts(alertCounts, zone, now);
  const { fleet } = messages;
  const isSilent = isAway(facility);
  const worst = isSilent ? "FACILITY_OFFLINE" : (worstOf(states) ?? "WORKING");
  const concerning = countIn(statesOfConcern, states);
  const condition = monitored ? texts.onlineWith(concerning) : texts.workingWith(concerning);
  return (
    <div className="facility-card" data-selected={isSelected}>
      <span className="facility-name">
        <button
          type="button"
          aria-pressed={isSelected}
          onClick={() => changeQuery({ facility: isSelected ? undefined : id })}
        >
          <StoredText>{name}</StoredText>
        </button>
      </span>
      <span className="facility-facts">
        <span
          className="facility-state"
          data-tone={toneOf(worst)}
          title={lastHeartbeatAt ? formats.moment(lastHeartbeatAt, zone) : undefined}
        >
          {isSilent && lastHeartbeatAt
            ? texts.offlineSince(formats.relative(lastHeartbeatAt, now))
            : condition}
        </span>
        <span>{fleet.cameraCount(cameraCount)}</span>
        <span title={`${texts.localTime}: ${timeZoneId}`}>
          {formats.timeOfDay(now, zone)} {formats.zone(now, zone)}
        </span>
      </span>
      <UnknownZone timeZoneId={timeZoneId} effectiveTimeZoneId={zone} />
      <SnoozedUntil of={facility} timeZone={zone} />
      <span className="facility-today">
        <span>
          <Link to={addressOfAlerts({ facilityIds: [id], period: "today" })}>
            {texts.today(recent.at(-1) ?? 0)}
          </Link>
          <Link className="hint" to={addressOfAlerts(yesterday.selection)}>
            {texts.yesterday(yesterday.count)}
          </Link>
        </span>
        <RecentDays recent={recent} />
      </span>
    </div>
  );
}

/** Says that a facility's times are not in its time zone, which the gateway or this browser does not know. */
function UnknownZone({
  timeZoneId,
  effectiveTimeZoneId,
}: Pick<FleetFacilityFragment, "timeZoneId" | "effectiveTimeZoneId">) {
  const texts = useTexts();
  if (usableTimeZone(effectiveTimeZoneId) !== effectiveTimeZoneId)
    return <span className="facility-zone">{texts.zoneUnknownHere(effectiveTimeZoneId)}</span>;
  if (timeZoneId === effectiveTimeZoneId) return null;
  return <span className="facility-zone">{texts.zoneUnknown(timeZoneId, effectiveTimeZoneId)}</span>;
}

/** The last two weeks as bars. The text beside them states the important numbers. */
function RecentDays({ recent }: { recent: readonly number[] }) {
  const height = 28;
  const most = Math.max(1, ...recent);
  const barOf = (count: number, index: number) => {
    const bar = Math.max(1, (count / most) * height);
    return `M${index * 5} ${height}v${-bar}h4v${bar}z`;
  };
  const bars = recent.map(barOf);
  // One shape for all days but the last, because a page may have hundreds of facilities.
  return (
    <svg className="recent-days" viewBox={`0 0 ${recent.length * 5} ${height}`} aria-hidden="true">
      <path d={bars.slice(0, -1).join("")} />
      <path className="present-day" d={bars.at(-1)} />
    </svg>
  );
}
