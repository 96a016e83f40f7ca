-- { facilities { access { actions user { email } } } }

SELECT parent."id" AS "parentId", (
  SELECT coalesce(json_agg(record), '[]')
  FROM (
    SELECT item."id"
    FROM (
      SELECT *
      FROM "Facility"
      WHERE "workspaceId" = $1::uuid
    ) AS item
    WHERE item."workspaceId" = parent."id"
    ORDER BY item."name", item."id"
  ) AS record
) AS "result"
FROM (
  SELECT $2::uuid
) AS parent("id");

SELECT parent."id" AS "parentId", (
  SELECT coalesce(json_agg(record), '[]')
  FROM (
    SELECT item."actions", item."facilityId", item."userId"
    FROM (
      SELECT *
      FROM "FacilityAccess"
      WHERE "workspaceId" = $1::uuid
    ) AS item
    WHERE item."facilityId" = parent."id"
    ORDER BY item."userId"
  ) AS record
) AS "result"
FROM (
  SELECT $2::uuid
) AS parent("id");
