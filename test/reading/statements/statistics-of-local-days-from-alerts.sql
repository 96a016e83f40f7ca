-- { alertStatistics(filter: { relativeDays: { from: -6, to: 0 } }, groupBy: [HOUR_OF_DAY]) { count } }

WITH period AS MATERIALIZED (
  SELECT min(least(days."begin" AT TIME ZONE zone."timeZoneId", (days."begin" - interval '26 hours') AT TIME ZONE zone."timeZoneId" + interval '26 hours', (days."begin" + interval '26 hours') AT TIME ZONE zone."timeZoneId" - interval '26 hours')) AS "earliest", max(greatest(days."begin" AT TIME ZONE zone."timeZoneId", (days."begin" - interval '26 hours') AT TIME ZONE zone."timeZoneId" + interval '26 hours', (days."begin" + interval '26 hours') AT TIME ZONE zone."timeZoneId" - interval '26 hours')) AS "begun", min(least(days."end" AT TIME ZONE zone."timeZoneId", (days."end" - interval '26 hours') AT TIME ZONE zone."timeZoneId" + interval '26 hours', (days."end" + interval '26 hours') AT TIME ZONE zone."timeZoneId" - interval '26 hours')) AS "ending", max(greatest(days."end" AT TIME ZONE zone."timeZoneId", (days."end" - interval '26 hours') AT TIME ZONE zone."timeZoneId" + interval '26 hours', (days."end" + interval '26 hours') AT TIME ZONE zone."timeZoneId" - interval '26 hours')) AS "latest"
  FROM (
    SELECT DISTINCT facility."effectiveTimeZoneId" AS "timeZoneId"
    FROM (
      SELECT *
      FROM "Facility"
      WHERE "workspaceId" = $1::uuid AND "removedAt" IS NULL
    ) AS facility
    WHERE true
  ) AS zone
  CROSS JOIN LATERAL (
    SELECT (($2::timestamptz AT TIME ZONE zone."timeZoneId")::date + $3::int)::date + $4::interval AS "begin", (($5::timestamptz AT TIME ZONE zone."timeZoneId")::date + $6::int)::date + 1 + $7::interval AS "end"
  ) AS days
)
SELECT counted.*
FROM (
  SELECT part."hourOfDay" AS "hourOfDay", sum(part."count")::int AS "count"
  FROM (
    SELECT item."workspaceId" AS "parentId", date_part('hour', item."createdAt" AT TIME ZONE facility."effectiveTimeZoneId")::int AS "hourOfDay", 1 AS "count"
    FROM (
      SELECT *
      FROM "Alert"
      WHERE "workspaceId" = $8::uuid
    ) AS item
    JOIN "Facility" AS facility ON facility."workspaceId" = item."workspaceId" AND facility."id" = item."facilityId"
    WHERE item."workspaceId" = ANY($9::uuid[]) AND item."createdAt" >= (
      SELECT "earliest"
      FROM period
    ) AND item."createdAt" < (
      SELECT "latest"
      FROM period
    ) AND (item."createdAt" >= (
      SELECT "begun"
      FROM period
    ) AND item."createdAt" < (
      SELECT "ending"
      FROM period
    ) OR (item."createdAt" AT TIME ZONE facility."effectiveTimeZoneId")::date BETWEEN ($10::timestamptz AT TIME ZONE facility."effectiveTimeZoneId")::date + $11::int AND ($12::timestamptz AT TIME ZONE facility."effectiveTimeZoneId")::date + $13::int)
  ) AS part
  GROUP BY 1 HAVING sum(part."count") > 0
  LIMIT $14
) AS counted
ORDER BY counted."hourOfDay",counted."count" DESC;
