-- { alerts(first: 20, filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }) { nodes { deliveries { state } } } cameras { alertRules { apiNotification { url } deliveries(first: 2) { nodes { state } } } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT json_build_object('nodes', coalesce(json_agg("record0$"), '[]'))
    FROM (
      SELECT item."createdAt", item."id"
      FROM (
        SELECT *
        FROM "Alert"
        WHERE "workspaceId" = $2::uuid
      ) AS item
      WHERE item."workspaceId" = parent."id" AND item."createdAt" >= $3::timestamptz AND item."createdAt" < $4::timestamptz
      ORDER BY item."createdAt" DESC, item."id" DESC
      LIMIT 20
    ) AS "level1$"
    CROSS JOIN LATERAL (
      SELECT (
        SELECT coalesce(json_agg("record$"), '[]')
        FROM (
          SELECT "level2$"."state" AS "state"
          FROM (
            SELECT item."createdAt", item."id", item."state"
            FROM (
              SELECT *
              FROM "Delivery"
              WHERE "streamRequestId" IS NULL AND "workspaceId" = $5::uuid AND CASE WHEN "facilityId" IS NULL THEN "kind" IN ('INVITATION', 'DIGEST') ELSE EXISTS (
                SELECT 1
                FROM (
                  SELECT *
                  FROM "Facility"
                  WHERE "workspaceId" = $6::uuid AND "removedAt" IS NULL
                ) AS facility
                WHERE facility."id" = "Delivery"."facilityId"
              ) AND ("cameraId" IS NULL OR EXISTS (
                SELECT 1
                FROM (
                  SELECT *
                  FROM "Camera"
                  WHERE "workspaceId" = $7::uuid AND "removedAt" IS NULL
                ) AS camera
                WHERE camera."id" = "Delivery"."cameraId"
              )) END
            ) AS item
            WHERE item."alertId" = "level1$"."id"
            ORDER BY item."createdAt" DESC, item."id" DESC
          ) AS "level2$"
        ) AS "record$"
      ) AS "deliveries"
    ) AS "record0$"
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
        SELECT coalesce(json_agg("record$"), '[]')
        FROM (
          SELECT json_build_object('0', json_build_array("level2$"."id","level2$"."notificationUrl","level2$"."notificationEnabled","level2$"."notificationSecret","level2$"."facilityId")) AS "apiNotification",(
            SELECT json_build_object('nodes', coalesce(json_agg("record0$"), '[]'))
            FROM (
              SELECT item."createdAt", item."id", item."state"
              FROM (
                SELECT *
                FROM "Delivery"
                WHERE "streamRequestId" IS NULL AND "workspaceId" = $2::uuid AND CASE WHEN "facilityId" IS NULL THEN "kind" IN ('INVITATION', 'DIGEST') ELSE EXISTS (
                  SELECT 1
                  FROM (
                    SELECT *
                    FROM "Facility"
                    WHERE "workspaceId" = $3::uuid AND "removedAt" IS NULL
                  ) AS facility
                  WHERE facility."id" = "Delivery"."facilityId"
                ) AND ("cameraId" IS NULL OR EXISTS (
                  SELECT 1
                  FROM (
                    SELECT *
                    FROM "Camera"
                    WHERE "workspaceId" = $4::uuid AND "removedAt" IS NULL
                  ) AS camera
                  WHERE camera."id" = "Delivery"."cameraId"
                )) END
              ) AS item
              WHERE item."alertRuleId" = "level2$"."id"
              ORDER BY item."createdAt" DESC, item."id" DESC
              LIMIT 2
            ) AS "level3$"
            CROSS JOIN LATERAL (
              SELECT "level3$"."state" AS "state"
            ) AS "record0$"
          ) AS "deliveries"
          FROM (
            SELECT (
              SELECT camera."facilityId"
              FROM (
                SELECT *
                FROM "Camera"
                WHERE "workspaceId" = $5::uuid AND "removedAt" IS NULL
              ) AS camera
              WHERE camera."id" = item."cameraId"
            ) AS "facilityId", item."id", item."notificationEnabled", item."notificationSecret", item."notificationUrl"
            FROM (
              SELECT *
              FROM "AlertRule"
              WHERE "workspaceId" = $6::uuid AND "cameraId" IN (
                SELECT camera."id"
                FROM (
                  SELECT *
                  FROM "Camera"
                  WHERE "workspaceId" = $7::uuid AND "removedAt" IS NULL
                ) AS camera
              )
            ) AS item
            WHERE item."cameraId" = "level1$"."id"
            ORDER BY item."name", item."id"
          ) AS "level2$"
        ) AS "record$"
      ) AS "alertRules"
      FROM (
        SELECT item."id"
        FROM (
          SELECT *
          FROM "Camera"
          WHERE "workspaceId" = $8::uuid AND "removedAt" IS NULL
        ) AS item
        WHERE item."workspaceId" = parent."id"
        ORDER BY item."name", item."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
