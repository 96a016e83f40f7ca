-- { searchCameras(after: "<cursor>") { nodes { alertRules { name } } pageInfo { hasNextPage hasPreviousPage } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT json_build_object('nodes', coalesce(json_agg("record0$") FILTER (WHERE "level1$"."side$" = 0), '[]'),'pageInfo', json_build_object('hasNextPage', coalesce(bool_or("level1$"."side$" > 0), false),'hasPreviousPage', coalesce(bool_or("level1$"."side$" < 0), false)))
    FROM (
      SELECT *
      FROM (
        SELECT item.*, CASE WHEN row_number() OVER () > 20 THEN 1 ELSE 0 END AS "side$"
        FROM (
          SELECT item."id", item."name"
          FROM (
            SELECT *
            FROM "Camera"
            WHERE "workspaceId" = $2::uuid AND "removedAt" IS NULL
          ) AS item
          WHERE item."workspaceId" = parent."id" AND (item."name", item."id") > ($3::text, $4::uuid)
          ORDER BY item."name", item."id"
          LIMIT 21
        ) AS item
        UNION ALL
        SELECT item.*, -1 AS "side$"
        FROM (
          SELECT item."id", item."name"
          FROM (
            SELECT *
            FROM "Camera"
            WHERE "workspaceId" = $5::uuid AND "removedAt" IS NULL
          ) AS item
          WHERE item."workspaceId" = parent."id" AND (item."name", item."id") <= ($6::text, $7::uuid)
          ORDER BY item."name" DESC, item."id" DESC
          LIMIT 1
        ) AS item
      ) AS item
      ORDER BY item."name", item."id"
    ) AS "level1$"
    CROSS JOIN LATERAL (
      SELECT (
        SELECT coalesce(json_agg("record$"), '[]')
        FROM (
          SELECT "level2$"."name" AS "name"
          FROM (
            SELECT item."id", item."name"
            FROM (
              SELECT *
              FROM "AlertRule"
              WHERE "workspaceId" = $8::uuid AND "cameraId" IN (
                SELECT camera."id"
                FROM (
                  SELECT *
                  FROM "Camera"
                  WHERE "workspaceId" = $9::uuid AND "removedAt" IS NULL
                ) AS camera
              )
            ) AS item
            WHERE item."cameraId" = "level1$"."id"
            ORDER BY item."name", item."id"
          ) AS "level2$"
        ) AS "record$"
      ) AS "alertRules"
    ) AS "record0$"
  )::text OFFSET 0
) AS related("json");
