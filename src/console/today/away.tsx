import type { CameraState, TodayQuery } from "../../generated/console.js";
import { countIn, startOfState, statesOfConcern, toneOf } from "../fleet/camera-states.js";
import { useLanguage } from "../language/language.js";
import { Moment } from "../language/moment.js";
import { StoredText } from "../language/stored-text.js";
import { Link } from "../navigation/link.js";
import type { QueryChanges } from "../navigation/location.js";
import { Card } from "./card.js";

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
  /** Null if that is not known. */
  since: string | null;
  timeZone: string;
  to: QueryChanges;
}

/** Facilities before cameras, then the worst state first, and the newest of it first. */
function awayPlaces({ facilities, searchCameras }: Places): AwayPlace[] {
  const newestFirst = (one: AwayPlace, other: AwayPlace) =>
    statesOfConcern.indexOf(one.state) - statesOfConcern.indexOf(other.state) ||
    Date.parse(other.since ?? "0001-01-01") - Date.parse(one.since ?? "0001-01-01");
  const away = facilities.flatMap(({ id, name, online, lastHeartbeatAt, timeZoneId }): AwayPlace[] =>
    online
      ? []
      : [
          {
            id,
            name,
            state: "FACILITY_OFFLINE",
            since: lastHeartbeatAt,
            timeZone: timeZoneId,
            to: { view: "fleet", facility: id },
          },
        ],
  );
  const cameras = searchCameras.nodes.map((camera): AwayPlace => {
    const { id, name, state, facility } = camera;
    const since = startOfState(camera) ?? null;
    return {
      ...{ id, name, state, since, facility: facility.name, timeZone: facility.timeZoneId },
      to: { camera: id },
    };
  });
  return [...away, ...cameras].sort(newestFirst);
}

/** What is away or needs attention, and since when. */
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
                <Moment instant={place.since} timeZone={place.timeZone} relative />
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
          </li>
        ))}
      </ul>
    </Card>
  );
}
