-- { alerts(filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }) { nodes { camera { name alertRules { name } } } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT json_build_object('nodes', coalesce(json_agg("record0$"), '[]'))
    FROM (
      SELECT item."cameraId", item."createdAt", item."id"
      FROM (
        SELECT *
        FROM "Alert"
        WHERE "workspaceId" = $2::uuid
      ) AS item
      WHERE item."workspaceId" = parent."id" AND item."createdAt" >= $3::timestamptz AND item."createdAt" < $4::timestamptz
      ORDER BY item."createdAt" DESC, item."id" DESC
      LIMIT 20
    ) AS "level1$"
    CROSS JOIN LATERAL (
      SELECT json_build_object('0', json_build_array("level1$"."id","level1$"."createdAt","level1$"."cameraId")) AS "camera"
    ) AS "record0$"
  )::text OFFSET 0
) AS related("json");

SELECT parent."id" AS "parentId", (sum(octet_length(related."json")) OVER ())::float8 AS "size", CASE WHEN (sum(octet_length(related."json")) OVER ())::float8 <= 16777216 THEN related."json" END AS "result"
FROM unnest($1::uuid[]) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT to_json("record$")
    FROM (
      SELECT "level1$"."name" AS "name",(
        SELECT coalesce(json_agg("record$"), '[]')
        FROM (
          SELECT "level2$"."name" AS "name"
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
          ) AS "level2$"
        ) AS "record$"
      ) AS "alertRules"
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
