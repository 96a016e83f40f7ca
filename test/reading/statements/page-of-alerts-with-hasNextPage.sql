-- { alerts(first: 20, filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }) { nodes { name } pageInfo { hasNextPage } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT json_build_object('nodes', coalesce(json_agg("record0$") FILTER (WHERE "level1$"."side$" = 0), '[]'),'pageInfo', json_build_object('hasNextPage', coalesce(bool_or("level1$"."side$" > 0), false)))
    FROM (
      SELECT *
      FROM (
        SELECT item.*, CASE WHEN row_number() OVER () > 20 THEN 1 ELSE 0 END AS "side$"
        FROM (
          SELECT item."createdAt", item."id", item."name"
          FROM (
            SELECT *
            FROM "Alert"
            WHERE "workspaceId" = $2::uuid
          ) AS item
          WHERE item."workspaceId" = parent."id" AND item."createdAt" >= $3::timestamptz AND item."createdAt" < $4::timestamptz
          ORDER BY item."createdAt" DESC, item."id" DESC
          LIMIT 21
        ) AS item
      ) AS item
      ORDER BY item."createdAt" DESC, item."id" DESC
    ) AS "level1$"
    CROSS JOIN LATERAL (
      SELECT "level1$"."name" AS "name"
    ) AS "record0$"
  )::text OFFSET 0
) AS related("json");
