-- { alerts(first: 20, filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }) { nodes { name } pageInfo { hasNextPage } } }

SELECT parent."id" AS "parentId", (
  SELECT coalesce(json_agg(record), '[]')
  FROM (
    SELECT item."createdAt", item."id", item."name"
    FROM (
      SELECT *
      FROM "Alert"
      WHERE "workspaceId" = $1::uuid
    ) AS item
    WHERE item."workspaceId" = parent."id" AND item."createdAt" >= $2::timestamptz AND item."createdAt" < $3::timestamptz
    ORDER BY item."createdAt" DESC, item."id" DESC
    LIMIT 21
  ) AS record
) AS "result"
FROM (
  SELECT $4::uuid
) AS parent("id");
