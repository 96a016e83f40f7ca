-- { alertStatistics(filter: { relativeDays: { from: -6, to: 0 } }, groupBy: [DAY, TYPE], fillGaps: true) { count } }

WITH found AS MATERIALIZED (
  WITH facility AS MATERIALIZED (
    SELECT facility."id", facility."workspaceId", facility."effectiveTimeZoneId" AS "timeZoneId"
    FROM (
      SELECT *
      FROM "Facility"
      WHERE "workspaceId" = $1::uuid AND "removedAt" IS NULL
    ) AS facility
    WHERE facility."workspaceId" = ANY($2::uuid[])
  ), zone AS MATERIALIZED (
    SELECT zone."timeZoneId", named.*
    FROM (
      SELECT DISTINCT "timeZoneId"
      FROM facility
    ) AS zone
    CROSS JOIN LATERAL (
      SELECT ($3::timestamptz AT TIME ZONE zone."timeZoneId")::date + $4::int AS "firstNamed", ($5::timestamptz AT TIME ZONE zone."timeZoneId")::date + $6::int AS "lastNamed"
    ) AS named
  ), calendar AS MATERIALIZED (
    SELECT facility."id" AS "facilityId", facility."workspaceId", zone.*
    FROM zone
    JOIN facility ON facility."timeZoneId" = zone."timeZoneId"
  )
  SELECT to_char(part."day"::timestamp, $7) COLLATE "C" AS "period",part."type" AS "type", sum(part."count")::int AS "count", greatest(min(($8::timestamptz AT TIME ZONE part."timeZoneId")::date + $9::int), date '0001-01-01') AS "firstDay", least(max(($10::timestamptz AT TIME ZONE part."timeZoneId")::date + $11::int), date '9999-12-31') AS "lastDay"
  FROM (
    SELECT counted.*
    FROM calendar
    CROSS JOIN LATERAL (
      SELECT calendar."workspaceId" AS "parentId", item."day" AS "day", item."name" AS "type", calendar."timeZoneId" AS "timeZoneId", sum(item."count")::int AS "count"
      FROM (
        SELECT *
        FROM "AlertDayKindCount"
        WHERE "workspaceId" = $12::uuid
      ) AS item
      WHERE item."facilityId" = calendar."facilityId" AND item."day" BETWEEN calendar."firstNamed" AND calendar."lastNamed"
      GROUP BY "day","type"
    ) AS counted
  ) AS part
  GROUP BY 1,2 HAVING sum(part."count") > 0
  LIMIT $13
), days AS (
  SELECT "type", min(found."firstDay") AS "firstDay", max(found."lastDay") AS "lastDay"
  FROM found
  GROUP BY "type"
)
SELECT counted.*
FROM (
  SELECT "type", "period", sum("count")::int AS "count"
  FROM (
    SELECT "type", "period", "count"
    FROM found
    UNION ALL (
      SELECT "type", to_char(each."start", $14) COLLATE "C", 0
      FROM days
      CROSS JOIN LATERAL generate_series(date_trunc($15, days."firstDay"::timestamp), days."lastDay"::timestamp, $16::interval) AS each("start")
      WHERE true
      LIMIT $17
    )
  ) AS part
  GROUP BY "type", "period"
) AS counted
ORDER BY counted."period",counted."count" DESC,counted."type";
