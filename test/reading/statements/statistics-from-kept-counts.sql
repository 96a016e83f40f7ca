-- { alertStatistics(filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }, groupBy: [FACILITY, TYPE, WEEK], fillGaps: true) { count period type facility { name } } }

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
  SELECT part."facilityId" AS "facilityId",part."type" AS "type",to_char(part."day"::timestamp, $5) COLLATE "C" AS "period", sum(part."count")::int AS "count", greatest(min(($6::timestamptz AT TIME ZONE part."timeZoneId")::date), date '0001-01-01') AS "firstDay", least(max((($7::timestamptz - interval '1 millisecond') AT TIME ZONE part."timeZoneId")::date), date '9999-12-31') AS "lastDay"
  FROM (
    SELECT counted.*
    FROM calendar
    CROSS JOIN LATERAL (
      SELECT calendar."workspaceId" AS "parentId", calendar."facilityId" AS "facilityId", item."name" AS "type", item."day" AS "day", calendar."timeZoneId" AS "timeZoneId", sum(item."count")::int AS "count"
      FROM (
        SELECT *
        FROM "AlertDayKindCount"
        WHERE "workspaceId" = $8::uuid
      ) AS item
      WHERE item."facilityId" = calendar."facilityId" AND item."day" >= calendar."firstDay" AND item."day" < calendar."dayAfter"
      GROUP BY "type","day"
    ) AS counted
    UNION ALL
    SELECT counted.*
    FROM calendar
    CROSS JOIN LATERAL (VALUES ($9::timestamptz, calendar."begins"), (calendar."ends", $10::timestamptz)) AS margin("from", "until")
    CROSS JOIN LATERAL (
      SELECT calendar."workspaceId" AS "parentId", calendar."facilityId" AS "facilityId", item."name" AS "type", (item."createdAt" AT TIME ZONE calendar."timeZoneId")::date AS "day", calendar."timeZoneId" AS "timeZoneId", count(*)::int AS "count"
      FROM (
        SELECT *
        FROM "Alert"
        WHERE "workspaceId" = $11::uuid
      ) AS item
      WHERE item."facilityId" = calendar."facilityId" AND item."createdAt" >= margin."from" AND item."createdAt" < margin."until"
      GROUP BY "type","day"
    ) AS counted
  ) AS part
  GROUP BY 1,2,3 HAVING sum(part."count") > 0
  LIMIT $12
), days AS (
  SELECT "facilityId","type", min(found."firstDay") AS "firstDay", max(found."lastDay") AS "lastDay"
  FROM found
  GROUP BY "facilityId","type"
)
SELECT counted.*
FROM (
  SELECT "facilityId","type", "period", sum("count")::int AS "count"
  FROM (
    SELECT "facilityId","type", "period", "count"
    FROM found
    UNION ALL (
      SELECT "facilityId","type", to_char(each."start", $13) COLLATE "C", 0
      FROM days
      CROSS JOIN LATERAL generate_series(date_trunc($14, days."firstDay"::timestamp), days."lastDay"::timestamp, $15::interval) AS each("start")
      WHERE true
      LIMIT $16
    )
  ) AS part
  GROUP BY "facilityId","type", "period"
) AS counted LEFT
JOIN (
  SELECT *
  FROM "Facility"
  WHERE "workspaceId" = $17::uuid AND "removedAt" IS NULL
) AS "facilities" ON "facilities"."id" = counted."facilityId"
ORDER BY counted."period",counted."count" DESC,"facilities"."name",counted."facilityId",counted."type";

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT to_json("record$")
    FROM (
      SELECT "level1$"."name" AS "name"
      FROM (
        SELECT item."id", item."name"
        FROM (
          SELECT *
          FROM "Facility"
          WHERE "workspaceId" = $2::uuid AND "removedAt" IS NULL
        ) AS item
        WHERE item."id" = parent."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
