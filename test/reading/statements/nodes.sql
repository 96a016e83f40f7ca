-- { nodes(nodeIds: ["<node id>", "<node id>", "<node id>", "<node id>"]) { nodeId ... on Camera { name alertRules { name } } ... on Alert { name camera { name } } ... on AuditEntry { action } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT to_json("record$")
    FROM (
      SELECT "level1$".*, (
        SELECT coalesce(json_agg("record$"), '[]')
        FROM (
          SELECT item."id", item."name"
          FROM (
            SELECT *
            FROM "AlertRule"
            WHERE "workspaceId" = $2::uuid AND "cameraId" IN (
              SELECT camera."id"
              FROM (
                SELECT *
                FROM "Camera"
                WHERE "workspaceId" = $3::uuid AND "removedAt" IS NULL
              ) AS camera
            )
          ) AS item
          WHERE item."cameraId" = "level1$"."id"
          ORDER BY item."name", item."id"
        ) AS "record$"
      ) AS "child0"
      FROM (
        SELECT item."id", item."name"
        FROM (
          SELECT *
          FROM "Camera"
          WHERE "workspaceId" = $4::uuid AND "removedAt" IS NULL
        ) AS item
        WHERE item."id" = parent."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT to_json("record$")
    FROM (
      SELECT item."cameraId", item."createdAt", item."id", item."name"
      FROM (
        SELECT *
        FROM "Alert"
        WHERE "workspaceId" = $2::uuid
      ) AS item
      WHERE item."id" = parent."id"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT to_json("record$")
    FROM (
      SELECT item."action", item."createdAt", item."id"
      FROM (
        SELECT *
        FROM "AuditEntry"
        WHERE "workspaceId" = $2::uuid
      ) AS item
      WHERE item."id" = parent."id"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
