import { alertParametersOf } from "../alerts/filter/alert-filter.js";
import { addressOf, type QueryChanges } from "../navigation/location.js";
import { pageOf, views } from "../views.js";

const alertParameters = Object.keys(alertParametersOf({}));

/** The parameters of the views that can be saved: their filters, and how they show them. */
const parametersOfViews: Readonly<Record<string, readonly string[]>> = {
  fleet: ["facility", "state", "operational", "text"],
  alerts: [...alertParameters, "layout"],
  insight: [...alertParameters, "by", "per"],
};

/** The view that a query opens, with those of its parameters that the view knows. */
function knownPartOf(query: URLSearchParams) {
  const view = pageOf(query);
  const known = Object.hasOwn(parametersOfViews, view) ? (parametersOfViews[view] ?? []) : [];
  return { view, parameters: [...query].filter(([name, value]) => known.includes(name) && value !== "") };
}

/** The query to save for what an address shows, which always names the view; undefined if nothing is filtered. */
export function savableQuery(address: URLSearchParams): string | undefined {
  const { view, parameters } = knownPartOf(address);
  return parameters.length > 0 ? `${new URLSearchParams([["view", view], ...parameters])}` : undefined;
}

/**
 * Where a saved query leads; undefined if this version has no such view. Any client may have written the query, so it
 * only ever leads within this console, and parameters that the view does not know are left out.
 */
export function parametersOfSavedQuery(query: string): QueryChanges | undefined {
  const { view, parameters } = knownPartOf(new URLSearchParams(query));
  if (!Object.hasOwn(views, view)) return undefined;
  const found: Record<string, string[]> = { view: [view] };
  for (const [name, value] of parameters) found[name] = [...(found[name] ?? []), value];
  return found;
}

/** Whether an address shows what was saved, whatever the order of its parameters. */
export function isShown(query: string, address: URLSearchParams): boolean {
  const parameters = parametersOfSavedQuery(query);
  const shown = savableQuery(address);
  return (
    parameters !== undefined && shown !== undefined && sorted(addressOf(parameters)) === sorted(`?${shown}`)
  );
}

const sorted = (address: string) => [...new URLSearchParams(address.replace(/^\/?\?/, ""))].sort().join("&");
