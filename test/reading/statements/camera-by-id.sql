-- { camera(id: "<id>") { name status createdAt } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT to_json("record$")
    FROM (
      SELECT "level1$"."name" AS "name","level1$"."status" AS "status",CASE WHEN "level1$"."createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z' THEN to_json(to_char("level1$"."createdAt", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) WHEN "level1$"."createdAt" IS NOT NULL THEN E'\tnull'::json END AS "createdAt"
      FROM (
        SELECT item."createdAt", item."id", item."name", item."status"
        FROM (
          SELECT *
          FROM "Camera"
          WHERE "workspaceId" = $2::uuid AND "removedAt" IS NULL
        ) AS item
        WHERE item."id" = parent."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
