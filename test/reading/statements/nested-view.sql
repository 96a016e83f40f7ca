-- { facilities { name cameras { name alertRules { name severity } alerts(first: 5) { nodes { name localCreatedAt } } lastAlert(type: "NO_HELMET") { createdAt } } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT coalesce(json_agg("record$"), '[]')
    FROM (
      SELECT "level1$"."name" AS "name",(
        SELECT coalesce(json_agg("record$"), '[]')
        FROM (
          SELECT "level2$"."name" AS "name",(
            SELECT coalesce(json_agg("record$"), '[]')
            FROM (
              SELECT "level3$"."name" AS "name","level3$"."severity" AS "severity"
              FROM (
                SELECT item."id", item."name", item."severity"
                FROM (
                  SELECT *
                  FROM "AlertRule"
                  WHERE "workspaceId" = $2::uuid AND "cameraId" IN (
                    SELECT camera."id"
                    FROM (
                      SELECT *
                      FROM "Camera"
                      WHERE "workspaceId" = $3::uuid AND "removedAt" IS NULL
                    ) AS camera
                  )
                ) AS item
                WHERE item."cameraId" = "level2$"."id"
                ORDER BY item."name", item."id"
              ) AS "level3$"
            ) AS "record$"
          ) AS "alertRules",(
            SELECT json_build_object('nodes', coalesce(json_agg("record0$"), '[]'))
            FROM (
              SELECT item."createdAt", item."id", item."name", (
                SELECT facility."effectiveTimeZoneId"
                FROM (
                  SELECT *
                  FROM "Facility"
                  WHERE "workspaceId" = $4::uuid AND "removedAt" IS NULL
                ) AS facility
                WHERE facility."id" = item."facilityId"
              ) AS "timeZoneId"
              FROM (
                SELECT *
                FROM "Alert"
                WHERE "workspaceId" = $5::uuid
              ) AS item
              WHERE item."cameraId" = "level2$"."id"
              ORDER BY item."createdAt" DESC, item."id" DESC
              LIMIT 5
            ) AS "level3$"
            CROSS JOIN LATERAL (
              SELECT "level3$"."name" AS "name",json_build_object('0', json_build_array("level3$"."id","level3$"."createdAt","level3$"."timeZoneId")) AS "localCreatedAt"
            ) AS "record0$"
          ) AS "alerts",(
            SELECT to_json("record$")
            FROM (
              SELECT CASE WHEN "level3$"."createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z' THEN to_json(to_char("level3$"."createdAt", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) WHEN "level3$"."createdAt" IS NOT NULL THEN E'\tnull'::json END AS "createdAt"
              FROM (
                SELECT item."createdAt", item."id"
                FROM (
                  SELECT *
                  FROM "Alert"
                  WHERE "workspaceId" = $6::uuid
                ) AS item
                WHERE item."cameraId" = "level2$"."id" AND item."name" = $7
                ORDER BY item."createdAt" DESC, item."id" DESC
                LIMIT 1
              ) AS "level3$"
            ) AS "record$"
          ) AS "lastAlert"
          FROM (
            SELECT item."id", item."name"
            FROM (
              SELECT *
              FROM "Camera"
              WHERE "workspaceId" = $8::uuid AND "removedAt" IS NULL
            ) AS item
            WHERE item."facilityId" = "level1$"."id"
            ORDER BY item."name", item."id"
          ) AS "level2$"
        ) AS "record$"
      ) AS "cameras"
      FROM (
        SELECT item."id", item."name"
        FROM (
          SELECT *
          FROM "Facility"
          WHERE "workspaceId" = $9::uuid AND "removedAt" IS NULL
        ) AS item
        WHERE item."workspaceId" = parent."id"
        ORDER BY item."name", item."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
