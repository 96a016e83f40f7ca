-- { alerts(filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }) { nodes { name } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT json_build_object('nodes', coalesce(json_agg("record0$"), '[]'))
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
    ) AS "level1$"
    CROSS JOIN LATERAL (
      SELECT "level1$"."name" AS "name"
    ) AS "record0$"
  )::text OFFSET 0
) AS related("json");
