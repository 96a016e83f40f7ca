-- { alerts(first: 20, filter: { relativeDays: { from: -6, to: 0 } }) { nodes { name } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT json_build_object('nodes', coalesce(json_agg("record0$"), '[]'))
    FROM (
      WITH period AS MATERIALIZED (
        SELECT min(least(days."begin" AT TIME ZONE zone."timeZoneId", (days."begin" - interval '26 hours') AT TIME ZONE zone."timeZoneId" + interval '26 hours', (days."begin" + interval '26 hours') AT TIME ZONE zone."timeZoneId" - interval '26 hours')) AS "earliest", max(greatest(days."begin" AT TIME ZONE zone."timeZoneId", (days."begin" - interval '26 hours') AT TIME ZONE zone."timeZoneId" + interval '26 hours', (days."begin" + interval '26 hours') AT TIME ZONE zone."timeZoneId" - interval '26 hours')) AS "begun", min(least(days."end" AT TIME ZONE zone."timeZoneId", (days."end" - interval '26 hours') AT TIME ZONE zone."timeZoneId" + interval '26 hours', (days."end" + interval '26 hours') AT TIME ZONE zone."timeZoneId" - interval '26 hours')) AS "ending", max(greatest(days."end" AT TIME ZONE zone."timeZoneId", (days."end" - interval '26 hours') AT TIME ZONE zone."timeZoneId" + interval '26 hours', (days."end" + interval '26 hours') AT TIME ZONE zone."timeZoneId" - interval '26 hours')) AS "latest"
        FROM (
          SELECT DISTINCT facility."effectiveTimeZoneId" AS "timeZoneId"
          FROM (
            SELECT *
            FROM "Facility"
            WHERE "workspaceId" = $2::uuid AND "removedAt" IS NULL
          ) AS facility
          WHERE true
        ) AS zone
        CROSS JOIN LATERAL (
          SELECT (($3::timestamptz AT TIME ZONE zone."timeZoneId")::date + $4::int)::date + $5::interval AS "begin", (($6::timestamptz AT TIME ZONE zone."timeZoneId")::date + $7::int)::date + 1 + $8::interval AS "end"
        ) AS days
      )
      SELECT item."createdAt", item."id", item."name"
      FROM ((
        SELECT item.*
        FROM (
          SELECT *
          FROM "Alert"
          WHERE "workspaceId" = $9::uuid
        ) AS item
        WHERE item."createdAt" >= (
          SELECT "earliest"
          FROM period
        ) AND item."createdAt" < (
          SELECT least("begun", "ending")
          FROM period
        ) AND (
          SELECT (item."createdAt" AT TIME ZONE facility."effectiveTimeZoneId")::date BETWEEN ($10::timestamptz AT TIME ZONE facility."effectiveTimeZoneId")::date + $11::int AND ($12::timestamptz AT TIME ZONE facility."effectiveTimeZoneId")::date + $13::int
          FROM (
            SELECT *
            FROM "Facility"
            WHERE "workspaceId" = $14::uuid AND "removedAt" IS NULL
          ) AS facility
          WHERE facility."id" = item."facilityId"
        )
        ORDER BY item."createdAt" DESC, item."id" DESC
      ) UNION ALL (
        SELECT item.*
        FROM (
          SELECT *
          FROM "Alert"
          WHERE "workspaceId" = $15::uuid
        ) AS item
        WHERE item."createdAt" >= (
          SELECT "begun"
          FROM period
        ) AND item."createdAt" < (
          SELECT "ending"
          FROM period
        )
        ORDER BY item."createdAt" DESC, item."id" DESC
      ) UNION ALL (
        SELECT item.*
        FROM (
          SELECT *
          FROM "Alert"
          WHERE "workspaceId" = $16::uuid
        ) AS item
        WHERE item."createdAt" >= (
          SELECT "ending"
          FROM period
        ) AND item."createdAt" < (
          SELECT "latest"
          FROM period
        ) AND (
          SELECT (item."createdAt" AT TIME ZONE facility."effectiveTimeZoneId")::date BETWEEN ($17::timestamptz AT TIME ZONE facility."effectiveTimeZoneId")::date + $18::int AND ($19::timestamptz AT TIME ZONE facility."effectiveTimeZoneId")::date + $20::int
          FROM (
            SELECT *
            FROM "Facility"
            WHERE "workspaceId" = $21::uuid AND "removedAt" IS NULL
          ) AS facility
          WHERE facility."id" = item."facilityId"
        )
        ORDER BY item."createdAt" DESC, item."id" DESC
      )) AS item
      WHERE item."workspaceId" = parent."id"
      ORDER BY item."createdAt" DESC, item."id" DESC
      LIMIT 20
    ) AS "level1$"
    CROSS JOIN LATERAL (
      SELECT "level1$"."name" AS "name"
    ) AS "record0$"
  )::text OFFSET 0
) AS related("json");
