-- { camera(id: "<id>") { alertHeatmap(filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }) { counts alerts } } }

SELECT parent."id" AS "parentId", octet_length(related."json") AS "size", CASE WHEN octet_length(related."json") <= 16777216 THEN related."json" END AS "result"
FROM (
  SELECT $1::uuid
) AS parent("id")
CROSS JOIN LATERAL (
  SELECT (
    SELECT to_json("record$")
    FROM (
      SELECT json_build_object('0', json_build_array("level1$"."id")) AS "alertHeatmap"
      FROM (
        SELECT item."id"
        FROM (
          SELECT *
          FROM "Camera"
          WHERE "workspaceId" = $2::uuid AND "removedAt" IS NULL
        ) AS item
        WHERE item."id" = parent."id"
      ) AS "level1$"
    ) AS "record$"
  )::text OFFSET 0
) AS related("json");

WITH located AS MATERIALIZED (
  SELECT ARRAY(
    SELECT least(floor((CASE WHEN jsonb_typeof(point->'y') = 'number' THEN (point->'y')::float8 END) / alert."height" * $1::int), $2::int)::int * $3::int + least(floor((CASE WHEN jsonb_typeof(point->'x') = 'number' THEN (point->'x')::float8 END) / alert."width" * $4::int), $5::int)::int
    FROM jsonb_array_elements(alert."violatingCoordinates") AS point
    WHERE (CASE WHEN jsonb_typeof(point->'x') = 'number' THEN (point->'x')::float8 END) BETWEEN 0 AND alert."width" AND (CASE WHEN jsonb_typeof(point->'y') = 'number' THEN (point->'y')::float8 END) BETWEEN 0 AND alert."height"
  ) AS "cells"
  FROM (
    SELECT newest."violatingCoordinates", (CASE WHEN jsonb_typeof(newest."canvas"->'width') = 'number' THEN (newest."canvas"->'width')::float8 END) AS "width", (CASE WHEN jsonb_typeof(newest."canvas"->'height') = 'number' THEN (newest."canvas"->'height')::float8 END) AS "height"
    FROM (
      SELECT item."violatingCoordinates", coalesce(nullif(item."canvasDimensions", 'null'), item."imageDimensions") AS "canvas"
      FROM (
        SELECT *
        FROM "Alert"
        WHERE "workspaceId" = $6::uuid
      ) AS item
      WHERE item."cameraId" = $7::uuid AND item."createdAt" >= $8::timestamptz AND item."createdAt" < $9::timestamptz
      ORDER BY item."createdAt" DESC, item."id" DESC
      LIMIT $10
    ) AS newest OFFSET 0
  ) AS alert
  WHERE alert."width" > 0 AND alert."height" > 0 AND jsonb_typeof(alert."violatingCoordinates") = 'array'
), cell AS (
  SELECT each."cell", count(*)::int AS "count"
  FROM located
  CROSS JOIN unnest(located."cells") AS each("cell")
  GROUP BY 1
)
SELECT (
  SELECT count(*) FILTER (WHERE located."cells" <> '{}')
  FROM located
)::int AS "alerts", coalesce(array_agg(cell."cell"), '{}') AS "cells", coalesce(array_agg(cell."count"), '{}') AS "counts"
FROM cell;
