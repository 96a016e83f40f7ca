-- { alerts(first: 20, filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }) { nodes { deliveries { state } } } cameras { alertRules { apiNotification { url } deliveries(first: 2) { nodes { state } } } } }

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
          SELECT item."createdAt", item."id", item."state"
          FROM (
            SELECT *
            FROM "Delivery"
            WHERE "workspaceId" = $2::uuid AND ("cameraId" IS NULL OR EXISTS (
              SELECT 1
              FROM (
                SELECT *
                FROM "Camera"
                WHERE "workspaceId" = $3::uuid AND "removedAt" IS NULL
              ) AS camera
              WHERE camera."id" = "Delivery"."cameraId"
            ))
          ) AS item
          WHERE item."alertId" = "level1$"."id"
          ORDER BY item."createdAt" DESC, item."id" DESC
        ) AS "record$"
      ) AS "child0"
      FROM (
        SELECT item."createdAt", item."id"
        FROM (
          SELECT *
          FROM "Alert"
          WHERE "workspaceId" = $4::uuid
        ) AS item
        WHERE item."workspaceId" = parent."id" AND item."createdAt" >= $5::timestamptz AND item."createdAt" < $6::timestamptz
        ORDER BY item."createdAt" DESC, item."id" DESC
        LIMIT 20
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
      SELECT "level1$".*, (
        SELECT coalesce(json_agg("record$"), '[]')
        FROM (
          SELECT "level2$".*, (
            SELECT coalesce(json_agg("record$"), '[]')
            FROM (
              SELECT item."createdAt", item."id", item."state"
              FROM (
                SELECT *
                FROM "Delivery"
                WHERE "workspaceId" = $2::uuid AND ("cameraId" IS NULL OR EXISTS (
                  SELECT 1
                  FROM (
                    SELECT *
                    FROM "Camera"
                    WHERE "workspaceId" = $3::uuid AND "removedAt" IS NULL
                  ) AS camera
                  WHERE camera."id" = "Delivery"."cameraId"
                ))
              ) AS item
              WHERE item."alertRuleId" = "level2$"."id"
              ORDER BY item."createdAt" DESC, item."id" DESC
              LIMIT 2
            ) AS "record$"
          ) AS "child0"
          FROM (
            SELECT (
              SELECT camera."facilityId"
              FROM (
                SELECT *
                FROM "Camera"
                WHERE "workspaceId" = $4::uuid AND "removedAt" IS NULL
              ) AS camera
              WHERE camera."id" = item."cameraId"
            ) AS "facilityId", item."id", item."notificationEnabled", item."notificationSecret", item."notificationUrl"
            FROM (
              SELECT *
              FROM "AlertRule"
              WHERE "workspaceId" = $5::uuid AND "cameraId" IN (
                SELECT camera."id"
                FROM (
                  SELECT *
                  FROM "Camera"
                  WHERE "workspaceId" = $6::uuid AND "removedAt" IS NULL
                ) AS camera
              )
            ) AS item
            WHERE item."cameraId" = "level1$"."id"
            ORDER BY item."name", item."id"
          ) AS "level2$"
        ) AS "record$"
      ) AS "child0"
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
