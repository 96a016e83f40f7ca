import type { Cache, UpdatesConfig } from "@urql/exchange-graphcache";

/**
 * Changes of the cache after events, in addition to the fields of the objects in the
 * events, which the cache replaces by itself. By the field of each subscription.
 */
export const updates: UpdatesConfig = {
  Mutation: {
    createFacility: (_result, _arguments, cache) => forgetLists(cache, ["facilities"]),
    deleteFacility: (_result, _arguments, cache) => forgetLists(cache, cameraLists),
    createCamera: (_result, _arguments, cache) => forgetLists(cache, cameraLists),
    createClientCamera: (_result, _arguments, cache) => forgetLists(cache, cameraLists),
    deleteCamera: (_result, _arguments, cache) => forgetLists(cache, cameraLists),
    deleteAlertRule: (_result, { id }, cache) =>
      cache.invalidate({ __typename: "AlertRule", id: id as string }),
    createApiKey: forgetWorkspace,
    inviteUser: forgetWorkspace,
    revokeInvitation: forgetWorkspace,
    removeUser: forgetWorkspace,
    grantFacilityAccess: (_result, _arguments, cache) => forgetLists(cache, ["facilities"]),
    removeFacilityAccess: (_result, _arguments, cache) => forgetLists(cache, ["facilities"]),
  },
  Subscription: {
    alertRaised: ({ alertRaised }, _arguments, cache) => showAsNewest(alertRaised as RaisedAlert, cache),
    alertChanged: ({ alertChanged }, _arguments, cache) => {
      const { alertId, kind } = alertChanged as ChangedAlert;
      // The event contains the marks, but no comments.
      if (kind === "COMMENTED") forgetComments(alertId, cache);
    },
  },
};

/** The fields of queries with lists of cameras, or with their numbers. */
const cameraLists: readonly string[] = ["cameras", "searchCameras", "cameraStateCounts", "facilities"];

/** Makes open views read the lists of the workspace again. */
function forgetWorkspace(_result: unknown, _arguments: unknown, cache: Cache): void {
  cache.invalidate("Query", "workspace");
}

/** Makes open views read lists again to which an object was added, or that lost one. */
function forgetLists(cache: Cache, fields: readonly string[]): void {
  for (const { fieldName, fieldKey } of cache.inspectFields("Query"))
    if (fields.includes(fieldName)) cache.invalidate("Query", fieldKey);
}

interface ChangedAlert {
  alertId: string;
  kind: string;
}

/** Makes an open alert read its comments again. */
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
 * Makes an alert the newest of its camera, unless it is older: detectors may report late.
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
