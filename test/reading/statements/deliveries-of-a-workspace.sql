-- { workspace { deliveries(first: 20, filter: { states: [PENDING], channels: [EMAIL, SMS] }) { nodes { target nextAttemptAt } } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT to_json("record$")
    FROM (
      SELECT (
        SELECT json_build_object('nodes', coalesce(json_agg("record0$"), '[]'))
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
            WHERE "streamRequestId" IS NULL AND "workspaceId" = $4::uuid AND CASE WHEN "facilityId" IS NULL THEN "kind" IN ('INVITATION', 'DIGEST') ELSE EXISTS (
              SELECT 1
              FROM (
                SELECT *
                FROM "Facility"
                WHERE "workspaceId" = $5::uuid AND "removedAt" IS NULL
              ) AS facility
              WHERE facility."id" = "Delivery"."facilityId"
            ) AND ("cameraId" IS NULL OR EXISTS (
              SELECT 1
              FROM (
                SELECT *
                FROM "Camera"
                WHERE "workspaceId" = $6::uuid AND "removedAt" IS NULL
              ) AS camera
              WHERE camera."id" = "Delivery"."cameraId"
            )) END
          ) AS item
          WHERE item."workspaceId" = "level1$"."id" AND item."state" = $7 AND item."channel" = ANY($8::text[])
          ORDER BY item."createdAt" DESC, item."id" DESC
          LIMIT 20
        ) AS "level2$"
        CROSS JOIN LATERAL (
          SELECT json_build_object('0', json_build_array("level2$"."id","level2$"."createdAt","level2$"."target","level2$"."facilityId")) AS "target",CASE WHEN "level2$"."nextAttemptAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z' THEN to_json(to_char("level2$"."nextAttemptAt", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) WHEN "level2$"."nextAttemptAt" IS NOT NULL THEN E'\tnull'::json END AS "nextAttemptAt"
        ) AS "record0$"
      ) AS "deliveries"
      FROM (
        SELECT item."id"
        FROM (
          SELECT *
          FROM "Workspace"
          WHERE "id" = $9::uuid
        ) AS item
        WHERE item."id" = parent."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
