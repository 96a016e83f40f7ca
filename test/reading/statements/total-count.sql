-- { workspace { alerts { totalCount } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT to_json("record$")
    FROM (
      SELECT "level1$".*, (
        SELECT coalesce(json_agg("record$"), '[]')
        FROM (
          SELECT item."createdAt", item."id"
          FROM (
            SELECT *
            FROM "Alert"
            WHERE "workspaceId" = $2::uuid
          ) AS item
          WHERE item."workspaceId" = "level1$"."id"
          ORDER BY item."createdAt" DESC, item."id" DESC
          LIMIT 20
        ) AS "record$"
      ) AS "child0"
      FROM (
        SELECT item."id"
        FROM (
          SELECT *
          FROM "Workspace"
          WHERE "id" = $3::uuid
        ) AS item
        WHERE item."id" = parent."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");

SELECT part."parentId", sum(part."count")::int AS "count"
FROM (
  SELECT item."workspaceId" AS "parentId", sum(item."count")::int AS "count"
  FROM (
    SELECT *
    FROM "AlertDayCount"
    WHERE "workspaceId" = $1::uuid
  ) AS item
  WHERE item."workspaceId" = ANY($2::uuid[]) AND item."facilityId" IN (
    SELECT facility."id"
    FROM (
      SELECT *
      FROM "Facility"
      WHERE "workspaceId" = $3::uuid
    ) AS facility
  )
  GROUP BY "parentId"
) AS part
GROUP BY 1;
