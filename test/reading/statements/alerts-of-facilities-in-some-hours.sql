-- { facilities { alerts(first: 5, filter: { relativeDays: { from: 0, to: 0 }, localDays: { from: "2026-11-20", to: "2026-11-20" } }) { nodes { name } } } cameras { alerts(first: 5, filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z", hoursOfDay: [3] }) { nodes { name } totalCount } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT coalesce(json_agg("record$"), '[]')
    FROM (
      SELECT (
        SELECT json_build_object('nodes', coalesce(json_agg("record0$"), '[]'))
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
              WHERE true AND facility."id" = "level1$"."id"
            ) AS zone
            CROSS JOIN LATERAL (
              SELECT (greatest($3::date,($4::timestamptz AT TIME ZONE zone."timeZoneId")::date + $5::int))::date + $6::interval AS "begin", (least($7::date,($8::timestamptz AT TIME ZONE zone."timeZoneId")::date + $9::int))::date + 1 + $10::interval AS "end"
            ) AS days
          )
          SELECT item."createdAt", item."id", item."name"
          FROM ((
            SELECT item.*
            FROM (
              SELECT *
              FROM "Alert"
              WHERE "workspaceId" = $11::uuid
            ) AS item
            WHERE item."createdAt" >= (
              SELECT "earliest"
              FROM period
            ) AND item."createdAt" < (
              SELECT least("begun", "ending")
              FROM period
            ) AND (
              SELECT (item."createdAt" AT TIME ZONE facility."effectiveTimeZoneId")::date BETWEEN greatest($12::date,($13::timestamptz AT TIME ZONE facility."effectiveTimeZoneId")::date + $14::int) AND least($15::date,($16::timestamptz AT TIME ZONE facility."effectiveTimeZoneId")::date + $17::int)
              FROM (
                SELECT *
                FROM "Facility"
                WHERE "workspaceId" = $18::uuid AND "removedAt" IS NULL
              ) AS facility
              WHERE facility."id" = item."facilityId"
            )
            ORDER BY item."createdAt" DESC, item."id" DESC
          ) UNION ALL (
            SELECT item.*
            FROM (
              SELECT *
              FROM "Alert"
              WHERE "workspaceId" = $19::uuid
            ) AS item
            WHERE item."createdAt" >= (
              SELECT "begun"
              FROM period
            ) AND item."createdAt" < (
              SELECT "ending"
              FROM period
            )
            ORDER BY item."createdAt" DESC, item."id" DESC
          ) UNION ALL (
            SELECT item.*
            FROM (
              SELECT *
              FROM "Alert"
              WHERE "workspaceId" = $20::uuid
            ) AS item
            WHERE item."createdAt" >= (
              SELECT "ending"
              FROM period
            ) AND item."createdAt" < (
              SELECT "latest"
              FROM period
            ) AND (
              SELECT (item."createdAt" AT TIME ZONE facility."effectiveTimeZoneId")::date BETWEEN greatest($21::date,($22::timestamptz AT TIME ZONE facility."effectiveTimeZoneId")::date + $23::int) AND least($24::date,($25::timestamptz AT TIME ZONE facility."effectiveTimeZoneId")::date + $26::int)
              FROM (
                SELECT *
                FROM "Facility"
                WHERE "workspaceId" = $27::uuid AND "removedAt" IS NULL
              ) AS facility
              WHERE facility."id" = item."facilityId"
            )
            ORDER BY item."createdAt" DESC, item."id" DESC
          )) AS item
          WHERE item."facilityId" = "level1$"."id"
          ORDER BY item."createdAt" DESC, item."id" DESC
          LIMIT 5
        ) AS "level2$"
        CROSS JOIN LATERAL (
          SELECT "level2$"."name" AS "name"
        ) AS "record0$"
      ) AS "alerts"
      FROM (
        SELECT item."id"
        FROM (
          SELECT *
          FROM "Facility"
          WHERE "workspaceId" = $28::uuid AND "removedAt" IS NULL
        ) AS item
        WHERE item."workspaceId" = parent."id"
        ORDER BY item."name", item."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT coalesce(json_agg("record$"), '[]')
    FROM (
      SELECT (
        SELECT json_build_object('nodes', coalesce(json_agg("record0$"), '[]'),'totalCount', json_build_object('0', json_build_array("level1$"."id")))
        FROM (
          SELECT item."createdAt", item."id", item."name"
          FROM (
            SELECT item.*
            FROM (
              SELECT *
              FROM "Alert"
              WHERE "workspaceId" = $2::uuid
            ) AS item
            WHERE (
              SELECT extract(hour FROM (item."createdAt" AT TIME ZONE facility."effectiveTimeZoneId"))::int = ANY($3::int[])
              FROM (
                SELECT *
                FROM "Facility"
                WHERE "workspaceId" = $4::uuid AND "removedAt" IS NULL
              ) AS facility
              WHERE facility."id" = item."facilityId"
            )
          ) AS item
          WHERE item."cameraId" = "level1$"."id" AND item."createdAt" >= $5::timestamptz AND item."createdAt" < $6::timestamptz
          ORDER BY item."createdAt" DESC, item."id" DESC
          LIMIT 5
        ) AS "level2$"
        CROSS JOIN LATERAL (
          SELECT "level2$"."name" AS "name"
        ) AS "record0$"
      ) AS "alerts"
      FROM (
        SELECT item."id"
        FROM (
          SELECT *
          FROM "Camera"
          WHERE "workspaceId" = $7::uuid AND "removedAt" IS NULL
        ) AS item
        WHERE item."workspaceId" = parent."id"
        ORDER BY item."name", item."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");

SELECT part."parentId", sum(part."count")::int AS "count"
FROM (
  SELECT item."cameraId" AS "parentId", 1 AS "count"
  FROM (
    SELECT *
    FROM "Alert"
    WHERE "workspaceId" = $1::uuid
  ) AS item
  JOIN "Facility" AS facility ON facility."workspaceId" = item."workspaceId" AND facility."id" = item."facilityId"
  WHERE item."cameraId" = ANY($2::uuid[]) AND item."createdAt" >= $3::timestamptz AND item."createdAt" < $4::timestamptz AND extract(hour FROM (item."createdAt" AT TIME ZONE facility."effectiveTimeZoneId"))::int = ANY($5::int[])
) AS part
GROUP BY 1;
