-- { cameras { name } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result", (
  SELECT md5(holder::text)
  FROM (
    SELECT "id", "workspaceId", "roles" AS "permissions", ARRAY(
      SELECT "id"
      FROM "Camera"
      WHERE "workspaceId" = $1::uuid AND "removedAt" IS NOT NULL
      ORDER BY "id"
    ) AS "removedCameraIds", (
      SELECT coalesce(jsonb_object_agg("facilityId", "actions"), '{}')
      FROM "FacilityAccess"
      WHERE "workspaceId" = $2::uuid AND "userId" = $3::uuid
    ) AS "accesses"
    FROM "User"
    WHERE "workspaceId" = $4::uuid AND "id" = $5::uuid AND "authId" = $6
  ) AS holder
) AS "fingerprint"
FROM (
  SELECT $7::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT coalesce(json_agg(record), '[]')
    FROM (
      SELECT level1."name" AS "name"
      FROM (
        SELECT item."id", item."name"
        FROM (
          SELECT *
          FROM "Camera"
          WHERE "workspaceId" = $8::uuid AND "removedAt" IS NULL
        ) AS item
        WHERE item."workspaceId" = parent."id"
        ORDER BY item."name", item."id"
      ) AS level1
    ) AS record
  )::text OFFSET 0
) AS related("json");
