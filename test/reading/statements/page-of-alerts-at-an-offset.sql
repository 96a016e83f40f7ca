-- { alerts(first: 20, offset: 40, filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }) { nodes { name localCreatedAt annotatedUrl } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT json_build_object('nodes', coalesce(json_agg("record0$"), '[]'))
    FROM (
      SELECT item."createdAt", item."id", coalesce(item."url" !~* '^https?://', false) AND (coalesce(jsonb_typeof(item."area") = 'array' AND item."area" <> '[]', false) OR coalesce(jsonb_typeof(item."violatingCoordinates") = 'array' AND item."violatingCoordinates" <> '[]', false)) AS "isAnnotatable", item."name", (
        SELECT facility."effectiveTimeZoneId"
        FROM (
          SELECT *
          FROM "Facility"
          WHERE "workspaceId" = $2::uuid AND "removedAt" IS NULL
        ) AS facility
        WHERE facility."id" = item."facilityId"
      ) AS "timeZoneId"
      FROM (
        SELECT item."id"
        FROM (
          SELECT *
          FROM "Alert"
          WHERE "workspaceId" = $3::uuid
        ) AS item
        WHERE item."workspaceId" = parent."id" AND item."createdAt" >= $4::timestamptz AND item."createdAt" < $5::timestamptz
        ORDER BY item."createdAt" DESC, item."id" DESC
        LIMIT 20 OFFSET $6::int
      ) AS page
      CROSS JOIN LATERAL (
        SELECT *
        FROM (
          SELECT *
          FROM "Alert"
          WHERE "workspaceId" = $7::uuid
        ) AS item
        WHERE item."id" = page."id" OFFSET 0
      ) AS item
      ORDER BY item."createdAt" DESC, item."id" DESC
    ) AS "level1$"
    CROSS JOIN LATERAL (
      SELECT "level1$"."name" AS "name",json_build_object('0', json_build_array("level1$"."id","level1$"."createdAt","level1$"."timeZoneId")) AS "localCreatedAt",json_build_object('1', json_build_array("level1$"."id","level1$"."createdAt","level1$"."isAnnotatable")) AS "annotatedUrl"
    ) AS "record0$"
  )::text OFFSET 0
) AS related("json");
