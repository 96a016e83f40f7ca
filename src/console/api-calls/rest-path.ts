import type {
  AlertFilter,
  AlertFilterCamerasQueryVariables,
  AlertsPageQueryVariables,
  CameraFilter,
  CameraRulesQueryVariables,
  ExportedAlertsQueryVariables,
  FleetCamerasQueryVariables,
  InsightCountsQueryVariables,
  RulesCamerasQueryVariables,
} from "../../generated/console.js";
import { defined } from "../../platform/defined.js";
import { hasKey } from "../../platform/record.js";

type Variables = Record<string, unknown>;

/** The parameters of an address, by name; undefined if REST has no equivalent. */
type Parameters = Record<string, string | readonly string[]> | undefined;

/** The REST paths that answer the console's queries, by the names of the queries. */
const paths = {
  FleetFacilities: () => "/facilities",
  AlertFilterChoices: () => "/facilities",
  FleetCameras: ({ filter }: FleetCamerasQueryVariables) => pathOfCameras(filter),
  AlertsPage: ({ filter, first }: AlertsPageQueryVariables) =>
    first == null
      ? undefined
      : withParameters("/alerts", timesOf(filter), alertParameters(filter), {
          count: String(first),
        }),
  AlertFilterCameras: ({ filter }: AlertFilterCamerasQueryVariables) => pathOfCameras(filter),
  RulesCameras: ({ filter }: RulesCamerasQueryVariables) => pathOfCameras(filter),
  CameraRules: ({ camera }: CameraRulesQueryVariables) => `/cameras/${camera}/alert_rules`,
  ExportedAlerts: ({ filter, format, language }: ExportedAlertsQueryVariables) =>
    format === "XLSX" ? pathOfExport(filter, defined(language)) : undefined,
  InsightCounts: ({ filter, groupBy }: InsightCountsQueryVariables) => pathOfCounts(filter, [groupBy].flat()),
} satisfies Record<string, (variables: never) => string | undefined>;

/** The REST path and query that answer a GraphQL query; undefined if REST has no equivalent. */
export const restPathOf = (operationName: string, variables: Variables): string | undefined =>
  hasKey(paths, operationName) ? paths[operationName](variables as never) : undefined;

function pathOfCameras({ facilityIds, ...others }: CameraFilter) {
  if (Object.keys(others).length > 0) return undefined;
  if (!facilityIds) return "/cameras";
  return facilityIds.length === 1 ? `/facilities/${facilityIds[0]}/cameras` : undefined;
}

/** By calendar, REST counts only all alerts of a single camera. */
function pathOfCounts({ start, end, cameraIds, ...others }: AlertFilter, [period]: string[]) {
  if (cameraIds?.length !== 1 || Object.keys(others).length > 0) return undefined;
  return withParameters(`/cameras/${cameraIds[0]}/alerts/count`, timesOf({ start, end }), {
    aggregate: String(period).toLowerCase(),
  });
}

/** REST exports have a parameter for a single camera. */
function pathOfExport({ falsePositive, observation, ...filter }: AlertFilter, language: string) {
  if ((filter.cameraIds?.length ?? 1) !== 1) return undefined;
  return withParameters("/alerts/export", timesOf(filter), alertParameters(filter), {
    ...(falsePositive && { falsePositive: falsePositive.map(String) }),
    ...(observation != null && { observation: String(observation) }),
    lang: language,
  });
}

/** REST has no filter for the local days of facilities. */
const timesOf = ({ start, end }: Pick<AlertFilter, "start" | "end">): Parameters =>
  start && end ? { start: String(Date.parse(start)), end: String(Date.parse(end)) } : undefined;

function alertParameters({
  start: _start,
  end: _end,
  facilityIds,
  cameraIds,
  types,
  severities,
  bookmark,
  ...others
}: AlertFilter): Parameters {
  const texts = [...(types ?? []), ...(severities ?? [])];
  // REST separates values with commas.
  if (
    Object.keys(others).length > 0 ||
    (facilityIds?.length ?? 1) !== 1 ||
    texts.some((text) => text.includes(","))
  )
    return undefined;
  return {
    ...(facilityIds && { facilityId: facilityIds }),
    ...(cameraIds && { cameraId: cameraIds }),
    ...(types && { type: types }),
    ...(severities && { severity: severities }),
    ...(bookmark != null && { bookmark: String(bookmark) }),
  };
}

function withParameters(path: string, ...parameters: Parameters[]) {
  if (parameters.includes(undefined)) return undefined;
  const query = new URLSearchParams();
  for (const [name, values] of parameters.flatMap((each) => Object.entries(each ?? {})))
    for (const value of [values].flat()) query.append(name, value);
  return `${path}?${query}`;
}
