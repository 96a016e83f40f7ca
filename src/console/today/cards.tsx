import { type ReactNode, useId } from "react";
import { severityRank } from "../../features/alert-rule/alert-kind.js";
import type {
  AcknowledgedAlertFragment,
  CameraState,
  FeedFailureFragment,
  TodayQuery,
} from "../../generated/console.js";
import { defined } from "../../platform/defined.js";
import { isolated } from "../../platform/text/text-direction.js";
import { addressOfAlerts } from "../alerts/filter/alert-filter.js";
import { countIn, isAway, startOfState, statesOfConcern, toneOf } from "../fleet/camera-states.js";
import type { TodayPeriod } from "../language/en.js";
import { Moment, StoredText, useLanguage } from "../language/language.js";
import { Link, type QueryChanges } from "../navigation/location.js";
import { part, ViewBoundary } from "../shell/part.js";
import { allOpen, type Counted, countedAlerts, nightsCompared } from "./counted-alerts.js";

const FeedFailure = part(() => import("../camera/feed-failure.js"), "FeedFailure");

/** The period that is chosen, and the alerts that were raised in it. */
interface InPeriod {
  name: TodayPeriod;
  period: Counted;
}

interface OpenAlertsProps extends InPeriod {
  /** The number of all open alerts, whenever they were raised. */
  inAll: number;
  /** The numbers of open alerts by severity, raised in the period. */
  bySeverity: TodayQuery["openBySeverity"];
}

/** What still needs somebody: the open alerts by severity, the gravest first. */
export function OpenAlerts({ name, period, inAll, bySeverity }: OpenAlertsProps) {
  const { messages, words, formats } = useLanguage();
  const { today } = messages;
  const { open } = countedAlerts(period);
  const count = bySeverity.reduce((sum, group) => sum + group.count, 0);
  const ordered = [...bySeverity].sort(
    (one, other) => rankOf(one.severity) - rankOf(other.severity) || other.count - one.count,
  );
  return (
    <Card title={today.open.title}>
      {count === 0 ? (
        <p className="today-calm">{inAll === 0 ? today.open.none : today.none(name)}</p>
      ) : (
        <p>
          <Link className="today-figure" to={addressOfAlerts(open)}>
            {today.open.raised(count, name)}
          </Link>
        </p>
      )}
      {count > 0 && (
        <ul className="today-severities">
          {ordered.map(({ severity, count }) => (
            <li key={severity ?? ""}>
              <Link
                className="severity"
                data-severity={severity}
                to={addressOfAlerts({
                  ...open,
                  ...(severity === null ? { hasSeverity: false } : { severities: [severity] }),
                })}
              >
                {severity === null ? messages.noSeverity : isolated(words.severity(severity))}{" "}
                {formats.number(count)}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {inAll > count && (
        <p className="today-more">
          <Link to={addressOfAlerts(allOpen)}>{today.open.inAll(inAll)}</Link>
        </p>
      )}
    </Card>
  );
}

const rankOf = (severity: string | null) =>
  severity === null ? Number.POSITIVE_INFINITY : severityRank(severity);

/** The gravest severities of alerts: the highest one that there is, and those from HIGH on. */
export function gravestOf(bySeverity: TodayQuery["openBySeverity"]): string[] {
  const severities = bySeverity.flatMap(({ severity }) => severity ?? []);
  const limit = Math.max(severityRank("HIGH"), Math.min(...severities.map(rankOf)));
  return severities
    .filter((severity) => rankOf(severity) <= limit)
    .sort((one, other) => rankOf(one) - rankOf(other));
}

interface LastNightProps {
  /** Says by whose clock the times are. */
  clock: string;
  alerts: number;
  before: number;
}

export function LastNight({ alerts, before, clock }: LastNightProps) {
  const { messages, formats } = useLanguage();
  const { night } = messages.today;
  const { lastNight, nightsBefore } = countedAlerts({});
  const usual = Math.round((before / nightsCompared) * 10) / 10;
  const most = Math.max(1, alerts, usual);
  const { from, to } = lastNight.localTimes;
  return (
    <Card title={night.title}>
      <p>
        {alerts === 0 ? (
          <span className="today-calm">{night.none}</span>
        ) : (
          <Link className="today-figure" to={addressOfAlerts(lastNight)}>
            {messages.common.alerts(alerts)}
          </Link>
        )}
      </p>
      <p className="hint">
        {night.times(formats.clockTime(from), formats.clockTime(to))} {clock}
      </p>
      {before === 0 ? (
        <p className="today-more">{night.unknown}</p>
      ) : (
        <>
          <div className="today-pair">
            <Bar label={night.title} value={alerts} most={most} />
            <Bar label={night.usual} value={usual} most={most} />
          </div>
          <p className="today-more">
            <Link to={addressOfAlerts(nightsBefore)}>{night.before(before)}</Link>
          </p>
        </>
      )}
    </Card>
  );
}

function Bar({ label, value, most }: { label: string; value: number; most: number }) {
  const { formats } = useLanguage();
  return (
    <p>
      <span>{label}</span>
      <span className="bar" aria-hidden="true">
        <span style={{ width: `${(value / most) * 100}%` }} />
      </span>
      <span>{formats.number(value)}</span>
    </p>
  );
}

interface WorstHourProps extends InPeriod, Pick<LastNightProps, "clock"> {
  /** The numbers of alerts by hour of the day, without hours that had none. */
  hours: TodayQuery["raisedByHour"];
}

export function WorstHour({ name, period, hours, clock }: WorstHourProps) {
  const { messages, formats } = useLanguage();
  const { worstHour } = messages.today;
  const { raised } = countedAlerts(period);
  const total = hours.reduce((sum, { count }) => sum + count, 0);
  const worst = hours.reduce<WorstHourProps["hours"][number] | undefined>(
    (most, each) => (most && most.count >= each.count ? most : each),
    undefined,
  );
  if (!worst)
    return (
      <Card title={worstHour.title}>
        <p className="today-calm">{messages.today.none(name)}</p>
      </Card>
    );
  const hour = defined(worst.hourOfDay);
  return (
    <Card title={worstHour.title}>
      <p>
        <Link className="today-figure" to={addressOfAlerts({ ...raised, hoursOfDay: [hour] })}>
          {worstHour.hour(formats.hourOfDay(hour), formats.hourOfDay((hour + 1) % 24), worst.count)}
        </Link>
      </p>
      <p className="hint">
        {worstHour.clock} {clock}
      </p>
      <HourBars hours={hours} worst={hour} most={worst.count} />
      <p className="today-more">
        <Link to={addressOfAlerts(raised)}>{messages.today.raised(total, name)}</Link>
      </p>
    </Card>
  );
}

const height = 36;

/** The day as bars. The text beside them says which is the highest. */
function HourBars({ hours, worst, most }: Pick<WorstHourProps, "hours"> & { worst: number; most: number }) {
  const { formats } = useLanguage();
  const countOf = new Map(hours.map(({ hourOfDay, count }) => [hourOfDay, count]));
  const barOf = (hour: number) => {
    const bar = Math.max(1, ((countOf.get(hour) ?? 0) / most) * height);
    return `M${hour * 10} ${height}v${-bar}h8v${bar}z`;
  };
  const others = Array.from({ length: 24 }, (_, hour) => hour).filter((hour) => hour !== worst);
  return (
    <div className="hour-bars" aria-hidden="true">
      <svg viewBox={`0 0 238 ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={others.map(barOf).join("")} />
        <path className="worst" d={barOf(worst)} />
      </svg>
      <p className="hint">
        {[0, 6, 12, 18].map((each) => (
          <span key={each}>{formats.hourOfDay(each)}</span>
        ))}
      </p>
    </div>
  );
}

/** The cameras that are named. Of those at facilities that are away, no more is known. */
export const awayFilter = {
  states: statesOfConcern.filter((state) => state !== "FACILITY_OFFLINE"),
};

/** The number of places that are named. */
const mostNamed = 5;

/** The facilities, the numbers of their cameras, and the cameras that are away. */
type Places = Pick<TodayQuery, "facilities" | "cameraStateCounts" | "searchCameras">;

/** A facility or camera that somebody has to look after. */
interface AwayPlace {
  id: string;
  name: string;
  facility?: string;
  state: CameraState;
  /** When the state began; null if that is not known. */
  since: string | null;
  timeZone: string;
  to: QueryChanges;
  /** A camera whose address the gateway may not connect to. */
  refused?: FeedFailureFragment;
}

/** Facilities before cameras, then the worst state first, and the newest of it first. */
function awayPlaces({ facilities, searchCameras }: Places): AwayPlace[] {
  const newestFirst = (one: AwayPlace, other: AwayPlace) =>
    statesOfConcern.indexOf(one.state) - statesOfConcern.indexOf(other.state) ||
    Date.parse(other.since ?? "0001-01-01") - Date.parse(one.since ?? "0001-01-01");
  const away = facilities.flatMap(({ id, name, lastHeartbeatAt, timeZoneId, ...facility }): AwayPlace[] =>
    isAway(facility)
      ? [
          {
            id,
            name,
            state: "FACILITY_OFFLINE",
            since: lastHeartbeatAt,
            timeZone: timeZoneId,
            to: { view: "fleet", facility: id },
          },
        ]
      : [],
  );
  const cameras = searchCameras.nodes.map((camera): AwayPlace => {
    const { id, name, state, facility } = camera;
    const since = startOfState(camera) ?? null;
    return {
      id,
      name,
      state,
      since,
      facility: facility.name,
      timeZone: facility.timeZoneId,
      to: { camera: id },
      ...(camera.feedError?.code === "ADDRESS_NOT_ALLOWED" && { refused: camera }),
    };
  });
  return [...away, ...cameras].sort(newestFirst);
}

export function Away({ places }: { places: Places }) {
  const { messages } = useLanguage();
  const { fleet, today } = messages;
  const { cameraStateCounts: counts } = places;
  const listed = awayPlaces(places);
  const concerning = countIn(statesOfConcern, counts);
  return (
    <Card title={today.away.title}>
      {concerning > 0 && (
        <p>
          <Link className="today-figure" to={{ view: "fleet", operational: "false" }}>
            {today.away.cameras(concerning)}
          </Link>
        </p>
      )}
      {listed.length === 0 && <p className="today-calm">{today.away.none}</p>}
      {concerning > 0 && (
        <ul className="today-severities">
          {statesOfConcern.map((state) => {
            const count = countIn([state], counts);
            return (
              count > 0 && (
                <li key={state}>
                  <Link className="away-state" data-tone={toneOf(state)} to={{ view: "fleet", state }}>
                    {today.away.inState(fleet.states[state], count)}
                  </Link>
                </li>
              )
            );
          })}
        </ul>
      )}
      <ul className="today-list">
        {listed.slice(0, mostNamed).map((place) => (
          <li key={place.id}>
            <Link to={place.to}>
              <StoredText>{place.name}</StoredText>
            </Link>
            {place.since !== null && (
              <span className="hint">
                <Moment instant={place.since} timeZone={place.timeZone} form="relative" />
              </span>
            )}
            <span className="hint">
              {fleet.states[place.state]}
              {place.facility !== undefined && (
                <>
                  {" · "}
                  <StoredText>{place.facility}</StoredText>
                </>
              )}
            </span>
            {place.refused && (
              <ViewBoundary>
                <FeedFailure camera={place.refused} />
              </ViewBoundary>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface AcknowledgedAlertsProps extends InPeriod {
  totalCount: number;
  nodes: readonly AcknowledgedAlertFragment[];
}

/** What others have looked after: how many alerts, and who acknowledged the newest. */
export function AcknowledgedAlerts({ name, period, totalCount, nodes }: AcknowledgedAlertsProps) {
  const { today } = useLanguage().messages;
  const { acknowledged } = countedAlerts(period);
  return (
    <Card title={today.acknowledged.title}>
      {totalCount === 0 ? (
        <p className="today-calm">{today.none(name)}</p>
      ) : (
        <p>
          <Link className="today-figure" to={addressOfAlerts(acknowledged)}>
            {today.acknowledged.raised(totalCount, name)}
          </Link>
        </p>
      )}
      <ul className="today-list">
        {[...nodes].sort(latestFirst).map((alert) => (
          <li key={alert.id}>
            <AcknowledgedAlert {...alert} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

const latestFirst = (one: AcknowledgedAlertFragment, other: AcknowledgedAlertFragment) =>
  Date.parse(other.acknowledgedAt ?? "") - Date.parse(one.acknowledgedAt ?? "");

function AcknowledgedAlert({ id, name, camera, facility, ...by }: AcknowledgedAlertFragment) {
  const { messages, words } = useLanguage();
  const { acknowledgedAt, acknowledgedBy } = by;
  // A key has no name, and not everybody sees the names of others.
  const author = acknowledgedBy?.fullName ?? acknowledgedBy?.email;
  return (
    <>
      <Link to={{ alert: id }}>{isolated(words.alertType(name))}</Link>
      {acknowledgedAt !== null && (
        <span className="hint">
          <Moment instant={acknowledgedAt} timeZone={facility.timeZoneId} form="relative" />
        </span>
      )}
      <span className="hint">
        <StoredText>{camera.name}</StoredText>
        {author !== undefined && <> · {messages.today.acknowledged.by(isolated(author))}</>}
      </span>
    </>
  );
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className="today-card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}
