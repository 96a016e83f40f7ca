import { identifier } from "../../../engine/reading/identifier.js";
import type { ReadingContext } from "../../../engine/reading/loader.js";
import type { RowSource } from "../../../engine/reading/selection/selection.js";
import type { VisibleSources } from "../../../engine/reading/visibility.js";
import { Prisma } from "../../../generated/prisma/client.js";
import { badRequest } from "../../../platform/errors/errors.js";
import { facilityTimeZone } from "../../facility/facility.loader.js";
import type { AlertFilter } from "../alert.input.js";
import { facilityConditionsOf } from "../alert-conditions.js";
import type { AlertColumn, DayRange } from "../alert-filter-fields.js";
import { commonDays, dayRange, timeOnItsDay } from "../local-conditions.js";
import { hasLocalDays } from "../local-time.input.js";
import { CountAggregate } from "./alert-count.type.js";
import { type CountKeys, keptCountsFor, partialCounts, periodFormats } from "./alert-counts.js";
import type { AlertDimension } from "./alert-statistic.type.js";

export const maxGroups = 10_000;

interface AlertStatisticsRequest {
  filter: AlertFilter;
  groupBy: readonly AlertDimension[];
  fillGaps: boolean;
}

/** A group of alerts. Dimensions that were not requested are absent. */
export interface AlertStatisticRow {
  count: number;
  period?: string;
  hourOfDay?: number;
  dayOfWeek?: number;
  type?: string;
  severity?: string | null;
  facilityId?: string;
  cameraId?: string;
  alertRuleId?: string | null;
}

interface Dimension {
  column: string;
  counted: CountKeys["columns"];
  shownAs: keyof AlertStatisticRow;
  shown?: (column: Prisma.Sql) => Prisma.Sql;
  /** The period that this dimension stands for. A request may group by one period. */
  period?: CountAggregate;
  isCalendar?: true;
  /** The column that this dimension reads, where only the alert or some counts have it. */
  asked?: AlertColumn;
  entities?: "facilities" | "cameras" | "alertRules";
}

const ofItem = (column: "severity" | "cameraId" | "alertRuleId") => ({
  column,
  counted: () => Prisma.sql`item.${identifier(column)}`,
  shownAs: column,
  asked: column,
});
const ofDay = {
  column: "day",
  counted: ({ localDay }: { localDay: Prisma.Sql }) => localDay,
  isCalendar: true as const,
};
const periods = (period: CountAggregate): Dimension => ({
  ...ofDay,
  shownAs: "period",
  shown: (day) => Prisma.sql`to_char(${day}::timestamp, ${periodFormats[period]}) COLLATE "C"`,
  period,
});

const dimensions: Record<AlertDimension, Dimension> = {
  DAY: periods(CountAggregate.DAY),
  WEEK: periods(CountAggregate.WEEK),
  MONTH: periods(CountAggregate.MONTH),
  HOUR_OF_DAY: {
    column: "hourOfDay",
    shownAs: "hourOfDay",
    counted: ({ localTime }) => Prisma.sql`date_part('hour', ${localTime})::int`,
    isCalendar: true,
    asked: "createdAt",
  },
  DAY_OF_WEEK: {
    ...ofDay,
    shownAs: "dayOfWeek",
    shown: (day) => Prisma.sql`date_part('isodow', ${day})::int`,
  },
  TYPE: { column: "type", shownAs: "type", counted: () => Prisma.sql`item."name"`, asked: "name" },
  SEVERITY: ofItem("severity"),
  FACILITY: {
    column: "facilityId",
    shownAs: "facilityId",
    counted: ({ facilityId }) => facilityId,
    entities: "facilities",
  },
  CAMERA: { ...ofItem("cameraId"), entities: "cameras" },
  ALERT_RULE: { ...ofItem("alertRuleId"), entities: "alertRules" },
};

export const periodOf = (dimension: AlertDimension): CountAggregate | undefined =>
  dimensions[dimension].period;

/** The costs of counting alerts by days, and of counting them one by one. */
export const costOfDays = 100;
export const costOfAlerts = 5_000;

/** The cost of statistics in an operation's unit: by days rather than alerts if daily counts can answer. */
export const costOfStatistics = ({
  filter,
  groupBy,
}: Pick<AlertStatisticsRequest, "filter" | "groupBy">): number =>
  keptCountsFor(filter, columnsAskedBy(groupBy)) ? costOfDays : costOfAlerts;

const columnsAskedBy = (groupBy: readonly AlertDimension[]): AlertColumn[] =>
  groupBy.flatMap((dimension) => dimensions[dimension].asked ?? []);

/**
 * Counts the visible alerts of a filter by dimensions. Orders groups by the calendar, then by count (largest
 * first), then by name. Each alert counts by the calendar of its facility.
 */
export async function alertStatistics(
  context: ReadingContext,
  workspaceId: string,
  request: AlertStatisticsRequest,
): Promise<AlertStatisticRow[]> {
  const groups = await context.visible.query<AlertStatisticRow>((sources) =>
    statisticsStatement(sources, workspaceId, request),
  );
  if (groups.length <= maxGroups) return groups;
  throw badRequest([
    {
      path: "groupBy",
      message: `makes more than ${maxGroups} groups: use a narrower filter, longer periods or fewer dimensions`,
    },
  ]);
}

function statisticsStatement(
  sources: VisibleSources,
  workspaceId: string,
  { filter, groupBy, fillGaps }: AlertStatisticsRequest,
): Prisma.Sql {
  const asked = groupBy.map((dimension) => dimensions[dimension]);
  const columns = new Map(asked.map(({ column, counted }) => [column, counted]));
  const period = fillGaps ? asked.find((dimension) => dimension.period)?.period : undefined;
  if (period) columns.set("timeZoneId", ({ timeZoneId }) => timeZoneId);
  const keys: CountKeys = {
    columns: (of) =>
      Prisma.join(
        [
          Prisma.empty,
          ...[...columns].map(([name, counted]) => Prisma.sql`${counted(of)} AS ${identifier(name)}`),
        ],
        ", ",
      ),
    asked: columnsAskedBy(groupBy),
    names: [...columns.keys()].filter((name) => name !== "facilityId" && name !== "timeZoneId"),
  };
  const counted = { parentColumn: "workspaceId", parentIds: [workspaceId], filter };
  const { calendar, rows } = partialCounts(sources, counted, keys);
  const shown = asked.map(({ column, shown = (value) => value, shownAs }) => {
    return Prisma.sql`${shown(Prisma.sql`part.${identifier(column)}`)} AS ${identifier(shownAs)}`;
  });
  const calendarOrder = asked.filter(({ isCalendar }) => isCalendar).map(shownColumn);
  const nameOrder = asked.filter(({ isCalendar }) => !isCalendar).flatMap(nameColumns);
  const found = Prisma.sql`
    SELECT ${Prisma.join(shown)}, sum(part."count")::int AS "count"${period ? Prisma.sql`, ${outermostDays(filter, sources.now)}` : Prisma.empty}
    FROM (${rows}) AS part GROUP BY ${Prisma.join(asked.map((_, index) => Prisma.raw(String(index + 1))))} HAVING sum(part."count") > 0
    LIMIT ${maxGroups + 1}`;
  const groups = period
    ? withGaps(sources, filter, asked, period, Prisma.sql`${calendar} ${found}`)
    : { clause: calendar, rows: found };
  return Prisma.sql`
    ${groups.clause} SELECT counted.* FROM (${groups.rows}) AS counted ${Prisma.join([Prisma.empty, ...asked.map((dimension) => namesOf(sources, dimension))], " ")}
    ORDER BY ${Prisma.join([...calendarOrder, Prisma.sql`counted."count" DESC`, ...nameOrder])}`;
}

const shownColumn = ({ shownAs }: Dimension) => Prisma.sql`counted.${identifier(shownAs)}`;

const nameColumns = (dimension: Dimension): Prisma.Sql[] => [
  ...(dimension.entities ? [Prisma.sql`${identifier(dimension.entities)}."name"`] : []),
  shownColumn(dimension),
];

function namesOf(sources: VisibleSources, { entities, column }: Dimension): Prisma.Sql {
  if (!entities) return Prisma.empty;
  const alias = identifier(entities);
  return Prisma.sql`LEFT JOIN ${sources[entities]} AS ${alias} ON ${alias}."id" = counted.${identifier(column)}`;
}

/**
 * The first and the last local day of the filter's period among the facilities of a group's alerts, within
 * the years of the calendar.
 */
function outermostDays(filter: AlertFilter, now: Prisma.Sql): Prisma.Sql {
  const { first, last } = daysOfPeriod(filter, now);
  return Prisma.sql`
    greatest(min(${first}), date '0001-01-01') AS "firstDay", least(max(${last}), date '9999-12-31') AS "lastDay"`;
}

/** The first and the last day of the filter's period by the clock of the facility with the alias `part`. */
function daysOfPeriod(filter: AlertFilter, now: Prisma.Sql): DayRange {
  const { start, end } = filter;
  const timeZoneId = Prisma.sql`part."timeZoneId"`;
  const dayOf = (moment: Prisma.Sql) =>
    Prisma.sql`${timeOnItsDay(filter, Prisma.sql`(${moment} AT TIME ZONE ${timeZoneId})`)}::date`;
  return commonDays([
    ...(start == null ? [] : [{ first: dayOf(Prisma.sql`${start}::timestamptz`) }]),
    ...(end == null ? [] : [{ last: dayOf(Prisma.sql`(${end}::timestamptz - interval '1 millisecond')`) }]),
    ...(hasLocalDays(filter) ? [dayRange(filter, { timeZoneId, now })] : []),
  ]);
}

/**
 * Adds a count of 0 for each period without alerts in which a combination of the other dimensions could have
 * some.
 */
function withGaps(
  sources: VisibleSources,
  filter: AlertFilter,
  asked: readonly Dimension[],
  period: CountAggregate,
  found: Prisma.Sql,
): RowSource {
  const others = asked.flatMap((dimension) => (dimension.period ? [] : [dimension.shownAs]));
  const columns = Prisma.join([...others.map(identifier), Prisma.empty]);
  const combinations =
    others.length > 0
      ? Prisma.sql`GROUP BY ${Prisma.join(others.map(identifier))}`
      : Prisma.sql`HAVING count(*) > 0 UNION ALL ${daysWithoutAlerts(sources, filter)}`;
  const isPossible =
    period === CountAggregate.DAY && others.includes("dayOfWeek")
      ? Prisma.sql`date_part('isodow', each."start")::int = days."dayOfWeek"`
      : Prisma.sql`true`;
  const unit = period.toLowerCase();
  return {
    clause: Prisma.sql`
      WITH found AS MATERIALIZED (${found}),
      days AS (SELECT ${columns} min(found."firstDay") AS "firstDay", max(found."lastDay") AS "lastDay" FROM found ${combinations})`,
    rows: Prisma.sql`
      SELECT ${columns} "period", sum("count")::int AS "count" FROM (
        SELECT ${columns} "period", "count" FROM found
        UNION ALL (
          SELECT ${columns} to_char(each."start", ${periodFormats[period]}) COLLATE "C", 0
          FROM days CROSS JOIN LATERAL
            generate_series(date_trunc(${unit}, days."firstDay"::timestamp), days."lastDay"::timestamp, ${`1 ${unit}`}::interval) AS each("start")
          WHERE ${isPossible} LIMIT ${maxGroups + 1})
      ) AS part GROUP BY ${columns} "period"`,
  };
}

/** The days of a filter without alerts, by the clocks of the facilities that it names, or of all visible ones. */
function daysWithoutAlerts({ facilities, now }: VisibleSources, filter: AlertFilter): Prisma.Sql {
  const { first, last } = daysOfPeriod(filter, now);
  const conditions = [
    Prisma.sql`NOT EXISTS (SELECT FROM found)`,
    ...facilityConditionsOf(filter, Prisma.sql`part."id"`),
    ...(hasLocalDays(filter) ? [Prisma.sql`${first} <= ${last}`] : []),
  ];
  return Prisma.sql`
    SELECT ${outermostDays(filter, now)}
    FROM (SELECT facility."id", ${facilityTimeZone} AS "timeZoneId" FROM ${facilities} AS facility) AS part
    WHERE ${Prisma.join(conditions, " AND ")} HAVING count(*) > 0`;
}
