-- { alerts(first: 20, filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z", acknowledged: false }) { nodes { comments(first: 2) { nodes { text authorName } } } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT json_build_object('nodes', coalesce(json_agg("record0$"), '[]'))
    FROM (
      SELECT item."createdAt", item."id"
      FROM (
        SELECT *
        FROM "Alert"
        WHERE "workspaceId" = $2::uuid
      ) AS item
      WHERE item."workspaceId" = parent."id" AND item."createdAt" >= $3::timestamptz AND item."createdAt" < $4::timestamptz AND NOT (item."acknowledgedAt" IS NOT NULL)
      ORDER BY item."createdAt" DESC, item."id" DESC
      LIMIT 20
    ) AS "level1$"
    CROSS JOIN LATERAL (
      SELECT (
        SELECT json_build_object('nodes', coalesce(json_agg("record0$"), '[]'))
        FROM (
          SELECT item."authorName", item."createdAt", item."id", item."text"
          FROM (
            SELECT *
            FROM "AlertComment"
            WHERE "workspaceId" = $5::uuid
          ) AS item
          WHERE item."alertId" = "level1$"."id"
          ORDER BY item."createdAt" DESC, item."id" DESC
          LIMIT 2
        ) AS "level2$"
        CROSS JOIN LATERAL (
          SELECT "level2$"."text" AS "text","level2$"."authorName" AS "authorName"
        ) AS "record0$"
      ) AS "comments"
    ) AS "record0$"
  )::text OFFSET 0
) AS related("json");
