import { isTimeZone, substituteTimeZone } from "../platform/time.js";
import type { MigrationConnection } from "./migration-connection.js";

type Query = MigrationConnection["query"];

/**
 * A time zone that facilities have and that is not known, and the one by which their
 * times and days are told instead.
 */
export interface ReplacedTimeZone {
  timeZoneId: string;
  effectiveTimeZoneId: string;
  /** How many facilities have it. */
  facilities: number;
}

const maxListed = 100;

/**
 * The time zones of facilities that are not known, and what stands for them; at most 100.
 */
export async function replacedTimeZones(query: Query): Promise<ReplacedTimeZone[]> {
  const rows = await query(`
    SELECT "timeZoneId", "effectiveTimeZoneId", count(*)::int AS "facilities" FROM "Facility" WHERE "timeZoneId" <> "effectiveTimeZoneId"
    GROUP BY "timeZoneId", "effectiveTimeZoneId" ORDER BY "timeZoneId", "effectiveTimeZoneId" LIMIT ${maxListed}`);
  return rows as unknown as ReplacedTimeZone[];
}

/**
 * Finds out again which time zones of facilities are known, both to the database, on all
 * of its nodes, and to Node.js, and stores by which zones their times and days are told.
 * Another version of either may know more or fewer. Counts of days are left as they are.
 */
export async function updateTimeZones(query: Query): Promise<void> {
  const zones = await query(
    `SELECT DISTINCT "timeZoneId", "effectiveTimeZoneId", "timeZoneName"("timeZoneId") AS "name" FROM "Facility"`,
  );
  const doubtful = zones.filter(
    ({ effectiveTimeZoneId, name }) => effectiveTimeZoneId !== name || !isTimeZone(String(name)),
  );
  for (const timeZoneId of new Set(doubtful.map((zone) => String(zone.timeZoneId)))) {
    const known = await query(
      `SELECT DISTINCT "knownTimeZones"("timeZoneId") AS "names" FROM "Facility" WHERE "timeZoneId" = $1`,
      [timeZoneId],
    );
    const [names = [], ...others] = known.map((row) => row.names as string[]);
    const effective =
      names.find((name) => isTimeZone(name) && others.every((each) => each.includes(name))) ??
      substituteTimeZone;
    await query(
      `UPDATE "Facility" SET "effectiveTimeZoneId" = $2 WHERE "timeZoneId" = $1 AND "effectiveTimeZoneId" <> $2`,
      [timeZoneId, effective],
    );
  }
}

/** Tells an operator about a time zone that is not known. */
export const describeReplaced = ({ timeZoneId, effectiveTimeZoneId, facilities }: ReplacedTimeZone): string =>
  `The time zone ${JSON.stringify(timeZoneId)} of ${facilities} ${facilities === 1 ? "facility" : "facilities"} is not known to the database and ` +
  `to Node.js by this name: local times and days are those of ${effectiveTimeZoneId}.`;
