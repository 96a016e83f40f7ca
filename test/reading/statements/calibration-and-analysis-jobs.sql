-- { cameras { calibration { pixelLength updatedAt } analysisJobs { state } analysisJob(id: "<id>") { state } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT coalesce(json_agg("record$"), '[]')
    FROM (
      SELECT "level1$".*, (
        SELECT to_json("record$")
        FROM (
          SELECT item."id", item."pixelLength", item."updatedAt"
          FROM (
            SELECT *
            FROM "Calibration"
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
        ) AS "record$"
      ) AS "child0", (
        SELECT coalesce(json_agg("record$"), '[]')
        FROM (
          SELECT item."id", item."state"
          FROM (
            SELECT *
            FROM "AnalysisJob"
            WHERE "workspaceId" = $4::uuid AND "cameraId" IN (
              SELECT camera."id"
              FROM (
                SELECT *
                FROM "Camera"
                WHERE "workspaceId" = $5::uuid AND "removedAt" IS NULL
              ) AS camera
            )
          ) AS item
          WHERE item."cameraId" = "level1$"."id"
          ORDER BY item."createdAt" DESC, item."id" DESC
        ) AS "record$"
      ) AS "child1", (
        SELECT to_json("record$")
        FROM (
          SELECT item."id", item."state"
          FROM (
            SELECT *
            FROM "AnalysisJob"
            WHERE "workspaceId" = $6::uuid AND "cameraId" IN (
              SELECT camera."id"
              FROM (
                SELECT *
                FROM "Camera"
                WHERE "workspaceId" = $7::uuid AND "removedAt" IS NULL
              ) AS camera
            )
          ) AS item
          WHERE item."cameraId" = "level1$"."id" AND item."id" = $8::uuid
        ) AS "record$"
      ) AS "child2"
      FROM (
        SELECT item."id"
        FROM (
          SELECT *
          FROM "Camera"
          WHERE "workspaceId" = $9::uuid AND "removedAt" IS NULL
        ) AS item
        WHERE item."workspaceId" = parent."id"
        ORDER BY item."name", item."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
