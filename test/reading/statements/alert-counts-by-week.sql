-- { facilities { alertCounts(filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }, aggregate: WEEK) { key count } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT coalesce(json_agg("record$"), '[]')
    FROM (
      SELECT json_build_object('0', json_build_array("level1$"."id")) AS "alertCounts"
      FROM (
        SELECT item."id"
        FROM (
          SELECT *
          FROM "Facility"
          WHERE "workspaceId" = $2::uuid AND "removedAt" IS NULL
        ) AS item
        WHERE item."workspaceId" = parent."id"
        ORDER BY item."name", item."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");

WITH facility AS MATERIALIZED (
  SELECT facility."id", facility."workspaceId", facility."effectiveTimeZoneId" AS "timeZoneId"
  FROM (
    SELECT *
    FROM "Facility"
    WHERE "workspaceId" = $1::uuid AND "removedAt" IS NULL
  ) AS facility
  WHERE facility."id" = ANY($2::uuid[])
), zone AS MATERIALIZED (
  SELECT zone."timeZoneId", days.*
  FROM (
    SELECT DISTINCT "timeZoneId"
    FROM facility
  ) AS zone
  CROSS JOIN "wholeDays"($3::timestamptz, $4::timestamptz, zone."timeZoneId") AS days
), calendar AS MATERIALIZED (
  SELECT facility."id" AS "facilityId", facility."workspaceId", zone.*
  FROM zone
  JOIN facility ON facility."timeZoneId" = zone."timeZoneId"
)
SELECT part."parentId", part."key", sum(part."count")::int AS "count"
FROM (
  SELECT counted.*
  FROM calendar
  CROSS JOIN LATERAL (
    SELECT calendar."facilityId" AS "parentId", to_char(item."day"::timestamp, $5) COLLATE "C" AS "key", sum(item."count")::int AS "count"
    FROM (
      SELECT *
      FROM "AlertDayCount"
      WHERE "workspaceId" = $6::uuid
    ) AS item
    WHERE item."facilityId" = calendar."facilityId" AND item."day" >= calendar."firstDay" AND item."day" < calendar."dayAfter"
    GROUP BY "key"
  ) AS counted
  UNION ALL
  SELECT counted.*
  FROM calendar
  CROSS JOIN LATERAL (VALUES ($7::timestamptz, calendar."begins"), (calendar."ends", $8::timestamptz)) AS margin("from", "until")
  CROSS JOIN LATERAL (
    SELECT calendar."facilityId" AS "parentId", to_char(item."createdAt" AT TIME ZONE calendar."timeZoneId", $9) COLLATE "C" AS "key", count(*)::int AS "count"
    FROM (
      SELECT *
      FROM "Alert"
      WHERE "workspaceId" = $10::uuid
    ) AS item
    WHERE item."facilityId" = calendar."facilityId" AND item."createdAt" >= margin."from" AND item."createdAt" < margin."until"
    GROUP BY "key"
  ) AS counted
) AS part
GROUP BY 1, 2
ORDER BY 1, 2;
