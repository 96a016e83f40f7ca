import { defineNewestList } from "../access/newest-list.js";
import type { RequestContext } from "../access/request-context.js";
import { identifier } from "../database/newest-pages.js";
import { type Alert, Prisma } from "../generated/prisma/client.js";
import { defineLoader, groupBy } from "../platform/loader.js";
import type { Selected } from "../platform/selection.js";
import type { AlertFilter } from "./alert.input.js";
import type { CountAggregate } from "./alert.type.js";

/** What is read of an alert whatever was asked. */
export const alertKeys = ["id", "workspaceId", "facilityId", "cameraId", "createdAt"] as const;

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

/** Pages of alerts below workspaces, facilities, cameras or rules. */
export const alertList = defineNewestList<AlertRow, AlertFilter | null>({
  source: "alerts",
  parentColumns: Object.values(alertParents),
  column,
  conditions: (filter) => (filter ? conditionsOf(filter) : []),
});

/** Alerts by id, with the columns that the variant names. */
export const alertById = defineLoader<RequestContext, AlertRow | null, string[]>(
  async (context, ids, columns) => {
    const rows = await context.visible.query<AlertRow>(
      ({ alerts }) => Prisma.sql`SELECT ${Prisma.join(columns.map(column))} FROM ${alerts} AS item WHERE item."id" = ANY(${ids}::uuid[])`,
    );
    return new Map(rows.map((row) => [row.id, row]));
  },
  () => null,
);

const keyFormats: Record<CountAggregate, string> = { DAY: "YYYY-MM-DD", WEEK: 'IYYY-"W"IW', MONTH: "YYYY-MM" };

/** What is counted. */
export interface AlertCountRequest {
  parent: AlertParent;
  filter: AlertFilter;
  aggregate: CountAggregate;
}

/** Counts of alerts below workspaces, facilities or cameras, ascending, each alert by its own facility's calendar. */
export const alertCounts = defineLoader<RequestContext, { key: string; count: number }[], AlertCountRequest>(
  async (context, parentIds, { parent, filter, aggregate }) => {
    const parentId = Prisma.sql`item.${identifier(alertParents[parent])}`;
    const conditions = [Prisma.sql`${parentId} = ANY(${parentIds}::uuid[])`, ...conditionsOf(filter)];
    const rows = await context.visible.query<{ parentId: string; key: string; count: number }>(
      ({ alerts }) => Prisma.sql`
        SELECT ${parentId} AS "parentId", to_char(item."createdAt" AT TIME ZONE facility."timeZoneId", ${keyFormats[aggregate]}) COLLATE "C" AS "key",
          count(*)::int AS "count"
        FROM ${alerts} AS item JOIN "Facility" AS facility ON facility."id" = item."facilityId"
        WHERE ${Prisma.join(conditions, " AND ")} GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    return groupBy(rows, (row) => row.parentId);
  },
  () => [],
);

function conditionsOf(filter: AlertFilter): Prisma.Sql[] {
  const conditions = [Prisma.sql`item."createdAt" >= ${filter.start}::timestamptz`, Prisma.sql`item."createdAt" < ${filter.end}::timestamptz`];
  if (filter.facilityId != null) conditions.push(Prisma.sql`item."facilityId" = ${filter.facilityId}::uuid`);
  if (filter.cameraIds != null) conditions.push(Prisma.sql`item."cameraId" = ANY(${filter.cameraIds}::uuid[])`);
  if (filter.types != null) conditions.push(Prisma.sql`item."name" = ANY(${filter.types}::text[])`);
  if (filter.severities != null) conditions.push(Prisma.sql`item."severity" = ANY(${filter.severities}::text[])`);
  if (filter.bookmark != null) conditions.push(Prisma.sql`item."bookmark" = ${filter.bookmark}::boolean`);
  if (filter.falsePositive != null) conditions.push(Prisma.sql`item."falsePositive" = ANY(${filter.falsePositive}::boolean[])`);
  if (filter.observation != null) conditions.push(Prisma.sql`item."observation" = ${filter.observation}::boolean`);
  if (filter.areaId != null) conditions.push(Prisma.sql`${filter.areaId}::uuid = ANY(item."areaIds")`);
  return conditions;
}

/** The newest alert of a type on cameras. */
export const lastAlertOfType = defineLoader<RequestContext, AlertRow | null, { columns: string[]; type: string }>(
  async (context, cameraIds, { columns, type }) => {
    const rows = await context.visible.query<AlertRow>(
      ({ alerts }) => Prisma.sql`
        SELECT newest.* FROM unnest(${cameraIds}::uuid[]) AS camera("id") CROSS JOIN LATERAL (
          SELECT ${Prisma.join(columns.map(column))} FROM ${alerts} AS item WHERE item."cameraId" = camera."id" AND item."name" = ${type}
          ORDER BY item."createdAt" DESC, item."id" DESC LIMIT 1
        ) AS newest`,
    );
    return new Map(rows.map((row) => [row.cameraId, row]));
  },
  () => null,
);
