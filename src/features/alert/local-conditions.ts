import { identifier } from "../../engine/reading/identifier.js";
import type { RowSource } from "../../engine/reading/selection/selection.js";
import type { VisibleSources } from "../../engine/reading/visibility.js";
import { Prisma } from "../../generated/prisma/client.js";
import { facilityTimeZone } from "../facility/facility.loader.js";
import type { AlertFilter } from "./alert.input.js";
import { facilityConditionsOf } from "./alert-conditions.js";
import { type DayRange, givenFields } from "./alert-filter-fields.js";
import { hasLocalDays, type LocalTimeFilter, runOverMidnight } from "./local-time.input.js";

/** Whether a filter names more than days. Then the database must look at each alert. */
export const hasLocalTimes = (filter: LocalTimeFilter): boolean =>
  givenFields(filter).some(([field]) => "localTime" in field);

export const isOnLocalTime = (filter: LocalTimeFilter): boolean =>
  hasLocalDays(filter) || hasLocalTimes(filter);

interface LocalClock {
  timeZoneId: Prisma.Sql;
  now: Prisma.Sql;
}

/**
 * The first and the last day that a filter names, by the clock of a facility. If the filter has two ranges,
 * a day must lie in both.
 */
export function dayRange(filter: LocalTimeFilter, { timeZoneId, now }: LocalClock): DayRange {
  const today = Prisma.sql`(${now} AT TIME ZONE ${timeZoneId})::date`;
  return commonDays(
    givenFields(filter).flatMap(([field, value]) => ("days" in field ? [field.days(value, today)] : [])),
  );
}

/** The days that all ranges share. There are none if the result begins after it ends. */
export function commonDays(ranges: readonly Partial<DayRange>[]): DayRange {
  const [firsts, lasts] = [
    ranges.flatMap(({ first }) => first ?? []),
    ranges.flatMap(({ last }) => last ?? []),
  ];
  const only = (days: Prisma.Sql[], choice: Prisma.Sql) => {
    const [first, second] = days;
    return first && !second ? first : Prisma.sql`${choice}(${Prisma.join(days)})`;
  };
  return { first: only(firsts, Prisma.sql`greatest`), last: only(lasts, Prisma.sql`least`) };
}

/** The start of the filter's days, as the time after midnight. Earlier times belong to the day before. */
const startOfDays = ({ localTimes }: LocalTimeFilter) =>
  Prisma.sql`${runOverMidnight(localTimes) ? localTimes?.to : "00:00"}::interval`;

/** A local time on its day: times after midnight move to the day before if the filter's times span midnight. */
export const timeOnItsDay = (filter: LocalTimeFilter, local: Prisma.Sql): Prisma.Sql =>
  runOverMidnight(filter.localTimes) ? Prisma.sql`(${local} - ${startOfDays(filter)})` : local;

function localConditionsOf(filter: LocalTimeFilter, now: Prisma.Sql): Prisma.Sql[] {
  const clock: LocalClock = { timeZoneId: facilityTimeZone, now };
  const time = Prisma.sql`(item."createdAt" AT TIME ZONE ${clock.timeZoneId})`;
  const day = Prisma.sql`${timeOnItsDay(filter, time)}::date`;
  const conditions: Prisma.Sql[] = [];
  if (hasLocalDays(filter)) {
    const { first, last } = dayRange(filter, clock);
    conditions.push(Prisma.sql`${day} BETWEEN ${first} AND ${last}`);
  }
  for (const [field, value] of givenFields(filter))
    if ("localTime" in field) conditions.push(field.localTime({ time, day }, value));
  return conditions;
}

/** More than any change of clocks, even one that skips a day. */
const pastAnyChange = Prisma.sql`interval '26 hours'`;

/**
 * The instants at which clocks of a zone may first show a local time: by the offset from UTC at that time, and by those
 * before and after a nearby change of clocks. Before all of these instants, clocks show earlier times; from the latest
 * one on, they never do.
 */
function momentsOf(local: Prisma.Sql, zone: Prisma.Sql): Prisma.Sql {
  const before = Prisma.sql`(${local} - ${pastAnyChange}) AT TIME ZONE ${zone} + ${pastAnyChange}`;
  const after = Prisma.sql`(${local} + ${pastAnyChange}) AT TIME ZONE ${zone} - ${pastAnyChange}`;
  return Prisma.sql`${local} AT TIME ZONE ${zone}, ${before}, ${after}`;
}

/**
 * The period of the filter's days, as the WITH query `period`. Before `earliest` and from `latest` on, no
 * alert of any facility matches. From `begun` until `ending`, every alert of every facility matches.
 */
function periodOfDays(sources: VisibleSources, filter: AlertFilter, ofParent: Prisma.Sql[] = []): Prisma.Sql {
  const zone = Prisma.sql`zone."timeZoneId"`;
  const { first, last } = dayRange(filter, { timeZoneId: zone, now: sources.now });
  const [begins, ends] = [momentsOf(Prisma.sql`days."begin"`, zone), momentsOf(Prisma.sql`days."end"`, zone)];
  const named = Prisma.join(
    [Prisma.sql`true`, ...facilityConditionsOf(filter, Prisma.sql`facility."id"`), ...ofParent],
    " AND ",
  );
  return Prisma.sql`WITH period AS MATERIALIZED (
    SELECT min(least(${begins})) AS "earliest", max(greatest(${begins})) AS "begun", min(least(${ends})) AS "ending", max(greatest(${ends})) AS "latest"
    FROM (SELECT DISTINCT ${facilityTimeZone} AS "timeZoneId" FROM ${sources.facilities} AS facility WHERE ${named}) AS zone
    CROSS JOIN LATERAL (SELECT (${first})::date + ${startOfDays(filter)} AS "begin", (${last})::date + 1 + ${startOfDays(filter)} AS "end") AS days
  ) `;
}

/**
 * The alerts in the local time of a filter, readable in the order of an index. Alerts between the days of all
 * facilities need no look at the alert itself, only its position in the index, unless the filter names times of day.
 */
export function alertsInLocalTime(
  sources: VisibleSources,
  filter: AlertFilter | null,
  order: Prisma.Sql,
  ofParent?: Prisma.Sql[],
): RowSource {
  const { alerts, facilities, now } = sources;
  if (!filter || !isOnLocalTime(filter)) return { clause: Prisma.empty, rows: alerts };
  const conditions = localConditionsOf(filter, now);
  // Use a subquery: the planner might ignore the order for a join. For a subquery alone, it expects half of the alerts
  // to match.
  const matches = Prisma.sql`(
    SELECT ${Prisma.join(conditions, " AND ")} FROM ${facilities} AS facility WHERE facility."id" = item."facilityId")`;
  const among = (...all: Prisma.Sql[]) =>
    Prisma.sql`SELECT item.* FROM ${alerts} AS item WHERE ${Prisma.join(all, " AND ")}`;
  if (!hasLocalDays(filter)) return { clause: Prisma.empty, rows: Prisma.sql`(${among(matches)})` };
  const clause = periodOfDays(sources, filter, ofParent);
  if (hasLocalTimes(filter))
    return { clause, rows: Prisma.sql`(${among(isBetween(earliest, latest), matches)})` };
  const parts = [
    among(isBetween(earliest, Prisma.sql`least(${begun}, ${ending})`), matches),
    among(isBetween(begun, ending)),
    among(isBetween(ending, latest), matches),
  ];
  // Sort each part in this order, so that PostgreSQL can merge them.
  const ordered = parts.map((part) => Prisma.sql`(${part} ORDER BY ${order})`);
  return { clause, rows: Prisma.sql`(${Prisma.join(ordered, " UNION ALL ")})` };
}

const earliest = identifier("earliest");
const begun = identifier("begun");
const ending = identifier("ending");
const latest = identifier("latest");

/** Whether the alert with the alias `item` was raised between two moments of the WITH query `period`. */
const isBetween = (from: Prisma.Sql, until: Prisma.Sql) =>
  Prisma.sql`item."createdAt" >= (SELECT ${from} FROM period) AND item."createdAt" < (SELECT ${until} FROM period)`;

/**
 * The conditions on the local time of the alert with the alias `item`, for statements without an order, and
 * the WITH query that the conditions refer to, if any. Evaluates the time zone only if the instant alone
 * cannot decide.
 */
export function localConditionsWithPeriod(
  sources: VisibleSources,
  filter: AlertFilter,
): { clause: Prisma.Sql; conditions: Prisma.Sql[] } {
  const conditions = localConditionsOf(filter, sources.now);
  if (!hasLocalDays(filter)) return { clause: Prisma.empty, conditions };
  const exactly = Prisma.join(conditions, " AND ");
  const matches = hasLocalTimes(filter) ? exactly : Prisma.sql`(${isBetween(begun, ending)} OR ${exactly})`;
  return { clause: periodOfDays(sources, filter), conditions: [isBetween(earliest, latest), matches] };
}
