import { isTimeZone, substituteTimeZone } from "../../platform/time.js";
import type { MigrationConnection } from "./migration-connection.js";

type Query = MigrationConnection["query"];

/** An unknown time zone of facilities, and the zone that their times and days use instead. */
export interface ReplacedTimeZone {
  timeZoneId: string;
  effectiveTimeZoneId: string;
  facilities: number;
}

const maxListed = 100;

/** The unknown time zones of facilities with their replacements; at most 100. */
export async function replacedTimeZones(query: Query): Promise<ReplacedTimeZone[]> {
  return query<ReplacedTimeZone>(`
    SELECT "timeZoneId", "effectiveTimeZoneId", count(*)::int AS "facilities" FROM "Facility" WHERE "timeZoneId" <> "effectiveTimeZoneId"
    GROUP BY "timeZoneId", "effectiveTimeZoneId" ORDER BY "timeZoneId", "effectiveTimeZoneId" LIMIT ${maxListed}`);
}

/**
 * Checks again which time zones of facilities are known to both the database, on all of its nodes, and Node.js. Stores
 * the zone to use for each facility's times and days. Another version of the database or Node.js may know more or fewer
 * zones. Counts of days stay unchanged.
 */
export async function updateTimeZones(query: Query): Promise<void> {
  const zones = await query(
    `SELECT DISTINCT "timeZoneId", "effectiveTimeZoneId", "timeZoneName"("timeZoneId") AS "name" FROM "Facility"`,
  );
  const doubtful = zones.filter(
    ({ effectiveTimeZoneId, name }) => effectiveTimeZoneId !== name || !isTimeZone(String(name)),
  );
  for (const timeZoneId of new Set(doubtful.map((zone) => String(zone.timeZoneId)))) {
    const known = await query<{ names: string[] }>(
      `SELECT DISTINCT "knownTimeZones"("timeZoneId") AS "names" FROM "Facility" WHERE "timeZoneId" = $1`,
      [timeZoneId],
    );
    const [names = [], ...others] = known.map((row) => row.names);
    const effective =
      names.find((name) => isTimeZone(name) && others.every((each) => each.includes(name))) ??
      substituteTimeZone;
    await query(
      `UPDATE "Facility" SET "effectiveTimeZoneId" = $2 WHERE "timeZoneId" = $1 AND "effectiveTimeZoneId" <> $2`,
      [timeZoneId, effective],
    );
  }
}

export const describeReplaced = ({ timeZoneId, effectiveTimeZoneId, facilities }: ReplacedTimeZone): string =>
  `The time zone ${JSON.stringify(timeZoneId)} of ${facilities} ${facilities === 1 ? "facility" : "facilities"} is not known to the database and ` +
  `to Node.js by this name: local times and days are those of ${effectiveTimeZoneId}.`;
