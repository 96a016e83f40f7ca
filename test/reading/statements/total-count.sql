-- { workspace { alerts { totalCount } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT to_json("record$")
    FROM (
      SELECT (
        SELECT json_build_object('totalCount', json_build_object('0', json_build_array("level1$"."id")))
      ) AS "alerts"
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
      WHERE "workspaceId" = $3::uuid AND "removedAt" IS NULL
    ) AS facility
  )
  GROUP BY "parentId"
) AS part
GROUP BY 1;
