-- { camera(id: "<id>") { lastAlert(type: "NO_HELMET") { name } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT to_json("record$")
    FROM (
      SELECT (
        SELECT to_json("record$")
        FROM (
          SELECT "level2$"."name" AS "name"
          FROM (
            SELECT item."createdAt", item."id", item."name"
            FROM (
              SELECT *
              FROM "Alert"
              WHERE "workspaceId" = $2::uuid
            ) AS item
            WHERE item."cameraId" = "level1$"."id" AND item."name" = $3
            ORDER BY item."createdAt" DESC, item."id" DESC
            LIMIT 1
          ) AS "level2$"
        ) AS "record$"
      ) AS "lastAlert"
      FROM (
        SELECT item."id"
        FROM (
          SELECT *
          FROM "Camera"
          WHERE "workspaceId" = $4::uuid AND "removedAt" IS NULL
        ) AS item
        WHERE item."id" = parent."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
