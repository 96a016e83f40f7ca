-- { alerts(filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }) { nodes { camera { name alertRules { name } } } } }

SELECT parent."id" AS "parentId", (
  SELECT coalesce(json_agg(record), '[]')
  FROM (
    SELECT item."cameraId", item."createdAt", item."id"
    FROM (
      SELECT *
      FROM "Alert"
      WHERE "workspaceId" = $1::uuid
    ) AS item
    WHERE item."workspaceId" = parent."id" AND item."createdAt" >= $2::timestamptz AND item."createdAt" < $3::timestamptz
    ORDER BY item."createdAt" DESC, item."id" DESC
    LIMIT 20
  ) AS record
) AS "result"
FROM (
  SELECT $4::uuid
) AS parent("id");

SELECT parent."id" AS "parentId", (
  SELECT to_json(record)
  FROM (
    SELECT level1.*, (
      SELECT coalesce(json_agg(record), '[]')
      FROM (
        SELECT item."id", item."name"
        FROM (
          SELECT *
          FROM "AlertRule"
          WHERE "cameraId" IN (
            SELECT camera."id"
            FROM (
              SELECT *
              FROM "Camera"
              WHERE "workspaceId" = $1::uuid AND "removedAt" IS NULL
            ) AS camera
          )
        ) AS item
        WHERE item."cameraId" = level1."id"
        ORDER BY item."name", item."id"
      ) AS record
    ) AS "child0"
    FROM (
      SELECT item."id", item."name"
      FROM (
        SELECT *
        FROM "Camera"
        WHERE "workspaceId" = $2::uuid AND "removedAt" IS NULL
      ) AS item
      WHERE item."id" = parent."id"
    ) AS level1
  ) AS record
) AS "result"
FROM unnest($3::uuid[]) AS parent("id");
