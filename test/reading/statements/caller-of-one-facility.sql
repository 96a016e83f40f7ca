-- { cameras { name alertRules { name } alerts(first: 1) { nodes { name } } } }

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
          SELECT "level2$"."name" AS "name"
          FROM (
            SELECT item."id", item."name"
            FROM (
              SELECT *
              FROM "AlertRule"
              WHERE "workspaceId" = $2::uuid AND "cameraId" IN (
                SELECT camera."id"
                FROM (
                  SELECT *
                  FROM "Camera"
                  WHERE "workspaceId" = $3::uuid AND "removedAt" IS NULL AND "facilityId" = ANY($4::uuid[])
                ) AS camera
              )
            ) AS item
            WHERE item."cameraId" = "level1$"."id"
            ORDER BY item."name", item."id"
          ) AS "level2$"
        ) AS "record$"
      ) AS "alertRules",(
        SELECT json_build_object('nodes', coalesce(json_agg("record0$"), '[]'))
        FROM (
          SELECT item."createdAt", item."id", item."name"
          FROM (
            SELECT *
            FROM "Alert"
            WHERE "workspaceId" = $5::uuid AND "facilityId" = ANY($6::uuid[])
          ) AS item
          WHERE item."cameraId" = "level1$"."id"
          ORDER BY item."createdAt" DESC, item."id" DESC
          LIMIT 1
        ) AS "level2$"
        CROSS JOIN LATERAL (
          SELECT "level2$"."name" AS "name"
        ) AS "record0$"
      ) AS "alerts"
      FROM (
        SELECT item."id", item."name"
        FROM (
          SELECT *
          FROM "Camera"
          WHERE "workspaceId" = $7::uuid AND "removedAt" IS NULL AND "facilityId" = ANY($8::uuid[])
        ) AS item
        WHERE item."workspaceId" = parent."id"
        ORDER BY item."name", item."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
