-- { auditLog(actorId: "<id>", first: 2) { nodes { action changes } } }

SELECT parent."id" AS "parentId", (
  SELECT coalesce(json_agg(record), '[]')
  FROM (
    SELECT item."action", item."changes", item."createdAt", item."id"
    FROM (
      SELECT *
      FROM "AuditEntry"
      WHERE "workspaceId" = $1::uuid
    ) AS item
    WHERE item."workspaceId" = parent."id" AND item."actorId" = $2::uuid
    ORDER BY item."createdAt" DESC, item."id" DESC
    LIMIT 2
  ) AS record
) AS "result"
FROM (
  SELECT $3::uuid
) AS parent("id");
