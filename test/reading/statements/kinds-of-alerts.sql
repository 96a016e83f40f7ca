-- { workspace { alertTypes alertSeverities } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT to_json("record$")
    FROM (
      SELECT json_build_object('0', json_build_array("level1$"."id")) AS "alertTypes",json_build_object('1', json_build_array("level1$"."id")) AS "alertSeverities"
      FROM (
        SELECT item."id"
        FROM (
          SELECT *
          FROM "Workspace"
          WHERE "id" = $2::uuid
        ) AS item
        WHERE item."id" = parent."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");

WITH kind AS MATERIALIZED (
  SELECT DISTINCT item."name", item."severity"
  FROM (
    SELECT *
    FROM "AlertDayKindCount"
    WHERE "workspaceId" = $1::uuid
  ) AS item
)
SELECT ARRAY(
  SELECT DISTINCT kind."name"
  FROM kind
  ORDER BY kind."name"
  LIMIT $2
) AS "types", ARRAY(
  SELECT DISTINCT kind."severity"
  FROM kind
  WHERE kind."severity" IS NOT NULL
  ORDER BY kind."severity"
  LIMIT $3
) AS "severities";
