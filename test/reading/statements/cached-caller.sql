-- { cameras { name } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result", (
  SELECT md5(holder::text)
  FROM (
    SELECT "id", "workspaceId", "roles" AS "permissions", ARRAY(
      SELECT "id"
      FROM "Camera"
      WHERE "workspaceId" = "User"."workspaceId" AND "removedAt" IS NOT NULL
      ORDER BY "id"
    ) AS "removedCameraIds", (
      SELECT coalesce(jsonb_object_agg("facilityId", "actions"), '{}')
      FROM "FacilityAccess"
      WHERE "userId" = "User"."id"
    ) AS "accesses"
    FROM "User"
    WHERE "authId" = $1
  ) AS holder
) AS "fingerprint"
FROM (
  SELECT $2::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT coalesce(json_agg(record), '[]')
    FROM (
      SELECT item."id", item."name"
      FROM (
        SELECT *
        FROM "Camera"
        WHERE "workspaceId" = $3::uuid AND "removedAt" IS NULL
      ) AS item
      WHERE item."workspaceId" = parent."id"
      ORDER BY item."name", item."id"
    ) AS record
  )::text OFFSET 0
) AS related("json");
