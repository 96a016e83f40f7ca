-- { searchCameras(after: "<cursor>") { nodes { alertRules { name } } pageInfo { hasNextPage hasPreviousPage } } }

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
          SELECT item."id", item."name"
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
          WHERE item."cameraId" = "level1$"."id"
          ORDER BY item."name", item."id"
        ) AS "record$"
      ) AS "child0"
      FROM (
        SELECT *
        FROM ((
          SELECT item."id", item."name"
          FROM (
            SELECT *
            FROM "Camera"
            WHERE "workspaceId" = $4::uuid AND "removedAt" IS NULL
          ) AS item
          WHERE item."workspaceId" = parent."id" AND (item."name", item."id") > ($5::text, $6::uuid)
          ORDER BY item."name", item."id"
          LIMIT 21
        ) UNION ALL (
          SELECT item."id", item."name"
          FROM (
            SELECT *
            FROM "Camera"
            WHERE "workspaceId" = $7::uuid AND "removedAt" IS NULL
          ) AS item
          WHERE item."workspaceId" = parent."id" AND (item."name", item."id") <= ($8::text, $9::uuid)
          ORDER BY item."name" DESC, item."id" DESC
          LIMIT 1
        )) AS item
        ORDER BY item."name", item."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
