-- { camera(id: "<id>") { name status createdAt } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT to_json("record$")
    FROM (
      SELECT item."createdAt", item."id", item."name", item."status"
      FROM (
        SELECT *
        FROM "Camera"
        WHERE "workspaceId" = $2::uuid AND "removedAt" IS NULL
      ) AS item
      WHERE item."id" = parent."id"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
