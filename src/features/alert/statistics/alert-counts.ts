import { countPerParent } from "../../../engine/reading/count-per-parent.js";
import { identifier } from "../../../engine/reading/identifier.js";
import type { VisibleSources } from "../../../engine/reading/visibility.js";
import { Prisma } from "../../../generated/prisma/client.js";
import { keysOf } from "../../../platform/record.js";
import { facilityTimeZone } from "../../facility/facility.loader.js";
import type { AlertFilter } from "../alert.input.js";
import { columnConditionsOf, columnsOf, conditionsOf } from "../alert-conditions.js";
import type { AlertColumn } from "../alert-filter-fields.js";
import {
  dayRange,
  hasLocalTimes,
  isOnLocalTime,
  localConditionsWithPeriod,
  timeOnItsDay,
} from "../local-conditions.js";
import { hasLocalDays } from "../local-time.input.js";
import type { CountAggregate } from "./alert-count.type.js";

interface CountedAlerts {
  parentColumn: string;
  parentIds: readonly string[];
  /** The alerts to count; null counts all. */
  filter: AlertFilter | null;
}

type FilteredAlerts = CountedAlerts & { filter: AlertFilter };

/** SQL expressions about the counted alerts, or about the days whose counts are added up. */
interface CountedColumns {
  localTime: Prisma.Sql;
  /** The local day of the alert according to the filter. */
  localDay: Prisma.Sql;
  facilityId: Prisma.Sql;
  timeZoneId: Prisma.Sql;
}

export interface CountKeys {
  /** The select expressions, with a leading comma. */
  columns: (of: CountedColumns) => Prisma.Sql;
  /** The columns that the keys read, besides {@link CountedColumns}. */
  asked: readonly AlertColumn[];
  /** The names of the keys that differ within a facility. */
  names: readonly string[];
}

/**
 * The tables with the number of alerts per camera and day, the smaller one first, each with the columns that it shares
 * with alerts. Triggers keep them up to date.
 */
const keptColumns = {
  alertDayCounts: ["workspaceId", "facilityId", "cameraId"],
  alertDayKindCounts: ["workspaceId", "facilityId", "cameraId", "name", "severity"],
} satisfies Record<string, AlertColumn[]>;

type DayCounts = keyof typeof keptColumns;

/** Rows of `parentId`, the keys and `count`. Several rows may share a parent and keys. */
interface PartialCounts {
  /** The WITH clause that `rows` refers to. */
  calendar: Prisma.Sql;
  rows: Prisma.Sql;
}

export const periodFormats: Record<CountAggregate, string> = {
  DAY: "YYYY-MM-DD",
  WEEK: 'IYYY-"W"IW',
  MONTH: "YYYY-MM",
};

/** A statement that counts alerts by parent, as `parentId` and `count`. Parents without alerts have no row. */
export function countsPerParent(sources: VisibleSources, counted: CountedAlerts): Prisma.Sql {
  const { parentColumn, parentIds, filter } = counted;
  const dayCounts = dayCountsFor(counted);
  if (!dayCounts && !(filter && isOnLocalTime(filter))) {
    return countPerParent({
      source: sources.alerts,
      parentColumn,
      parentIds,
      conditions: filter ? conditionsOf(filter) : [],
    });
  }
  const { calendar, rows } = dayCounts
    ? countByDays(sources, dayCounts, counted)
    : countOneByOne(sources, counted as FilteredAlerts);
  return Prisma.sql`${calendar} SELECT part."parentId", sum(part."count")::int AS "count" FROM (${rows}) AS part GROUP BY 1`;
}

/** A statement that counts alerts by the calendars of facilities, as `parentId`, `key` and `count`, ascending. */
export function countsByCalendar(
  sources: VisibleSources,
  counted: FilteredAlerts,
  aggregate: CountAggregate,
): Prisma.Sql {
  const keys: CountKeys = {
    columns: ({ localTime }) =>
      Prisma.sql`, to_char(${timeOnItsDay(counted.filter, localTime)}, ${periodFormats[aggregate]}) COLLATE "C" AS "key"`,
    asked: [],
    names: ["key"],
  };
  const { calendar, rows } = partialCounts(sources, counted, keys);
  return Prisma.sql`
    ${calendar} SELECT part."parentId", part."key", sum(part."count")::int AS "count" FROM (${rows}) AS part GROUP BY 1, 2 ORDER BY 1, 2`;
}

/** Counts the alerts of a filter by keys. Uses daily counts wherever possible. */
export function partialCounts(
  sources: VisibleSources,
  counted: FilteredAlerts,
  keys: CountKeys,
): PartialCounts {
  const dayCounts = dayCountsFor(counted, keys.asked);
  return dayCounts ? countByDays(sources, dayCounts, counted, keys) : countOneByOne(sources, counted, keys);
}

/** The period, in milliseconds, below which there are too few whole days for looking up their counts to pay. */
const shortPeriod = 3 * 86_400_000;

/**
 * The smallest table of daily counts that has the further columns, and can tell the alerts that match a
 * filter from the others; undefined if there is none.
 */
export function keptCountsFor(filter: AlertFilter, further: readonly string[]): DayCounts | undefined {
  if (hasLocalTimes(filter)) return undefined;
  const asked = [...columnsOf(filter), ...further];
  const hasAll = (columns: readonly string[]) => asked.every((column) => columns.includes(column));
  return keysOf(keptColumns).find((table) => hasAll(keptColumns[table]));
}

/** The table with the counts of whole days; undefined if alerts must be counted one by one. */
function dayCountsFor(
  { parentColumn, filter }: CountedAlerts,
  asked: readonly AlertColumn[] = [],
): DayCounts | undefined {
  const { start, end } = filter ?? {};
  const isShort = start != null && end != null && end.getTime() - start.getTime() < shortPeriod;
  return isShort ? undefined : keptCountsFor(filter ?? {}, [parentColumn, ...asked]);
}

function countByDays(
  sources: VisibleSources,
  dayCounts: DayCounts,
  counted: CountedAlerts,
  keys?: CountKeys,
): PartialCounts {
  const { filter } = counted;
  return filter
    ? countPeriod(sources, dayCounts, { ...counted, filter }, keys)
    : countAllDays(sources, dayCounts, counted);
}

function countAllDays(sources: VisibleSources, dayCounts: DayCounts, counted: CountedAlerts): PartialCounts {
  // The condition on the facility changes no result, but the index of the counts begins with workspace and facility.
  const rows = Prisma.sql`
    SELECT ${parentOf(counted)} AS "parentId", sum(item."count")::int AS "count" FROM ${sources[dayCounts]} AS item
    WHERE ${belongsToParent(counted)} AND item."facilityId" IN (SELECT facility."id" FROM ${sources.facilities} AS facility)
    ${groupByClause(["parentId"])}`;
  return { calendar: Prisma.empty, rows };
}

/**
 * Adds up the counts of the whole days in a period, and counts the alerts before the first and after the last of these
 * days one by one. All counts come from one snapshot. Days begin and end by the clock of each facility.
 */
function countPeriod(
  sources: VisibleSources,
  dayCounts: DayCounts,
  counted: FilteredAlerts,
  keys?: CountKeys,
): PartialCounts {
  const { filter, parentColumn } = counted;
  // Each facility is counted by itself: grouping by workspace and facility would cost as much as counting.
  const parentOfFacility = {
    workspaceId: Prisma.sql`calendar."workspaceId"`,
    facilityId: Prisma.sql`calendar."facilityId"`,
  }[parentColumn];
  const parent = parentOfFacility ?? parentOf(counted);
  const conditions = [...(parentOfFacility ? [] : [belongsToParent(counted)]), ...columnConditionsOf(filter)];
  const grouped = groupByClause([...(parentOfFacility ? [] : ["parentId"]), ...(keys?.names ?? [])]);
  const ofFacility = {
    facilityId: Prisma.sql`calendar."facilityId"`,
    timeZoneId: Prisma.sql`calendar."timeZoneId"`,
  };
  const keysOfDays = keys?.columns({
    ...ofFacility,
    localTime: Prisma.sql`item."day"::timestamp`,
    localDay: Prisma.sql`item."day"`,
  });
  const keysOfAlerts = keys?.columns({ ...ofFacility, ...localMoment(ofFacility.timeZoneId, filter) });
  const ofDays = [
    ...(hasPeriod(filter)
      ? [Prisma.sql`item."day" >= calendar."firstDay" AND item."day" < calendar."dayAfter"`]
      : []),
    ...(hasLocalDays(filter)
      ? [Prisma.sql`item."day" BETWEEN calendar."firstNamed" AND calendar."lastNamed"`]
      : []),
  ];
  // LATERAL is needed: for a join with the whole calendar, the planner would rather read all alerts.
  const days = Prisma.sql`
    SELECT counted.* FROM calendar CROSS JOIN LATERAL (
      SELECT ${parent} AS "parentId"${keysOfDays ?? Prisma.empty}, sum(item."count")::int AS "count" FROM ${sources[dayCounts]} AS item
      WHERE item."facilityId" = calendar."facilityId" AND ${Prisma.join(ofDays, " AND ")} ${further(conditions)}
      ${grouped}) AS counted`;
  const calendar = calendarOf(sources, counted);
  if (!hasPeriod(filter)) return { calendar, rows: days };
  const ofMargins = hasLocalDays(filter)
    ? [
        ...conditions,
        Prisma.sql`${localMoment(ofFacility.timeZoneId, filter).localDay} BETWEEN calendar."firstNamed" AND calendar."lastNamed"`,
      ]
    : conditions;
  const rows = Prisma.sql`${days}
    UNION ALL
    SELECT counted.*
    FROM calendar
    CROSS JOIN LATERAL (VALUES (${startOf(filter)}, calendar."begins"), (calendar."ends", ${endOf(filter)})) AS margin("from", "until")
    CROSS JOIN LATERAL (
      SELECT ${parent} AS "parentId"${keysOfAlerts ?? Prisma.empty}, count(*)::int AS "count" FROM ${sources.alerts} AS item
      WHERE item."facilityId" = calendar."facilityId" AND item."createdAt" >= margin."from" AND item."createdAt" < margin."until" ${further(ofMargins)}
      ${grouped}) AS counted`;
  return { calendar, rows };
}

const further = (conditions: Prisma.Sql[]) =>
  conditions.length > 0 ? Prisma.sql`AND ${Prisma.join(conditions, " AND ")}` : Prisma.empty;

/** Whether a filter has a period, besides any days that it names. */
const hasPeriod = ({ start, end }: AlertFilter) => start != null || end != null;

/**
 * The WITH query `calendar`: for each facility that may have alerts of the parents, the whole days of the filter's
 * period, and the first and the last day that the filter names.
 */
function calendarOf(sources: VisibleSources, counted: FilteredAlerts): Prisma.Sql {
  const { filter } = counted;
  const timeZoneId = Prisma.sql`zone."timeZoneId"`;
  const wholeDays = Prisma.sql`"wholeDays"(${startOf(filter)}, ${endOf(filter)}, ${timeZoneId}) AS days`;
  const named = hasLocalDays(filter) ? dayRange(filter, { timeZoneId, now: sources.now }) : undefined;
  const namedDays =
    named && Prisma.sql`(SELECT ${named.first} AS "firstNamed", ${named.last} AS "lastNamed") AS named`;
  return Prisma.sql`
    WITH facility AS MATERIALIZED (
      SELECT facility."id", facility."workspaceId", ${facilityTimeZone} AS "timeZoneId" FROM ${sources.facilities} AS facility ${facilitiesOf(sources, counted)}),
    zone AS MATERIALIZED (
      SELECT ${timeZoneId}${hasPeriod(filter) ? Prisma.sql`, days.*` : Prisma.empty}${namedDays ? Prisma.sql`, named.*` : Prisma.empty}
      FROM (SELECT DISTINCT "timeZoneId" FROM facility) AS zone
      ${Prisma.join([...(hasPeriod(filter) ? [Prisma.sql`CROSS JOIN ${wholeDays}`] : []), ...(namedDays ? [Prisma.sql`CROSS JOIN LATERAL ${namedDays}`] : [])], " ")}),
    calendar AS MATERIALIZED (
      SELECT facility."id" AS "facilityId", facility."workspaceId", zone.* FROM zone JOIN facility ON facility."timeZoneId" = zone."timeZoneId")`;
}

function facilitiesOf(sources: VisibleSources, counted: FilteredAlerts): Prisma.Sql {
  const { filter, parentColumn, parentIds } = counted;
  if (parentColumn === "workspaceId")
    return Prisma.sql`WHERE facility."workspaceId" = ANY(${parentIds}::uuid[])`;
  if (parentColumn === "facilityId") return Prisma.sql`WHERE facility."id" = ANY(${parentIds}::uuid[])`;
  // The alerts of a camera may belong to several facilities, each of which has a count for every day with such an
  // alert.
  const utc = Prisma.sql`'UTC'`;
  const { first, last } = hasPeriod(filter)
    ? {
        first: Prisma.sql`(${startOf(filter)} AT TIME ZONE ${utc})::date`,
        last: Prisma.sql`(${endOf(filter)} AT TIME ZONE ${utc})::date`,
      }
    : dayRange(filter, { timeZoneId: utc, now: sources.now });
  return Prisma.sql`
    WHERE facility."id" IN (SELECT item."facilityId" FROM ${sources.alertDayCounts} AS item WHERE ${belongsToParent(counted)}
      AND item."day" BETWEEN ${first} - 1 AND ${last} + 1)`;
}

function countOneByOne(sources: VisibleSources, counted: FilteredAlerts, keys?: CountKeys): PartialCounts {
  const { filter } = counted;
  const local = localConditionsWithPeriod(sources, filter);
  const conditions = Prisma.join(
    [belongsToParent(counted), ...conditionsOf(filter), ...local.conditions],
    " AND ",
  );
  const ofFacility = { facilityId: Prisma.sql`item."facilityId"`, timeZoneId: facilityTimeZone };
  const keyColumns = keys?.columns({ ...ofFacility, ...localMoment(facilityTimeZone, filter) });
  const rows = Prisma.sql`
    SELECT ${parentOf(counted)} AS "parentId"${keyColumns ?? Prisma.empty}, 1 AS "count"
    FROM ${sources.alerts} AS item JOIN "Facility" AS facility ON facility."workspaceId" = item."workspaceId" AND facility."id" = item."facilityId" WHERE ${conditions}`;
  return { calendar: local.clause, rows };
}

const parentOf = ({ parentColumn }: CountedAlerts) => Prisma.sql`item.${identifier(parentColumn)}`;

const belongsToParent = (counted: CountedAlerts) =>
  Prisma.sql`${parentOf(counted)} = ANY(${counted.parentIds}::uuid[])`;

/** The bounds of an open period: before and after everything in the calendar. */
const startOf = ({ start }: AlertFilter) =>
  start == null ? Prisma.sql`timestamptz '0001-01-01 00:00Z'` : Prisma.sql`${start}::timestamptz`;

const endOf = ({ end }: AlertFilter) =>
  end == null ? Prisma.sql`timestamptz '10000-01-01 00:00Z'` : Prisma.sql`${end}::timestamptz`;

function localMoment(
  timeZoneId: Prisma.Sql,
  filter: AlertFilter,
): Pick<CountedColumns, "localTime" | "localDay"> {
  const localTime = Prisma.sql`item."createdAt" AT TIME ZONE ${timeZoneId}`;
  return { localTime, localDay: Prisma.sql`${timeOnItsDay(filter, Prisma.sql`(${localTime})`)}::date` };
}

/** Without columns, all rows form one group, even if there are no rows. */
function groupByClause(columns: string[]): Prisma.Sql {
  return columns.length > 0 ? Prisma.sql`GROUP BY ${Prisma.join(columns.map(identifier))}` : Prisma.empty;
}
