-- { alertStatistics(filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }, groupBy: [HOUR_OF_DAY, CAMERA, ALERT_RULE]) { count hourOfDay } }

SELECT counted.*
FROM (
  SELECT part."hourOfDay" AS "hourOfDay",part."cameraId" AS "cameraId",part."alertRuleId" AS "alertRuleId", sum(part."count")::int AS "count"
  FROM (
    SELECT item."workspaceId" AS "parentId", date_part('hour', item."createdAt" AT TIME ZONE facility."effectiveTimeZoneId")::int AS "hourOfDay", item."cameraId" AS "cameraId", item."alertRuleId" AS "alertRuleId", 1 AS "count"
    FROM (
      SELECT *
      FROM "Alert"
      WHERE "workspaceId" = $1::uuid
    ) AS item
    JOIN "Facility" AS facility ON facility."workspaceId" = item."workspaceId" AND facility."id" = item."facilityId"
    WHERE item."workspaceId" = ANY($2::uuid[]) AND item."createdAt" >= $3::timestamptz AND item."createdAt" < $4::timestamptz
  ) AS part
  GROUP BY 1,2,3 HAVING sum(part."count") > 0
  LIMIT $5
) AS counted LEFT
JOIN (
  SELECT *
  FROM "Camera"
  WHERE "workspaceId" = $6::uuid AND "removedAt" IS NULL
) AS "cameras" ON "cameras"."id" = counted."cameraId" LEFT
JOIN (
  SELECT *
  FROM "AlertRule"
  WHERE "workspaceId" = $7::uuid AND "cameraId" IN (
    SELECT camera."id"
    FROM (
      SELECT *
      FROM "Camera"
      WHERE "workspaceId" = $8::uuid AND "removedAt" IS NULL
    ) AS camera
  )
) AS "alertRules" ON "alertRules"."id" = counted."alertRuleId"
ORDER BY counted."hourOfDay",counted."count" DESC,"cameras"."name",counted."cameraId","alertRules"."name",counted."alertRuleId";
