-- { alerts(filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }) { totalCount } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT json_build_object('totalCount', json_build_object('0', json_build_array(parent."id")))
  )::text OFFSET 0
) AS related("json");

WITH facility AS MATERIALIZED (
  SELECT facility."id", facility."workspaceId", facility."effectiveTimeZoneId" AS "timeZoneId"
  FROM (
    SELECT *
    FROM "Facility"
    WHERE "workspaceId" = $1::uuid AND "removedAt" IS NULL
  ) AS facility
  WHERE facility."workspaceId" = ANY($2::uuid[])
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
SELECT part."parentId", sum(part."count")::int AS "count"
FROM (
  SELECT counted.*
  FROM calendar
  CROSS JOIN LATERAL (
    SELECT calendar."workspaceId" AS "parentId", sum(item."count")::int AS "count"
    FROM (
      SELECT *
      FROM "AlertDayCount"
      WHERE "workspaceId" = $5::uuid
    ) AS item
    WHERE item."facilityId" = calendar."facilityId" AND item."day" >= calendar."firstDay" AND item."day" < calendar."dayAfter"
  ) AS counted
  UNION ALL
  SELECT counted.*
  FROM calendar
  CROSS JOIN LATERAL (VALUES ($6::timestamptz, calendar."begins"), (calendar."ends", $7::timestamptz)) AS margin("from", "until")
  CROSS JOIN LATERAL (
    SELECT calendar."workspaceId" AS "parentId", count(*)::int AS "count"
    FROM (
      SELECT *
      FROM "Alert"
      WHERE "workspaceId" = $8::uuid
    ) AS item
    WHERE item."facilityId" = calendar."facilityId" AND item."createdAt" >= margin."from" AND item."createdAt" < margin."until"
  ) AS counted
) AS part
GROUP BY 1;
