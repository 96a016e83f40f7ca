-- { cameras { calibration { pixelLength updatedAt } analysisJobs { state } analysisJob(id: "<id>") { state } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT coalesce(json_agg("record$"), '[]')
    FROM (
      SELECT (
        SELECT to_json("record$")
        FROM (
          SELECT json_build_object('0', "level2$"."pixelLength") AS "pixelLength",CASE WHEN "level2$"."updatedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z' THEN to_json(to_char("level2$"."updatedAt", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) WHEN "level2$"."updatedAt" IS NOT NULL THEN E'\tnull'::json END AS "updatedAt"
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
          ) AS "level2$"
        ) AS "record$"
      ) AS "calibration",(
        SELECT coalesce(json_agg("record$"), '[]')
        FROM (
          SELECT "level2$"."state" AS "state"
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
          ) AS "level2$"
        ) AS "record$"
      ) AS "analysisJobs",(
        SELECT to_json("record$")
        FROM (
          SELECT "level2$"."state" AS "state"
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
          ) AS "level2$"
        ) AS "record$"
      ) AS "analysisJob"
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
