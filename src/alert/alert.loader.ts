import { defineNewestList } from "../access/newest-list.js";
import { defineRecord, momentsOf, type RecordKind } from "../access/records.js";
import type { RequestContext } from "../access/request-context.js";
import { identifier } from "../database/parent-counts.js";
import { type Alert, Prisma } from "../generated/prisma/client.js";
import { defineLoader, groupBy } from "../platform/loader.js";
import type { Selected } from "../platform/selection.js";
import type { AlertFilter } from "./alert.input.js";
import type { CountAggregate } from "./alert.type.js";
import { conditionsOf } from "./alert-conditions.js";
import { countsByCalendar, countsOfParents } from "./alert-counts.js";

/** What is read of an alert whatever was asked. */
export const alertKeys = ["id", "createdAt"] as const;

/** An alert with its facility's time zone where its local time was asked for. */
export type AlertRow = Selected<Alert, (typeof alertKeys)[number]> & { timeZoneId?: string };

/** The columns by which alerts are listed below something. */
export const alertParents = { workspace: "workspaceId", facility: "facilityId", camera: "cameraId", alertRule: "alertRuleId" } as const;

/** What the alerts are listed or counted below. */
export type AlertParent = keyof typeof alertParents;

const timeZoneId = Prisma.sql`(SELECT "timeZoneId" FROM "Facility" WHERE "Facility"."id" = item."facilityId")`;

function column(name: string): Prisma.Sql {
  return name === "timeZoneId" ? Prisma.sql`${timeZoneId} AS "timeZoneId"` : Prisma.sql`item.${identifier(name)}`;
}

const alerts: RecordKind = {
  source: "alerts",
  keys: alertKeys,
  moments: momentsOf<Alert>({ createdAt: true, recordedAt: true, bookmarkChangedAt: true, falsePositiveChangedAt: true }),
  column,
};

const listBelow = (parentColumn: string) =>
  defineNewestList<AlertRow, AlertFilter | null>({
    kind: alerts,
    parentColumn,
    conditions: (filter) => (filter ? conditionsOf(filter) : []),
    count: countsOfParents,
    filterOf: ({ filter }) => (filter ? inOrder(filter as AlertFilter) : null),
  });

/** Pages of alerts below workspaces, facilities, cameras or rules. */
export const alertLists = {
  workspace: listBelow(alertParents.workspace),
  facility: listBelow(alertParents.facility),
  camera: listBelow(alertParents.camera),
  alertRule: listBelow(alertParents.alertRule),
} satisfies Record<AlertParent, unknown>;

/** Alerts by id. */
export const alertById = defineRecord<AlertRow>({
  kind: alerts,
  conditions: (id) => [Prisma.sql`item."id" = ${id}`],
  order: () => Prisma.empty,
});

/** The newest alert of a type on cameras. */
export const lastAlertOfType = defineRecord<AlertRow, string>({
  kind: alerts,
  conditions: (cameraId, type) => [Prisma.sql`item."cameraId" = ${cameraId}`, Prisma.sql`item."name" = ${type}`],
  order: () => Prisma.sql`ORDER BY item."createdAt" DESC, item."id" DESC LIMIT 1`,
  requestOf: ({ type }) => String(type),
});

/** A filter's members in one order: who asks for the same may have written them in another. */
function inOrder({ start, end, facilityId, cameraIds, types, severities, bookmark, falsePositive, observation, areaId }: AlertFilter): AlertFilter {
  return { start, end, facilityId, cameraIds, types, severities, bookmark, falsePositive, observation, areaId } as AlertFilter;
}

/** What is counted. */
export interface AlertCountRequest {
  parent: AlertParent;
  filter: AlertFilter;
  aggregate: CountAggregate;
}

/** Counts of alerts below workspaces, facilities or cameras, ascending, each alert by its own facility's calendar. */
export const alertCounts = defineLoader<RequestContext, { key: string; count: number }[], AlertCountRequest>(
  async (context, parentIds, { parent, filter, aggregate }) => {
    const rows = await context.visible.query<{ parentId: string; key: string; count: number }>((sources) =>
      countsByCalendar(sources, { parentColumn: alertParents[parent], parentIds, filter }, aggregate),
    );
    return groupBy(rows, (row) => row.parentId);
  },
  () => [],
);
