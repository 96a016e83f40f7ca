-- { facilities { name cameras { name alertRules { name severity } alerts(first: 5) { nodes { name localCreatedAt } } lastAlert(type: "NO_HELMET") { createdAt } } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT coalesce(json_agg("record$"), '[]')
    FROM (
      SELECT "level1$".*, (
        SELECT coalesce(json_agg("record$"), '[]')
        FROM (
          SELECT "level2$".*, (
            SELECT coalesce(json_agg("record$"), '[]')
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
            ) AS "record$"
          ) AS "child0", (
            SELECT coalesce(json_agg("record$"), '[]')
            FROM (
              SELECT item."createdAt", item."id", item."name", (
                SELECT facility."effectiveTimeZoneId"
                FROM (
                  SELECT *
                  FROM "Facility"
                  WHERE "workspaceId" = $4::uuid
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
            ) AS "record$"
          ) AS "child1", (
            SELECT to_json("record$")
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
            ) AS "record$"
          ) AS "child2"
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
      ) AS "child0"
      FROM (
        SELECT item."id", item."name"
        FROM (
          SELECT *
          FROM "Facility"
          WHERE "workspaceId" = $9::uuid
        ) AS item
        WHERE item."workspaceId" = parent."id"
        ORDER BY item."name", item."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
