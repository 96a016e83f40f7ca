import { currentQuery, onQueryChange, type QueryChanges } from "./location.js";

const parameters = ["period", "from", "to", "days", "relative", "weeks", "times"];
const viewsWithPeriod = ["alerts", "insight"];

let kept: QueryChanges = {};

function keep() {
  const query = currentQuery();
  if (viewsWithPeriod.includes(query.get("view") ?? ""))
    kept = Object.fromEntries(parameters.map((name) => [name, query.getAll(name)]));
}

keep();
onQueryChange(keep);

/** The period that was last chosen in a view of alerts, so that it stays in the others; none for views without one. */
export const keptPeriodFor = (view: string): QueryChanges => (viewsWithPeriod.includes(view) ? kept : {});
