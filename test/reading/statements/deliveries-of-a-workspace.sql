-- { workspace { deliveries(first: 20, filter: { states: [PENDING], channels: [EMAIL, SMS] }) { nodes { target nextAttemptAt } } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT to_json("record$")
    FROM (
      SELECT "level1$".*, (
        SELECT coalesce(json_agg("record$"), '[]')
        FROM (
          SELECT item."createdAt", item."facilityId", item."id", (CASE WHEN item."state" = 'PENDING' THEN greatest(item."queuedAt", (
            SELECT target."retryAt"
            FROM (
              SELECT *
              FROM "DeliveryTarget"
              WHERE "workspaceId" = $2::uuid
            ) AS target
            WHERE target."id" = item."targetId"
          ), (
            SELECT queue."availableAt"
            FROM (
              SELECT *
              FROM "DeliveryQueue"
              WHERE "workspaceId" = $3::uuid
            ) AS queue
            WHERE queue."id" = item."queueId"
          )) END) AS "nextAttemptAt", item."target"
          FROM (
            SELECT *
            FROM "Delivery"
            WHERE "workspaceId" = $4::uuid AND ("cameraId" IS NULL OR EXISTS (
              SELECT 1
              FROM (
                SELECT *
                FROM "Camera"
                WHERE "workspaceId" = $5::uuid AND "removedAt" IS NULL
              ) AS camera
              WHERE camera."id" = "Delivery"."cameraId"
            ))
          ) AS item
          WHERE item."workspaceId" = "level1$"."id" AND item."state" = $6 AND item."channel" = ANY($7::text[])
          ORDER BY item."createdAt" DESC, item."id" DESC
          LIMIT 20
        ) AS "record$"
      ) AS "child0"
      FROM (
        SELECT item."id"
        FROM (
          SELECT *
          FROM "Workspace"
          WHERE "id" = $8::uuid
        ) AS item
        WHERE item."id" = parent."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
