-- { cameras { statusHistory { nodes { source } } streamRequests(first: 1) { nodes { errorMessage } } } }

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
          SELECT item."createdAt", item."id", item."source"
          FROM (
            SELECT *
            FROM "StatusChange"
            WHERE "workspaceId" = $2::uuid AND "cameraId" IN (
              SELECT camera."id"
              FROM (
                SELECT *
                FROM "Camera"
                WHERE "workspaceId" = $3::uuid AND "removedAt" IS NULL
              ) AS camera
            )
          ) AS item
          WHERE item."cameraId" = "level1$"."id"
          ORDER BY item."createdAt" DESC, item."id" DESC
          LIMIT 20
        ) AS "level2$"
        CROSS JOIN LATERAL (
          SELECT "level2$"."source" AS "source"
        ) AS "record0$"
      ) AS "statusHistory",(
        SELECT json_build_object('nodes', coalesce(json_agg("record0$"), '[]'))
        FROM (
          SELECT item."createdAt", item."errorMessage", item."id"
          FROM (
            SELECT *
            FROM "StreamRequest"
            WHERE "workspaceId" = $4::uuid AND "cameraId" IN (
              SELECT camera."id"
              FROM (
                SELECT *
                FROM "Camera"
                WHERE "workspaceId" = $5::uuid AND "removedAt" IS NULL
              ) AS camera
            )
          ) AS item
          WHERE item."cameraId" = "level1$"."id"
          ORDER BY item."createdAt" DESC, item."id" DESC
          LIMIT 1
        ) AS "level2$"
        CROSS JOIN LATERAL (
          SELECT json_build_object('0', json_build_array("level2$"."id","level2$"."createdAt","level2$"."errorMessage")) AS "errorMessage"
        ) AS "record0$"
      ) AS "streamRequests"
      FROM (
        SELECT item."id"
        FROM (
          SELECT *
          FROM "Camera"
          WHERE "workspaceId" = $6::uuid AND "removedAt" IS NULL
        ) AS item
        WHERE item."workspaceId" = parent."id"
        ORDER BY item."name", item."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
