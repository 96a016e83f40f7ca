import type { Cache, UpdatesConfig } from "@urql/exchange-graphcache";

/**
 * What events change in the cache beyond the objects that they bring, whose fields are
 * replaced wherever they are shown. Each view's subscriptions that need it have their
 * entry here, by the name of their field.
 */
export const updates: UpdatesConfig = {
  Subscription: {
    alertRaised: ({ alertRaised }, _arguments, cache) => showAsNewest(alertRaised as RaisedAlert, cache),
    alertChanged: ({ alertChanged }, _arguments, cache) => {
      const { alertId, kind } = alertChanged as ChangedAlert;
      // The event brings the marks, but not the comments.
      if (kind === "COMMENTED") forgetComments(alertId, cache);
    },
  },
};

interface ChangedAlert {
  alertId: string;
  kind: string;
}

/** Has an open alert's comments read again. */
function forgetComments(id: string, cache: Cache): void {
  const alert = { __typename: "Alert", id };
  for (const { fieldName, arguments: given } of cache.inspectFields(alert))
    if (fieldName === "comments") cache.invalidate(alert, fieldName, given);
}

interface RaisedAlert {
  __typename: "Alert";
  id: string;
  createdAt: string;
  camera?: { __typename: "Camera"; id: string };
}

/**
 * Makes an alert the newest of its camera, unless it is older, as detectors may report
 * later.
 */
function showAsNewest(alert: RaisedAlert, cache: Cache): void {
  if (!alert.camera) return;
  const list = cache.resolve({ ...alert.camera }, "alerts", { first: 1 });
  if (typeof list !== "string") return;
  const [newest] = (cache.resolve(list, "nodes") ?? []) as string[];
  const time = newest === undefined ? undefined : cache.resolve(newest, "createdAt");
  if (typeof time === "string" && Date.parse(time) > Date.parse(alert.createdAt)) return;
  cache.link(list, "nodes", [cache.keyOfEntity({ ...alert })]);
}
