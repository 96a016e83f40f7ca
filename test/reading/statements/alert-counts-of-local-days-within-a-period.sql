-- { cameras { alertCounts(filter: { start: "2026-11-01T00:00:00Z", localDays: { from: "2026-11-01", to: "2026-11-07" } }, aggregate: DAY) { key count } } }

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
          FROM "Camera"
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
  WHERE facility."id" IN (
    SELECT item."facilityId"
    FROM (
      SELECT *
      FROM "AlertDayCount"
      WHERE "workspaceId" = $2::uuid
    ) AS item
    WHERE item."cameraId" = ANY($3::uuid[]) AND item."day" BETWEEN ($4::timestamptz AT TIME ZONE 'UTC')::date - 1 AND (timestamptz '10000-01-01 00:00Z' AT TIME ZONE 'UTC')::date + 1
  )
), zone AS MATERIALIZED (
  SELECT zone."timeZoneId", days.*, named.*
  FROM (
    SELECT DISTINCT "timeZoneId"
    FROM facility
  ) AS zone
  CROSS JOIN "wholeDays"($5::timestamptz, timestamptz '10000-01-01 00:00Z', zone."timeZoneId") AS days
  CROSS JOIN LATERAL (
    SELECT $6::date AS "firstNamed", $7::date AS "lastNamed"
  ) AS named
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
    SELECT item."cameraId" AS "parentId", to_char(item."day"::timestamp, $8) COLLATE "C" AS "key", sum(item."count")::int AS "count"
    FROM (
      SELECT *
      FROM "AlertDayCount"
      WHERE "workspaceId" = $9::uuid
    ) AS item
    WHERE item."facilityId" = calendar."facilityId" AND item."day" >= calendar."firstDay" AND item."day" < calendar."dayAfter" AND item."day" BETWEEN calendar."firstNamed" AND calendar."lastNamed" AND item."cameraId" = ANY($10::uuid[])
    GROUP BY "parentId","key"
  ) AS counted
  UNION ALL
  SELECT counted.*
  FROM calendar
  CROSS JOIN LATERAL (VALUES ($11::timestamptz, calendar."begins"), (calendar."ends", timestamptz '10000-01-01 00:00Z')) AS margin("from", "until")
  CROSS JOIN LATERAL (
    SELECT item."cameraId" AS "parentId", to_char(item."createdAt" AT TIME ZONE calendar."timeZoneId", $12) COLLATE "C" AS "key", count(*)::int AS "count"
    FROM (
      SELECT *
      FROM "Alert"
      WHERE "workspaceId" = $13::uuid
    ) AS item
    WHERE item."facilityId" = calendar."facilityId" AND item."createdAt" >= margin."from" AND item."createdAt" < margin."until" AND item."cameraId" = ANY($14::uuid[]) AND (item."createdAt" AT TIME ZONE calendar."timeZoneId")::date BETWEEN calendar."firstNamed" AND calendar."lastNamed"
    GROUP BY "parentId","key"
  ) AS counted
) AS part
GROUP BY 1, 2
ORDER BY 1, 2;
