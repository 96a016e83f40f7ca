-- { workspace { users { email } apiKeys { name } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT to_json("record$")
    FROM (
      SELECT json_build_object('0', json_build_array("level1$"."id")) AS "users",json_build_object('1', json_build_array("level1$"."id")) AS "apiKeys"
      FROM (
        SELECT item."id"
        FROM (
          SELECT *
          FROM "Workspace"
          WHERE "id" = $2::uuid
        ) AS item
        WHERE item."id" = parent."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT coalesce(json_agg("record$"), '[]')
    FROM (
      SELECT "level1$"."email" AS "email"
      FROM (
        SELECT item."email", item."id"
        FROM (
          SELECT *
          FROM "User"
          WHERE "workspaceId" = $2::uuid
        ) AS item
        WHERE item."workspaceId" = parent."id"
        ORDER BY item."email", item."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT coalesce(json_agg("record$"), '[]')
    FROM (
      SELECT "level1$"."name" AS "name"
      FROM (
        SELECT item."id", item."name"
        FROM (
          SELECT *
          FROM "ApiKey"
          WHERE "workspaceId" = $2::uuid
        ) AS item
        WHERE item."workspaceId" = parent."id"
        ORDER BY item."name", item."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
