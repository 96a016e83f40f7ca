-- { auditLog(actorId: "<id>", first: 2) { nodes { action changes } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT coalesce(json_agg("record$"), '[]')
    FROM (
      SELECT item."action", item."changes", item."createdAt", item."id", item."targetType"
      FROM (
        SELECT *
        FROM "AuditEntry"
        WHERE "workspaceId" = $2::uuid
      ) AS item
      WHERE item."workspaceId" = parent."id" AND item."actorId" = $3::uuid
      ORDER BY item."createdAt" DESC, item."id" DESC
      LIMIT 2
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
