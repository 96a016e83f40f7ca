import { z } from "zod";
import { maxInt32, maxPageSize } from "../../engine/reading/connection.js";
import {
  booleanParameter,
  exampleIds,
  integerParameter,
  listOf,
  timestampParameter,
  uuidParameter,
} from "../../engine/route/parameters.js";
import { type RequestParts, route, type VariableSource } from "../../engine/route/route.js";
import {
  CountCameraAlertsDocument,
  DeleteAlertsDocument,
  GetLastAlertDocument,
  ListAlertsDocument,
  ListCameraAlertsDocument,
} from "../../generated/operations.js";
import { keysOf, recordOf } from "../../platform/record.js";
import { type AlertFilter, LastAlertArguments } from "./alert.input.js";

export const period = z.object({
  start: timestampParameter
    .describe(
      "The start of the period, inclusive: a Unix timestamp in seconds, or in milliseconds from 100000000000 on",
    )
    .meta({ example: 1767225600 }),
  end: timestampParameter
    .describe("The end of the period, exclusive, in the same format; not before `start`")
    .meta({ example: 1798761600 }),
});

/** An optional query parameter that sets a field of {@link AlertFilter}. */
interface FilterParameter {
  field: keyof AlertFilter;
  rule: z.ZodOptional;
  /** Computes the value of the field. By default, it is that of the parameter. */
  compute?: (value: never) => unknown;
}

/** The filters of a route, by the names of their parameters. */
export type FilterParameters<Name extends string = string> = Readonly<Record<Name, FilterParameter>>;

export const alertFilters = {
  facilityId: {
    field: "facilityId",
    rule: uuidParameter
      .optional()
      .describe("Only alerts of this facility")
      .meta({ example: exampleIds.facilityId }),
  },
  cameraId: {
    field: "cameraIds",
    rule: listOf(uuidParameter)
      .optional()
      .describe("Only alerts of these cameras")
      .meta({ example: [exampleIds.cameraId] }),
  },
  type: {
    field: "types",
    rule: listOf(z.string())
      .optional()
      .describe("Alert types, as in `name`")
      .meta({ example: ["STATIC_DELIMITATION_AREA"] }),
  },
  severity: {
    field: "severities",
    rule: listOf(z.string())
      .optional()
      .describe("The severities that the rules had at the time of the alerts")
      .meta({ example: ["HIGH", "MEDIUM"] }),
  },
  bookmark: {
    field: "bookmark",
    rule: booleanParameter
      .optional()
      .describe("Only alerts that are bookmarked, or only others")
      .meta({ example: true }),
  },
  areaId: {
    field: "areaId",
    rule: uuidParameter
      .optional()
      .describe("Only alerts in this area of a rule")
      .meta({ example: exampleIds.areaId }),
  },
} satisfies FilterParameters;

export const filterRules = <Name extends string>(filters: FilterParameters<Name>) =>
  recordOf(keysOf(filters), (name) => filters[name].rule);

const periodVariables = { "filter.start": "query.start", "filter.end": "query.end" };

/** The sources of the fields that the period and these parameters set. */
export function filterVariables(filters: FilterParameters): Record<string, VariableSource> {
  const variables: Record<string, VariableSource> = { ...periodVariables };
  for (const [name, { field, compute }] of Object.entries(filters)) {
    const from = `query.${name}`;
    variables[`filter.${field}`] = compute ? { from, compute } : from;
  }
  return variables;
}

const listParameters = period.extend({
  page: integerParameter(1)
    .optional()
    .default(1)
    .describe("The page number; page 1 has the newest alerts")
    .meta({ example: 1 }),
  count: integerParameter(1, maxPageSize)
    .optional()
    .default(20)
    .describe("The number of alerts per page")
    .meta({ example: 20 }),
  ...filterRules(alertFilters),
});

const listQuery = listParameters.refine(({ page, count }) => page * count <= maxInt32, {
  path: ["page"],
  error: `must not lead past alert ${maxInt32}`,
});

const listVariables = {
  ...filterVariables(alertFilters),
  first: "query.count",
  offset: {
    from: "query.page",
    compute: (page: number, { query }: RequestParts) => (page - 1) * Number(query.count),
  },
};

export const alertRoutes = [
  route("GET /alerts", {
    number: 16,
    summary: "List the alerts of a period that are visible to the caller, newest first",
    operation: ListAlertsDocument,
    query: listQuery,
    variables: listVariables,
    response: { envelope: "page" },
  }),
  route("GET /cameras/:cameraId/alerts", {
    number: 17,
    summary: "List a camera's alerts of a period, newest first",
    operation: ListCameraAlertsDocument,
    query: listQuery,
    variables: listVariables,
    response: { envelope: "page", from: ["camera", "alerts"] },
  }),
  route("GET /cameras/:cameraId/alerts/last", {
    number: 18,
    summary: "Get a camera's newest alert of a type; `data` is null if there is none",
    operation: GetLastAlertDocument,
    query: z.object({
      alertType: LastAlertArguments.rules.shape.type.meta({ example: "STATIC_DELIMITATION_AREA" }),
    }),
    variables: { type: "query.alertType" },
    response: { envelope: "data", from: ["camera", "lastAlert"], schema: "SimplifiedAlert", nullable: true },
  }),
  route("GET /cameras/:cameraId/alerts/count", {
    number: 19,
    summary: "Count a camera's alerts of a period per local day, ISO week or month",
    operation: CountCameraAlertsDocument,
    query: period.extend({
      aggregate: z
        .enum(["day", "week", "month"], { error: "must be day, week or month" })
        .describe("The unit of the calendar, in the facility's local time")
        .meta({ example: "day" }),
    }),
    variables: {
      ...periodVariables,
      aggregate: { from: "query.aggregate", compute: (aggregate: string) => aggregate.toUpperCase() },
    },
    response: { envelope: "data", from: ["camera", "alertCounts"] },
  }),
  route("DELETE /alerts/:alertId", {
    number: 20,
    operationId: "deleteAlert",
    summary: "Delete an alert with its picture",
    operation: DeleteAlertsDocument,
    variables: { ids: { from: "path.alertId", compute: (id: string) => [id] } },
    response: { envelope: "message", message: "The alert was deleted" },
    permission: "alerts:delete",
  }),
  route("DELETE /alerts", {
    number: 21,
    summary: "Delete up to 1000 alerts with their pictures, all or none",
    operation: DeleteAlertsDocument,
    query: z.object({
      alertId: listOf(uuidParameter)
        .max(1000, "must list at most 1000")
        .describe("The alerts to delete")
        .meta({ example: [exampleIds.alertId] }),
    }),
    variables: { ids: "query.alertId" },
    response: { envelope: "message", message: "The alerts were deleted" },
    permission: "alerts:delete",
  }),
];
