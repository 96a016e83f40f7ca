import { createHash } from "node:crypto";
import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { newestFirst } from "../../engine/reading/list-order.js";
import { defineLoader, type ReadingContext } from "../../engine/reading/loader.js";
import { definePaginatedRelation } from "../../engine/reading/paginated-relation.js";
import { defineToOne } from "../../engine/reading/relation.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { type Alert, Prisma } from "../../generated/prisma/client.js";
import { groupBy } from "../../platform/group-by.js";
import { facilityTimeZone } from "../facility/facility.loader.js";
import type { AlertFilter } from "./alert.input.js";
import { conditionsOf } from "./alert-conditions.js";
import { alertsInLocalTime } from "./local-conditions.js";
import type { LocalTimeFilter } from "./local-time.input.js";
import { isAnnotatable } from "./pictures/annotated-picture.service.js";
import type { CountAggregate } from "./statistics/alert-count.type.js";
import { countsByCalendar, countsPerParent } from "./statistics/alert-counts.js";

/**
 * An alert with the columns that the operation needs, the time zone of its facility if its local time is
 * selected, and whether it has an annotated picture.
 */
export type AlertRow = Selected<Alert, "id" | "createdAt"> & { timeZoneId?: string; isAnnotatable?: boolean };

export const alerts = defineEntityType<Alert>({
  source: "alerts",
  keys: ["id", "createdAt"],
  columns: Prisma.AlertScalarFieldEnum,
  dateColumns: {
    createdAt: true,
    recordedAt: true,
    pictureAt: true,
    pictureAwaitedUntil: true,
    bookmarkChangedAt: true,
    falsePositiveChangedAt: true,
    acknowledgedAt: true,
  },
  computedColumns: {
    timeZoneId: ({ facilities }) =>
      Prisma.sql`(SELECT ${facilityTimeZone} FROM ${facilities} AS facility WHERE facility."id" = item."facilityId")`,
    isAnnotatable: () => isAnnotatable,
  },
});

const alertParents = {
  workspace: "workspaceId",
  facility: "facilityId",
  camera: "cameraId",
  alertRule: "alertRuleId",
} as const;

export type AlertParent = keyof typeof alertParents;

const alertsBy = (parentColumn: string) =>
  definePaginatedRelation<AlertRow, AlertFilter | null>(alerts, parentColumn, {
    order: newestFirst,
    source: (sources, filter, parentId, order) =>
      alertsInLocalTime(
        sources,
        filter,
        order,
        parentColumn === alertParents.facility ? [Prisma.sql`facility."id" = ${parentId}`] : [],
      ),
    conditions: (filter) => (filter ? conditionsOf(filter) : []),
    countStatement: countsPerParent,
    filterOf: ({ filter }) => filter ?? null,
    filterKey: (filter) => (filter ? filterKey(filter) : ""),
  });

export const alertLists = {
  workspace: alertsBy(alertParents.workspace),
  facility: alertsBy(alertParents.facility),
  camera: alertsBy(alertParents.camera),
  alertRule: alertsBy(alertParents.alertRule),
} satisfies Record<AlertParent, unknown>;

export const alertById = defineToOne<AlertRow>(alerts, "id");

/** The alerts of a write by their ids, in the order of the ids. Leaves out alerts that have been deleted since. */
export async function loadAlerts(
  context: ReadingContext,
  selection: Selection,
  ids: readonly string[],
): Promise<AlertRow[]> {
  const alerts = alertById(context, selection);
  const loaded = await Promise.all(ids.map((id) => alerts.load(id)));
  return loaded.filter((alert) => alert !== null);
}

/** An alert by its id, if it matches a filter. */
export const matchingAlert = defineToOne<AlertRow, Omit<AlertFilter, keyof LocalTimeFilter>>(alerts, "id", {
  conditions: conditionsOf,
});

export const lastAlertOfType = defineToOne<AlertRow, string>(alerts, "cameraId", {
  conditions: (type) => [Prisma.sql`item."name" = ${type}`],
  orderBy: newestFirst.forwards,
  ranges: () => [{ rows: 1 }],
  argsOf: ({ type }) => String(type),
});

/** A hash replaces longer texts. */
const maxKeyLength = 500;
const filterKeys = new WeakMap<AlertFilter, string>();

/**
 * Returns the same text for equal filters, in whatever order clients write them. A filter may list thousands
 * of values, and belong to a field of thousands of objects. The text is therefore short, and computed once.
 */
export function filterKey(filter: AlertFilter): string {
  const known = filterKeys.get(filter);
  if (known !== undefined) return known;
  const fields = Object.entries(filter).sort(([one], [other]) => (one < other ? -1 : 1));
  const json = JSON.stringify(fields);
  const key = json.length > maxKeyLength ? createHash("sha256").update(json).digest("base64") : json;
  filterKeys.set(filter, key);
  return key;
}

interface AlertCountRequest {
  parent: AlertParent;
  filter: AlertFilter;
  aggregate: CountAggregate;
}

/** The number of alerts per period of a parent, ascending; each alert counts by the calendar of its facility. */
export const alertCounts = defineLoader<{ key: string; count: number }[], AlertCountRequest>(
  async (context, parentIds, { parent, filter, aggregate }) => {
    const rows = await context.visible.query<{ parentId: string; key: string; count: number }>((sources) =>
      countsByCalendar(sources, { parentColumn: alertParents[parent], parentIds, filter }, aggregate),
    );
    return groupBy(rows, (row) => row.parentId);
  },
  () => [],
  ({ parent, filter, aggregate }) => `${parent} ${aggregate} ${filterKey(filter)}`,
);
