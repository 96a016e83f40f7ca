-- { facilities { name list: cameras { __typename id createdAt imageLink imageDimensions { width height } alerts(first: 5) { nodes { name localCreatedAt } } } } }

SELECT "workspaceId", "userId" AS "id"
FROM "AuthIdLookup"
WHERE "authId" = $1;

SELECT holder.*, md5("accesses"::text) AS "accessesHash"
FROM (
  SELECT "id", "workspaceId", "roles" AS "permissions", ARRAY(
    SELECT "id"
    FROM "Camera"
    WHERE "workspaceId" = $1::uuid AND "removedAt" IS NOT NULL AND "keptUntil" IS NULL
    ORDER BY "id"
  ) AS "removedCameraIds", ARRAY(
    SELECT "id"
    FROM "Facility"
    WHERE "workspaceId" = $2::uuid AND "removedAt" IS NOT NULL
    ORDER BY "id"
  ) AS "removedFacilityIds", (
    SELECT coalesce(jsonb_object_agg("facilityId", "actions"), '{}')
    FROM "FacilityAccess"
    WHERE "workspaceId" = $3::uuid AND "userId" = $4::uuid AND ("until" IS NULL OR "until" > clock_timestamp())
  ) AS "accesses", (extract(epoch FROM least("until", (
    SELECT min("until")
    FROM "FacilityAccess"
    WHERE "workspaceId" = $5::uuid AND "userId" = $6::uuid AND ("until" IS NULL OR "until" > clock_timestamp())
  )) - clock_timestamp()) * 1000)::float8 AS "endsInMs"
  FROM "User"
  WHERE "workspaceId" = $7::uuid AND "id" = $8::uuid AND ("until" IS NULL OR "until" > clock_timestamp()) AND "authId" = $9
) AS holder;

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT coalesce(json_agg("record$"), '[]')
    FROM (
      SELECT "level1$"."name" AS "name",(
        SELECT coalesce(json_agg("record$"), '[]')
        FROM (
          SELECT 'Camera' AS "__typename","level2$"."id" AS "id",CASE WHEN "level2$"."createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z' THEN to_json(to_char("level2$"."createdAt", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) WHEN "level2$"."createdAt" IS NOT NULL THEN E'\tnull'::json END AS "createdAt",json_build_object('0', json_build_array("level2$"."id","level2$"."imageLink")) AS "imageLink",json_build_object('1', "level2$"."imageDimensions") AS "imageDimensions",(
            SELECT json_build_object('nodes', coalesce(json_agg("record0$"), '[]'))
            FROM (
              SELECT item."createdAt", item."id", item."name", (
                SELECT facility."effectiveTimeZoneId"
                FROM (
                  SELECT *
                  FROM "Facility"
                  WHERE "workspaceId" = $2::uuid AND "removedAt" IS NULL
                ) AS facility
                WHERE facility."id" = item."facilityId"
              ) AS "timeZoneId"
              FROM (
                SELECT *
                FROM "Alert"
                WHERE "workspaceId" = $3::uuid
              ) AS item
              WHERE item."cameraId" = "level2$"."id"
              ORDER BY item."createdAt" DESC, item."id" DESC
              LIMIT 5
            ) AS "level3$"
            CROSS JOIN LATERAL (
              SELECT "level3$"."name" AS "name",json_build_object('2', json_build_array("level3$"."id","level3$"."createdAt","level3$"."timeZoneId")) AS "localCreatedAt"
            ) AS "record0$"
          ) AS "alerts"
          FROM (
            SELECT item."createdAt", item."id", item."imageDimensions", item."imageLink"
            FROM (
              SELECT *
              FROM "Camera"
              WHERE "workspaceId" = $4::uuid AND "removedAt" IS NULL
            ) AS item
            WHERE item."facilityId" = "level1$"."id"
            ORDER BY item."name", item."id"
          ) AS "level2$"
        ) AS "record$"
      ) AS "list"
      FROM (
        SELECT item."id", item."name"
        FROM (
          SELECT *
          FROM "Facility"
          WHERE "workspaceId" = $5::uuid AND "removedAt" IS NULL
        ) AS item
        WHERE item."workspaceId" = parent."id"
        ORDER BY item."name", item."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
