-- { alerts(first: 20, offset: 40, filter: { localDays: { from: "2026-11-01", to: "2026-11-07" }, localTimes: { from: "18:00", to: "06:00" }, daysOfWeek: [0, 6] }) { nodes { name } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT json_build_object('nodes', coalesce(json_agg("record0$"), '[]'))
    FROM (
      SELECT item."createdAt", item."id", item."name"
      FROM (
        WITH period AS MATERIALIZED (
          SELECT min(least(days."begin" AT TIME ZONE zone."timeZoneId", (days."begin" - interval '26 hours') AT TIME ZONE zone."timeZoneId" + interval '26 hours', (days."begin" + interval '26 hours') AT TIME ZONE zone."timeZoneId" - interval '26 hours')) AS "earliest", max(greatest(days."begin" AT TIME ZONE zone."timeZoneId", (days."begin" - interval '26 hours') AT TIME ZONE zone."timeZoneId" + interval '26 hours', (days."begin" + interval '26 hours') AT TIME ZONE zone."timeZoneId" - interval '26 hours')) AS "begun", min(least(days."end" AT TIME ZONE zone."timeZoneId", (days."end" - interval '26 hours') AT TIME ZONE zone."timeZoneId" + interval '26 hours', (days."end" + interval '26 hours') AT TIME ZONE zone."timeZoneId" - interval '26 hours')) AS "ending", max(greatest(days."end" AT TIME ZONE zone."timeZoneId", (days."end" - interval '26 hours') AT TIME ZONE zone."timeZoneId" + interval '26 hours', (days."end" + interval '26 hours') AT TIME ZONE zone."timeZoneId" - interval '26 hours')) AS "latest"
          FROM (
            SELECT DISTINCT facility."effectiveTimeZoneId" AS "timeZoneId"
            FROM (
              SELECT *
              FROM "Facility"
              WHERE "workspaceId" = $2::uuid AND "removedAt" IS NULL
            ) AS facility
            WHERE true
          ) AS zone
          CROSS JOIN LATERAL (
            SELECT ($3::date)::date + $4::interval AS "begin", ($5::date)::date + 1 + $6::interval AS "end"
          ) AS days
        )
        SELECT item."id"
        FROM (
          SELECT item.*
          FROM (
            SELECT *
            FROM "Alert"
            WHERE "workspaceId" = $7::uuid
          ) AS item
          WHERE item."createdAt" >= (
            SELECT "earliest"
            FROM period
          ) AND item."createdAt" < (
            SELECT "latest"
            FROM period
          ) AND (
            SELECT ((item."createdAt" AT TIME ZONE facility."effectiveTimeZoneId") - $8::interval)::date BETWEEN $9::date AND $10::date AND ((item."createdAt" AT TIME ZONE facility."effectiveTimeZoneId")::time >= $11::time OR (item."createdAt" AT TIME ZONE facility."effectiveTimeZoneId")::time < $12::time) AND extract(dow FROM ((item."createdAt" AT TIME ZONE facility."effectiveTimeZoneId") - $13::interval)::date)::int = ANY($14::int[])
            FROM (
              SELECT *
              FROM "Facility"
              WHERE "workspaceId" = $15::uuid AND "removedAt" IS NULL
            ) AS facility
            WHERE facility."id" = item."facilityId"
          )
        ) AS item
        WHERE item."workspaceId" = parent."id"
        ORDER BY item."createdAt" DESC, item."id" DESC
        LIMIT 20 OFFSET $16::int
      ) AS page
      CROSS JOIN LATERAL (
        SELECT *
        FROM (
          SELECT *
          FROM "Alert"
          WHERE "workspaceId" = $17::uuid
        ) AS item
        WHERE item."id" = page."id" OFFSET 0
      ) AS item
      ORDER BY item."createdAt" DESC, item."id" DESC
    ) AS "level1$"
    CROSS JOIN LATERAL (
      SELECT "level1$"."name" AS "name"
    ) AS "record0$"
  )::text OFFSET 0
) AS related("json");
