-- { workspace { name facilities { name cameras { name } } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT to_json("record$")
    FROM (
      SELECT "level1$"."name" AS "name",(
        SELECT coalesce(json_agg("record$"), '[]')
        FROM (
          SELECT "level2$"."name" AS "name",(
            SELECT coalesce(json_agg("record$"), '[]')
            FROM (
              SELECT "level3$"."name" AS "name"
              FROM (
                SELECT item."id", item."name"
                FROM (
                  SELECT *
                  FROM "Camera"
                  WHERE "workspaceId" = $2::uuid AND "removedAt" IS NULL
                ) AS item
                WHERE item."facilityId" = "level2$"."id"
                ORDER BY item."name", item."id"
              ) AS "level3$"
            ) AS "record$"
          ) AS "cameras"
          FROM (
            SELECT item."id", item."name"
            FROM (
              SELECT *
              FROM "Facility"
              WHERE "workspaceId" = $3::uuid AND "removedAt" IS NULL
            ) AS item
            WHERE item."workspaceId" = "level1$"."id"
            ORDER BY item."name", item."id"
          ) AS "level2$"
        ) AS "record$"
      ) AS "facilities"
      FROM (
        SELECT item."id", item."name"
        FROM (
          SELECT *
          FROM "Workspace"
          WHERE "id" = $4::uuid
        ) AS item
        WHERE item."id" = parent."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
