-- { camera(id: "<id>") { name status createdAt } }

SELECT parent."id" AS "parentId", (
  SELECT to_json(record)
  FROM (
    SELECT item."createdAt", item."id", item."name", item."status"
    FROM (
      SELECT *
      FROM "Camera"
      WHERE "workspaceId" = $1::uuid AND "removedAt" IS NULL
    ) AS item
    WHERE item."id" = parent."id"
  ) AS record
) AS "result"
FROM (
  SELECT $2::uuid
) AS parent("id");
