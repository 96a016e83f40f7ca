-- { auditLog(actorId: "<id>", first: 2) { nodes { action changes } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT json_build_object('nodes', coalesce(json_agg("record0$"), '[]'))
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
    ) AS "level1$"
    CROSS JOIN LATERAL (
      SELECT "level1$"."action" AS "action",json_build_object('0', json_build_array("level1$"."id","level1$"."createdAt","level1$"."changes","level1$"."targetType")) AS "changes"
    ) AS "record0$"
  )::text OFFSET 0
) AS related("json");
