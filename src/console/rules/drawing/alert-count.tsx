import { contains, type Point, polygonOf } from "../../../platform/geometry.js";
import { minCorners } from "../areas.js";
import { useTexts } from "../texts.js";
import type { AlertPlaces } from "./alert-places.js";

/** How many of a camera's recent alerts have a point in an area. */
export function AlertCount({
  places,
  points,
}: {
  places: AlertPlaces | undefined;
  points: readonly Point[];
}) {
  const rules = useTexts();
  if (!places || points.length < minCorners) return null;
  const { alerts, total } = places;
  if (total === 0) return <p className="hint">{rules.noRecentAlerts}</p>;
  const area = polygonOf(points);
  const inside = alerts.filter((each) => each.some(({ x, y }) => contains(area, x, y))).length;
  return (
    <p className="alerts-inside" role="status">
      {rules.alertsInside(inside, alerts.length, alerts.length < total)}
    </p>
  );
}
