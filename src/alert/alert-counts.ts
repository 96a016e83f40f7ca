import type { VisibleSources } from "../access/visibility.js";
import { countOfParents, identifier } from "../database/parent-counts.js";
import { Prisma } from "../generated/prisma/client.js";
import type { AlertFilter } from "./alert.input.js";
import type { CountAggregate } from "./alert.type.js";
import { conditionsOf, kindConditionsOf, markConditionsOf, placeConditionsOf } from "./alert-conditions.js";

/** Which alerts are counted, below each of which parents. */
export interface CountedAlerts {
  parentColumn: string;
  parentIds: readonly string[];
  /** All alerts without one. */
  filter: AlertFilter | null;
}

/** Columns over the alias `item`, of an alert or of a day's count, that are to be read beside the parent's id. */
type KeyColumn = (localTime: Prisma.Sql) => Prisma.Sql;

/** Milliseconds below which a period has too few whole days to be worth looking them up. */
const shortPeriod = 3 * 86_400_000;

const keyFormats: Record<CountAggregate, string> = { DAY: "YYYY-MM-DD", WEEK: 'IYYY-"W"IW', MONTH: "YYYY-MM" };

/** One statement that counts the alerts of each of many parents: rows of `parentId` and `count`, none where there are none. */
export function countsOfParents(sources: VisibleSources, counted: CountedAlerts): Prisma.Sql {
  const { parentColumn, parentIds, filter } = counted;
  const dayCounts = dayCountsFor(counted);
  if (!dayCounts) {
    return countOfParents({ source: sources.alerts, parentColumn, parentIds, conditions: filter ? conditionsOf(filter) : [] });
  }
  const { calendar, parts } = partsOf(sources, dayCounts, counted);
  return Prisma.sql`${calendar} SELECT part."parentId", sum(part."count")::int AS "count" FROM (${parts}) AS part GROUP BY 1`;
}

/** One statement that counts the alerts of each of many parents by their facilities' calendars: rows of `parentId`, `key` and `count`, ascending. */
export function countsByCalendar(sources: VisibleSources, counted: CountedAlerts & { filter: AlertFilter }, aggregate: CountAggregate): Prisma.Sql {
  const key: KeyColumn = (localTime) => Prisma.sql`, to_char(${localTime}, ${keyFormats[aggregate]}) COLLATE "C" AS "key"`;
  const dayCounts = dayCountsFor(counted);
  const { calendar, parts } = dayCounts
    ? partsOf(sources, dayCounts, counted, key)
    : { calendar: Prisma.empty, parts: singly(sources, counted, key) };
  return Prisma.sql`
    ${calendar} SELECT part."parentId", part."key", sum(part."count")::int AS "count" FROM (${parts}) AS part GROUP BY 1, 2 ORDER BY 1, 2`;
}

/** The counts of days that tell about the alerts; none where these are to be counted one by one. */
function dayCountsFor({ parentColumn, filter }: CountedAlerts): "alertDayCounts" | "alertDayKindCounts" | undefined {
  if (parentColumn === "alertRuleId") return undefined;
  if (!filter) return "alertDayCounts";
  if (filter.end.getTime() - filter.start.getTime() < shortPeriod || markConditionsOf(filter).length > 0) return undefined;
  return kindConditionsOf(filter).length > 0 ? "alertDayKindCounts" : "alertDayCounts";
}

/**
 * The whole days of the period by their counts, and the alerts of its two ends one by one, all of one snapshot. A facility's
 * days begin and end by its own clock.
 */
function partsOf(
  sources: VisibleSources,
  dayCounts: "alertDayCounts" | "alertDayKindCounts",
  { parentColumn, parentIds, filter }: CountedAlerts,
  key?: KeyColumn,
): { calendar: Prisma.Sql; parts: Prisma.Sql } {
  const column = Prisma.sql`item.${identifier(parentColumn)}`;
  const isBelowParent = Prisma.sql`${column} = ANY(${parentIds}::uuid[])`;
  const sumsOfDays = (parent: Prisma.Sql) => Prisma.sql`
    SELECT ${parent} AS "parentId"${key?.(Prisma.sql`item."day"::timestamp`) ?? Prisma.empty}, sum(item."count")::int AS "count" FROM ${sources[dayCounts]} AS item`;
  // The index of the counts begins with the facility.
  if (!filter) {
    const isOfFacility = Prisma.sql`item."facilityId" IN (SELECT facility."id" FROM ${sources.facilities} AS facility)`;
    return {
      calendar: Prisma.empty,
      parts: Prisma.sql`${sumsOfDays(column)} WHERE ${isBelowParent} AND ${isOfFacility} ${groupedBy(["parentId", ...(key ? ["key"] : [])])}`,
    };
  }
  const start = Prisma.sql`${filter.start}::timestamptz`;
  const end = Prisma.sql`${filter.end}::timestamptz`;
  // Every day on which a facility had an alert of a camera has a count.
  const facilitiesOf: Record<string, Prisma.Sql> = {
    workspaceId: Prisma.sql`WHERE facility."workspaceId" = ANY(${parentIds}::uuid[])`,
    facilityId: Prisma.sql`WHERE facility."id" = ANY(${parentIds}::uuid[])`,
    cameraId: Prisma.sql`WHERE facility."id" IN (SELECT item."facilityId" FROM ${sources.alertDayCounts} AS item WHERE ${isBelowParent}
        AND item."day" BETWEEN (${start} AT TIME ZONE 'UTC')::date - 1 AND (${end} AT TIME ZONE 'UTC')::date + 1)`,
  };
  // Each facility is counted by itself: its parent is one for all its alerts, and to group them by it would cost as much as to count them.
  const parentOfFacility = { workspaceId: Prisma.sql`calendar."workspaceId"`, facilityId: Prisma.sql`calendar."facilityId"` }[parentColumn];
  const parent = parentOfFacility ?? column;
  const conditions = [...(parentOfFacility ? [] : [isBelowParent]), ...placeConditionsOf(filter), ...kindConditionsOf(filter)];
  const further = conditions.length > 0 ? Prisma.sql`AND ${Prisma.join(conditions, " AND ")}` : Prisma.empty;
  const grouped = groupedBy([...(parentOfFacility ? [] : ["parentId"]), ...(key ? ["key"] : [])]);
  const localTime = Prisma.sql`item."createdAt" AT TIME ZONE calendar."timeZoneId"`;
  return {
    calendar: Prisma.sql`
      WITH facility AS MATERIALIZED (
        SELECT facility."id", facility."workspaceId", facility."timeZoneId" FROM ${sources.facilities} AS facility ${facilitiesOf[parentColumn] ?? Prisma.empty}),
      zone AS MATERIALIZED (
        SELECT zone."timeZoneId", days.*
        FROM (SELECT DISTINCT "timeZoneId" FROM facility) AS zone CROSS JOIN "wholeDays"(${start}, ${end}, zone."timeZoneId") AS days),
      calendar AS MATERIALIZED (
        SELECT facility."id" AS "facilityId", facility."workspaceId", zone.* FROM zone JOIN facility ON facility."timeZoneId" = zone."timeZoneId")`,
    // Joined with the calendar as a whole, the server would rather read all alerts.
    parts: Prisma.sql`
      SELECT counted.* FROM calendar CROSS JOIN LATERAL (
        ${sumsOfDays(parent)}
        WHERE item."facilityId" = calendar."facilityId" AND item."day" >= calendar."firstDay" AND item."day" < calendar."dayAfter" ${further}
        ${grouped}) AS counted
      UNION ALL
      SELECT counted.*
      FROM calendar CROSS JOIN LATERAL (VALUES (${start}, calendar."begins"), (calendar."ends", ${end})) AS margin("from", "until")
      CROSS JOIN LATERAL (
        SELECT ${parent} AS "parentId"${key?.(localTime) ?? Prisma.empty}, count(*)::int AS "count" FROM ${sources.alerts} AS item
        WHERE item."facilityId" = calendar."facilityId" AND item."createdAt" >= margin."from" AND item."createdAt" < margin."until" ${further}
        ${grouped}) AS counted`,
  };
}

/** GROUP BY columns of the answer; one row for all without any. */
function groupedBy(names: string[]): Prisma.Sql {
  return names.length > 0 ? Prisma.sql`GROUP BY ${Prisma.join(names.map(identifier))}` : Prisma.empty;
}

/** Every alert by itself. */
function singly(sources: VisibleSources, { parentColumn, parentIds, filter }: CountedAlerts & { filter: AlertFilter }, key: KeyColumn): Prisma.Sql {
  const parent = Prisma.sql`item.${identifier(parentColumn)}`;
  const conditions = Prisma.join([Prisma.sql`${parent} = ANY(${parentIds}::uuid[])`, ...conditionsOf(filter)], " AND ");
  const localTime = Prisma.sql`item."createdAt" AT TIME ZONE facility."timeZoneId"`;
  return Prisma.sql`
    SELECT ${parent} AS "parentId"${key(localTime)}, 1 AS "count"
    FROM ${sources.alerts} AS item JOIN "Facility" AS facility ON facility."id" = item."facilityId" WHERE ${conditions}`;
}
