-- { me { email roles } }

SELECT parent."id" AS "parentId", (
  SELECT to_json(record)
  FROM (
    SELECT item."email", item."id", item."roles"
    FROM (
      SELECT *
      FROM "User"
      WHERE "workspaceId" = $1::uuid
    ) AS item
    WHERE item."id" = parent."id"
  ) AS record
) AS "result"
FROM (
  SELECT $2::uuid
) AS parent("id");
