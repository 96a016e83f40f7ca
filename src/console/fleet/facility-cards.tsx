import type {
  FleetFacilitiesQuery,
  FleetFacilityFragment,
  StateCountFragment,
} from "../../generated/console.js";
import { alertParametersOf } from "../alerts/alert-filter.js";
import { StoredText, useLanguage } from "../language/language.js";
import { useNow } from "../language/now.js";
import { knowsTimeZone } from "../language/time-zones.js";
import { changeQuery, Link } from "../navigation/location.js";
import { countIn, statesOfConcern, toneOf, worstOf } from "./camera-states.js";
import { type DailyCounts, dailyCounts } from "./daily-counts.js";
import { useTexts } from "./texts.js";

type Counts = FleetFacilitiesQuery["cameraStateCounts"];

/**
 * The facilities, each with its online state, its time, and a link to its alerts of
 * today. Choosing a facility shows only its cameras.
 */
export function FacilityCards({
  facilities,
  counts,
  selected,
}: {
  facilities: readonly FleetFacilityFragment[];
  /** The numbers of all cameras by facility and state. */
  counts: Counts;
  selected: readonly string[];
}) {
  const { messages } = useLanguage();
  return (
    <section aria-label={messages.fleet.facilities}>
      <ul className="facility-cards">
        {facilities.map((facility) => (
          <li key={facility.id}>
            <FacilityCard
              facility={facility}
              states={counts.filter(({ facilityId }) => facilityId === facility.id)}
              isSelected={selected.includes(facility.id)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function FacilityCard({ facility, states, isSelected }: FacilityCardProps) {
  const { messages, formats } = useLanguage();
  const texts = useTexts();
  const {
    id,
    name,
    timeZoneId,
    effectiveTimeZoneId: zone,
    online,
    lastHeartbeatAt,
    cameraCount,
    alertCounts,
  } = facility;
  const now = useNow();
  const counts = dailyCounts(alertCounts, zone, now);
  const { fleet } = messages;
  const worst = online ? (worstOf(states) ?? "WORKING") : "FACILITY_OFFLINE";
  const concerning = countIn(statesOfConcern, states);
  const silence = lastHeartbeatAt
    ? texts.offlineSince(formats.relative(lastHeartbeatAt, now))
    : texts.neverOnline;
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
          {online ? texts.onlineWith(concerning) : silence}
        </span>
        <span>{fleet.cameraCount(cameraCount)}</span>
        <span title={`${texts.localTime}: ${timeZoneId}`}>
          {formats.timeOfDay(now, zone)} {formats.zone(now, zone)}
        </span>
      </span>
      <UnknownZone timeZoneId={timeZoneId} effectiveTimeZoneId={zone} />
      <span className="facility-today">
        <span>
          <Link to={{ view: "alerts", ...alertParametersOf({ facilityIds: [id], period: "today" }) }}>
            {texts.today(counts.today)}
          </Link>
          <span className="hint">
            {counts.usual === undefined
              ? texts.usualUnknown
              : texts.usual(counts.usual, formats.weekday(now, zone))}
          </span>
        </span>
        <RecentDays counts={counts} />
      </span>
    </div>
  );
}

/**
 * Says that a facility's times are not in its time zone, because the gateway or this
 * browser does not know the zone.
 */
function UnknownZone({
  timeZoneId,
  effectiveTimeZoneId,
}: Pick<FleetFacilityFragment, "timeZoneId" | "effectiveTimeZoneId">) {
  const texts = useTexts();
  if (!knowsTimeZone(effectiveTimeZoneId))
    return <span className="facility-zone">{texts.zoneUnknownHere(effectiveTimeZoneId)}</span>;
  if (timeZoneId === effectiveTimeZoneId) return null;
  return <span className="facility-zone">{texts.zoneUnknown(timeZoneId, effectiveTimeZoneId)}</span>;
}

interface FacilityCardProps {
  facility: FleetFacilityFragment;
  states: readonly StateCountFragment[];
  isSelected: boolean;
}

/** The last two weeks as bars. The text beside them states the important numbers. */
function RecentDays({ counts: { recent, usual } }: { counts: DailyCounts }) {
  const height = 28;
  const most = Math.max(1, usual ?? 0, ...recent.map(({ count }) => count));
  const barOf = ({ count }: { count: number }, index: number) => {
    const bar = Math.max(1, (count / most) * height);
    return `M${index * 5} ${height}v${-bar}h4v${bar}z`;
  };
  const bars = recent.map(barOf);
  // One shape for all days but the last, because a page may have hundreds of facilities.
  return (
    <svg className="recent-days" viewBox={`0 0 ${recent.length * 5} ${height}`} aria-hidden="true">
      <path d={bars.slice(0, -1).join("")} />
      <path className="present-day" d={bars.at(-1)} />
      {usual !== undefined && (
        <path className="usual-day" d={`M0 ${height - (usual / most) * height}H${recent.length * 5}`} />
      )}
    </svg>
  );
}
