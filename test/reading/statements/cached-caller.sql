-- { cameras { name } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result", (
  SELECT "roles" = $1::text[] AND NOT EXISTS (
    SELECT 1
    FROM "Camera"
    WHERE "workspaceId" = $2::uuid AND "removedAt" IS NOT NULL AND "keptUntil" IS NULL
  ) AND NOT EXISTS (
    SELECT 1
    FROM "Facility"
    WHERE "workspaceId" = $3::uuid AND "removedAt" IS NOT NULL
  ) AND NOT EXISTS (
    SELECT 1
    FROM "FacilityAccess"
    WHERE "workspaceId" = $4::uuid AND "userId" = $5::uuid AND ("until" IS NULL OR "until" > clock_timestamp())
  )
  FROM "User"
  WHERE "workspaceId" = $6::uuid AND "id" = $7::uuid AND ("until" IS NULL OR "until" > clock_timestamp()) AND "authId" = $8
) AS "isUnchanged"
FROM (
  SELECT $9::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT coalesce(json_agg("record$"), '[]')
    FROM (
      SELECT "level1$"."name" AS "name"
      FROM (
        SELECT item."id", item."name"
        FROM (
          SELECT *
          FROM "Camera"
          WHERE "workspaceId" = $10::uuid AND "removedAt" IS NULL
        ) AS item
        WHERE item."workspaceId" = parent."id"
        ORDER BY item."name", item."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
