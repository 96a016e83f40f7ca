-- { searchCameras(filter: { facilityIds: ["<id>"], statusDetails: ["STREAM_ERROR"], operational: false, text: "gate" }) { nodes { status } totalCount } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT json_build_object('nodes', coalesce(json_agg("record0$"), '[]'),'totalCount', json_build_object('0', json_build_array(parent."id")))
    FROM (
      SELECT item."id", item."status", item."name"
      FROM (
        SELECT *
        FROM "Camera"
        WHERE "workspaceId" = $2::uuid AND "removedAt" IS NULL
      ) AS item
      WHERE item."workspaceId" = parent."id" AND item."facilityId" = ANY($3::uuid[]) AND item."statusDetail" = ANY($4::text[]) AND NOT item."statusDetail" = $5 AND strpos(item."foldedName", (
        SELECT "foldedText"($6::text)
      )) > 0
      ORDER BY item."name", item."id"
      LIMIT 20
    ) AS "level1$"
    CROSS JOIN LATERAL (
      SELECT "level1$"."status" AS "status"
    ) AS "record0$"
  )::text OFFSET 0
) AS related("json");

SELECT item."workspaceId" AS "parentId", count(*)::int AS "count"
FROM (
  SELECT *
  FROM "Camera"
  WHERE "workspaceId" = $1::uuid AND "removedAt" IS NULL
) AS item
WHERE item."workspaceId" = ANY($2::uuid[]) AND item."facilityId" = ANY($3::uuid[]) AND item."statusDetail" = ANY($4::text[]) AND NOT item."statusDetail" = $5 AND strpos(item."foldedName", (
  SELECT "foldedText"($6::text)
)) > 0
GROUP BY item."workspaceId";
