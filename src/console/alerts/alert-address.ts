import type { QueryChanges } from "../navigation/location.js";

/** The address of an alert in front of what an address shows. */
export const addressWithAlert = (query: URLSearchParams, alert: string): QueryChanges => ({
  ...Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)])),
  alert,
});
