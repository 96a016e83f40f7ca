-- { workspace { users { email } apiKeys { name } } }

SELECT parent."id" AS "parentId", (
  SELECT to_json(record)
  FROM (
    SELECT item."id"
    FROM (
      SELECT *
      FROM "Workspace"
      WHERE "id" = $1::uuid
    ) AS item
    WHERE item."id" = parent."id"
  ) AS record
) AS "result"
FROM (
  SELECT $2::uuid
) AS parent("id");

SELECT parent."id" AS "parentId", (
  SELECT coalesce(json_agg(record), '[]')
  FROM (
    SELECT item."email", item."id"
    FROM (
      SELECT *
      FROM "User"
      WHERE "workspaceId" = $1::uuid
    ) AS item
    WHERE item."workspaceId" = parent."id"
    ORDER BY item."email", item."id"
  ) AS record
) AS "result"
FROM (
  SELECT $2::uuid
) AS parent("id");

SELECT parent."id" AS "parentId", (
  SELECT coalesce(json_agg(record), '[]')
  FROM (
    SELECT item."id", item."name"
    FROM (
      SELECT *
      FROM "ApiKey"
      WHERE "workspaceId" = $1::uuid
    ) AS item
    WHERE item."workspaceId" = parent."id"
    ORDER BY item."name", item."id"
  ) AS record
) AS "result"
FROM (
  SELECT $2::uuid
) AS parent("id");
