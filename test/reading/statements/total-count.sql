-- { workspace { alerts { totalCount } } }

SELECT parent."id" AS "parentId", (
  SELECT to_json(record)
  FROM (
    SELECT level1.*, (
      SELECT coalesce(json_agg(record), '[]')
      FROM (
        SELECT item."createdAt", item."id"
        FROM (
          SELECT *
          FROM "Alert"
          WHERE "workspaceId" = $1::uuid
        ) AS item
        WHERE item."workspaceId" = level1."id"
        ORDER BY item."createdAt" DESC, item."id" DESC
        LIMIT 20
      ) AS record
    ) AS "child0"
    FROM (
      SELECT item."id"
      FROM (
        SELECT *
        FROM "Workspace"
        WHERE "id" = $2::uuid
      ) AS item
      WHERE item."id" = parent."id"
    ) AS level1
  ) AS record
) AS "result"
FROM (
  SELECT $3::uuid
) AS parent("id");

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
