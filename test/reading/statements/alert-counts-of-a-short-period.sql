-- { alertCounts(filter: { start: "2026-11-20T00:00:00Z", end: "2026-11-21T00:00:00Z", facilityId: "<id>" }, aggregate: MONTH) { key count } }

SELECT part."parentId", part."key", sum(part."count")::int AS "count"
FROM (
  SELECT item."workspaceId" AS "parentId", to_char(item."createdAt" AT TIME ZONE facility."effectiveTimeZoneId", $1) COLLATE "C" AS "key", 1 AS "count"
  FROM (
    SELECT *
    FROM "Alert"
    WHERE "workspaceId" = $2::uuid
  ) AS item
  JOIN "Facility" AS facility ON facility."workspaceId" = item."workspaceId" AND facility."id" = item."facilityId"
  WHERE item."workspaceId" = ANY($3::uuid[]) AND item."createdAt" >= $4::timestamptz AND item."createdAt" < $5::timestamptz AND item."facilityId" = $6::uuid
) AS part
GROUP BY 1, 2
ORDER BY 1, 2;
