-- { facilities { access { actions user { email } } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT coalesce(json_agg("record$"), '[]')
    FROM (
      SELECT json_build_object('0', json_build_array("level1$"."id")) AS "access"
      FROM (
        SELECT item."id"
        FROM (
          SELECT *
          FROM "Facility"
          WHERE "workspaceId" = $2::uuid AND "removedAt" IS NULL
        ) AS item
        WHERE item."workspaceId" = parent."id"
        ORDER BY item."name", item."id"
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
    SELECT coalesce(json_agg("record$"), '[]')
    FROM (
      SELECT CASE WHEN array_ndims("level1$"."actions") > 1 THEN E'\tnull'::json WHEN array_position("level1$"."actions", NULL) IS NULL THEN to_json("level1$"."actions") ELSE E'\tnull'::json END AS "actions",json_build_object('0', json_build_array("level1$"."userId","level1$"."facilityId")) AS "user"
      FROM (
        SELECT item."actions", item."facilityId", item."userId"
        FROM (
          SELECT *
          FROM "FacilityAccess"
          WHERE "workspaceId" = $2::uuid
        ) AS item
        WHERE item."facilityId" = parent."id"
        ORDER BY item."userId"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");
