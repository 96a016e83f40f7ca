import { SnoozesDocument } from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { useRepeatedQuery } from "../data/query.js";
import { useMessages, useNow, useStepOfTime } from "../language/language.js";
import { Link } from "../navigation/location.js";
import { useRuleTitle } from "../rules/rule-title.js";
import { isQuiet, SnoozedUntil, useTexts } from "./snooze.js";

const minute = 60_000;
/** More are only counted. */
const mostShown = 5;

export interface SnoozedPlaces {
  /** Empty for all. */
  facilityIds: readonly string[];
  cameraIds: readonly string[];
}

/** What is snoozed at present: facilities, cameras and rules. Nothing if nothing is. */
export function Snoozes({ facilityIds, cameraIds }: SnoozedPlaces) {
  const { common } = useMessages();
  const texts = useTexts();
  const titleOf = useRuleTitle();
  const now = useNow();
  const places = {
    ...(facilityIds.length > 0 && { facilityIds: [...facilityIds] }),
    ...(cameraIds.length > 0 && { ids: [...cameraIds] }),
  };
  const [{ data }] = useRepeatedQuery(
    {
      query: SnoozesDocument,
      variables: { snoozed: { ...places, snoozed: true }, chosen: { ids: [...cameraIds] } },
    },
    useStepOfTime(minute),
  );
  if (!data) return null;
  const { facilities, snoozed, chosen } = data;
  const isAsked = ({ id }: { id: string }) =>
    (facilityIds.length === 0 || facilityIds.includes(id)) &&
    (cameraIds.length === 0 || chosen.nodes.some(({ facility }) => facility.id === id));
  const quiet = [
    ...facilities
      .filter(isAsked)
      .map((of) => ({ of, name: isolated(of.name), to: { view: "fleet", facility: of.id }, facility: of })),
    ...snoozed.nodes.flatMap((camera) => {
      const { id, facility } = camera;
      const name = isolated(camera.name);
      return [
        { of: camera, name, to: { camera: id }, facility },
        ...camera.alertRules.map((of) => ({
          of,
          name: `${titleOf(of)}, ${name}`,
          to: { view: "rules", camera: id },
          facility,
        })),
      ];
    }),
  ].filter(({ of }) => isQuiet(of, now));
  if (quiet.length === 0) return null;
  return (
    <ul className="snoozes" aria-label={texts.quiet}>
      {quiet.slice(0, mostShown).map(({ of, name, to, facility }) => (
        <li key={of.id}>
          <Link to={to}>{name}</Link>: <SnoozedUntil of={of} timeZone={facility.timeZoneId} />
        </li>
      ))}
      {quiet.length > mostShown && <li>{common.andMore(quiet.length - mostShown)}</li>}
    </ul>
  );
}
