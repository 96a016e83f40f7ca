-- { alerts(filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }) { nodes { name } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT coalesce(json_agg("record$"), '[]')
    FROM (
      SELECT item."createdAt", item."id", item."name"
      FROM (
        SELECT *
        FROM "Alert"
        WHERE "workspaceId" = $2::uuid AND "cameraId" <> ALL($3::uuid[])
      ) AS item
      WHERE item."workspaceId" = parent."id" AND item."createdAt" >= $4::timestamptz AND item."createdAt" < $5::timestamptz
      ORDER BY item."createdAt" DESC, item."id" DESC
      LIMIT 20
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
