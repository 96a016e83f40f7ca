-- Alerts counted by their camera's days, so that totals cost days instead of alerts. Whatever writes alerts keeps the counts.

-- CreateTable
CREATE TABLE "AlertDayCount" (
    "cameraId" UUID NOT NULL,
    "day" DATE NOT NULL,
    "facilityId" UUID NOT NULL,
    "workspaceId" UUID NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "AlertDayCount_pkey" PRIMARY KEY ("cameraId","day","facilityId","workspaceId")
);

-- CreateTable
CREATE TABLE "AlertDayKindCount" (
    "cameraId" UUID NOT NULL,
    "day" DATE NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "severity" TEXT COLLATE "C",
    "facilityId" UUID NOT NULL,
    "workspaceId" UUID NOT NULL,
    "count" INTEGER NOT NULL
);

-- CreateIndex
CREATE INDEX "AlertDayCount_facilityId_day_idx" ON "AlertDayCount"("facilityId", "day", "cameraId", "workspaceId", "count");

-- CreateIndex
CREATE INDEX "AlertDayKindCount_facilityId_day_idx" ON "AlertDayKindCount"("facilityId", "day", "cameraId", "name", "severity", "workspaceId", "count");

-- CreateIndex
CREATE UNIQUE INDEX "AlertDayKindCount_key" ON "AlertDayKindCount"("cameraId", "day", "name", "severity", "facilityId", "workspaceId") NULLS NOT DISTINCT;

-- The counts as the alerts say that they are, of all alerts or of those of one facility or camera.
CREATE FUNCTION "countedAlerts"("ofFacility" UUID, "ofCamera" UUID) RETURNS SETOF "AlertDayKindCount" LANGUAGE sql STABLE AS $$
  SELECT alert."cameraId", (alert."createdAt" AT TIME ZONE facility."timeZoneId")::date, alert."name" COLLATE "C", alert."severity" COLLATE "C",
    alert."facilityId", alert."workspaceId", count(*)::int
  FROM "Alert" AS alert JOIN "Facility" AS facility ON facility."id" = alert."facilityId"
  WHERE ("ofFacility" IS NULL OR alert."facilityId" = "ofFacility") AND ("ofCamera" IS NULL OR alert."cameraId" = "ofCamera")
    AND NOT EXISTS (SELECT FROM "Camera" AS camera WHERE camera."id" = alert."cameraId" AND camera."removedAt" IS NOT NULL)
  GROUP BY 1, 2, 3, 4, 5, 6
$$;

-- Counts anew; whoever calls it keeps others from writing the same alerts meanwhile.
CREATE FUNCTION "recountAlerts"("ofFacility" UUID, "ofCamera" UUID) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "AlertDayCount" AS kept
  WHERE ("ofFacility" IS NULL OR kept."facilityId" = "ofFacility") AND ("ofCamera" IS NULL OR kept."cameraId" = "ofCamera");
  DELETE FROM "AlertDayKindCount" AS kept
  WHERE ("ofFacility" IS NULL OR kept."facilityId" = "ofFacility") AND ("ofCamera" IS NULL OR kept."cameraId" = "ofCamera");
  INSERT INTO "AlertDayKindCount" SELECT * FROM "countedAlerts"("ofFacility", "ofCamera");
  INSERT INTO "AlertDayCount" ("cameraId", "day", "facilityId", "workspaceId", "count")
  SELECT kept."cameraId", kept."day", kept."facilityId", kept."workspaceId", sum(kept."count")
  FROM "AlertDayKindCount" AS kept
  WHERE ("ofFacility" IS NULL OR kept."facilityId" = "ofFacility") AND ("ofCamera" IS NULL OR kept."cameraId" = "ofCamera")
  GROUP BY 1, 2, 3, 4;
END
$$;

-- Counts all alerts anew. Nobody writes alerts meanwhile; whoever reads sees the counts of before.
CREATE FUNCTION "rebuildAlertCounts"() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE "Alert" IN SHARE ROW EXCLUSIVE MODE;
  -- Whoever removes a camera or changes a time zone writes counts as well.
  LOCK TABLE "AlertDayCount", "AlertDayKindCount" IN EXCLUSIVE MODE;
  PERFORM "recountAlerts"(NULL, NULL);
END
$$;

-- Where the counts are not what the alerts say: "kept" is null where a row is missing, "counted" where there should be none.
CREATE FUNCTION "alertCountDifferences"()
RETURNS TABLE ("table" TEXT, "cameraId" UUID, "day" DATE, "name" TEXT, "severity" TEXT, "facilityId" UUID, "workspaceId" UUID, "kept" BIGINT, "counted" BIGINT)
LANGUAGE sql STABLE AS $$
  WITH truth AS MATERIALIZED (SELECT * FROM "countedAlerts"(NULL, NULL)),
  said AS (
    SELECT 'AlertDayCount' AS "table", "cameraId", "day", NULL AS "name", NULL AS "severity", "facilityId", "workspaceId", "count" AS "kept", NULL::int AS "counted"
    FROM "AlertDayCount"
    UNION ALL SELECT 'AlertDayCount', "cameraId", "day", NULL, NULL, "facilityId", "workspaceId", NULL, "count" FROM truth
    UNION ALL SELECT 'AlertDayKindCount', "cameraId", "day", "name", "severity", "facilityId", "workspaceId", "count", NULL FROM "AlertDayKindCount"
    UNION ALL SELECT 'AlertDayKindCount', "cameraId", "day", "name", "severity", "facilityId", "workspaceId", NULL, "count" FROM truth
  )
  SELECT "table", "cameraId", "day", "name" COLLATE "C", "severity" COLLATE "C", "facilityId", "workspaceId", sum("kept"), sum("counted") FROM said
  GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum("kept") IS DISTINCT FROM sum("counted") ORDER BY 1, 2, 3, 4, 5, 6, 7
$$;

-- What a statement did to alerts: 1 for one that came, -1 for one that went.
CREATE TYPE "AlertCountChange" AS (
    "cameraId" UUID,
    "facilityId" UUID,
    "workspaceId" UUID,
    "createdAt" TIMESTAMPTZ(3),
    "name" TEXT,
    "severity" TEXT,
    "change" INTEGER
);

CREATE FUNCTION "changeAlertCounts"(changes "AlertCountChange"[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  kinds "AlertDayKindCount"[];
BEGIN
  IF changes IS NULL THEN
    RETURN;
  END IF;
  -- Nobody removes these cameras, or changes the time zone of their facility, before this transaction has ended.
  PERFORM FROM "Camera" AS camera WHERE camera."id" IN (SELECT changed."cameraId" FROM unnest(changes) AS changed) ORDER BY camera."id" FOR KEY SHARE;
  kinds := ARRAY(
    SELECT ROW(changed."cameraId", (changed."createdAt" AT TIME ZONE facility."timeZoneId")::date, changed."name" COLLATE "C",
      changed."severity" COLLATE "C", changed."facilityId", changed."workspaceId", sum(changed."change"))::"AlertDayKindCount"
    FROM unnest(changes) AS changed JOIN "Facility" AS facility ON facility."id" = changed."facilityId"
    WHERE NOT EXISTS (SELECT FROM "Camera" AS camera WHERE camera."id" = changed."cameraId" AND camera."removedAt" IS NOT NULL)
    GROUP BY changed."cameraId", (changed."createdAt" AT TIME ZONE facility."timeZoneId")::date, changed."name" COLLATE "C",
      changed."severity" COLLATE "C", changed."facilityId", changed."workspaceId"
    HAVING sum(changed."change") <> 0
  );
  -- All writers take the rows in one order, table by table: so they never wait in a circle.
  INSERT INTO "AlertDayCount" AS kept ("cameraId", "day", "facilityId", "workspaceId", "count")
  SELECT kind."cameraId", kind."day", kind."facilityId", kind."workspaceId", sum(kind."count") FROM unnest(kinds) AS kind
  GROUP BY 1, 2, 3, 4 HAVING sum(kind."count") <> 0 ORDER BY 1, 2, 3, 4
  ON CONFLICT ("cameraId", "day", "facilityId", "workspaceId") DO UPDATE SET "count" = kept."count" + EXCLUDED."count";
  INSERT INTO "AlertDayKindCount" AS kept
  SELECT kind.* FROM unnest(kinds) AS kind ORDER BY kind."cameraId", kind."day", kind."name", kind."severity", kind."facilityId", kind."workspaceId"
  ON CONFLICT ("cameraId", "day", "name", "severity", "facilityId", "workspaceId") DO UPDATE SET "count" = kept."count" + EXCLUDED."count";
  -- A row of 0 was just written by this transaction, and is held by it.
  DELETE FROM "AlertDayCount" AS kept USING unnest(kinds) AS kind
  WHERE kind."count" < 0 AND kept."count" = 0 AND (kept."cameraId", kept."day", kept."facilityId", kept."workspaceId")
    = (kind."cameraId", kind."day", kind."facilityId", kind."workspaceId");
  DELETE FROM "AlertDayKindCount" AS kept USING unnest(kinds) AS kind
  WHERE kind."count" < 0 AND kept."count" = 0 AND (kept."cameraId", kept."day", kept."name", kept."facilityId", kept."workspaceId")
    = (kind."cameraId", kind."day", kind."name", kind."facilityId", kind."workspaceId") AND kept."severity" IS NOT DISTINCT FROM kind."severity";
END
$$;

CREATE FUNCTION "countInsertedAlerts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "changeAlertCounts"((
    SELECT array_agg(ROW("cameraId", "facilityId", "workspaceId", "createdAt", "name", "severity", 1)::"AlertCountChange") FROM inserted
  ));
  RETURN NULL;
END
$$;

CREATE FUNCTION "countDeletedAlerts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "changeAlertCounts"((
    SELECT array_agg(ROW("cameraId", "facilityId", "workspaceId", "createdAt", "name", "severity", -1)::"AlertCountChange") FROM deleted
  ));
  RETURN NULL;
END
$$;

-- Most updates mark alerts, which changes no count.
CREATE FUNCTION "countUpdatedAlerts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "changeAlertCounts"((
    SELECT array_agg(ROW("cameraId", "facilityId", "workspaceId", "createdAt", "name", "severity", "change")::"AlertCountChange") FROM (
      SELECT "cameraId", "facilityId", "workspaceId", "createdAt", "name", "severity", sum("change") AS "change" FROM (
        SELECT "cameraId", "facilityId", "workspaceId", "createdAt", "name", "severity", -1 AS "change" FROM before
        UNION ALL SELECT "cameraId", "facilityId", "workspaceId", "createdAt", "name", "severity", 1 FROM after
      ) AS version
      GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum("change") <> 0
    ) AS difference
  ));
  RETURN NULL;
END
$$;

CREATE FUNCTION "emptyAlertCounts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE "AlertDayCount", "AlertDayKindCount";
  RETURN NULL;
END
$$;

CREATE TRIGGER "Alert_inserted" AFTER INSERT ON "Alert" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION "countInsertedAlerts"();
CREATE TRIGGER "Alert_deleted" AFTER DELETE ON "Alert" REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION "countDeletedAlerts"();
CREATE TRIGGER "Alert_updated" AFTER UPDATE ON "Alert" REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION "countUpdatedAlerts"();
CREATE TRIGGER "Alert_truncated" AFTER TRUNCATE ON "Alert"
  FOR EACH STATEMENT EXECUTE FUNCTION "emptyAlertCounts"();

-- The alerts of a camera count no more from the moment that it is marked.
CREATE FUNCTION "countAlertsOfCamera"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    -- Whoever is writing its alerts has counted them before this goes on, or will see the mark.
    PERFORM FROM "Camera" WHERE "id" = NEW."id" FOR UPDATE;
    IF NEW."removedAt" IS NOT NULL THEN
      DELETE FROM "AlertDayCount" WHERE "cameraId" = NEW."id";
      DELETE FROM "AlertDayKindCount" WHERE "cameraId" = NEW."id";
      RETURN NULL;
    END IF;
  END IF;
  -- Its mark is gone: whatever alerts of it are left are seen again.
  PERFORM "recountAlerts"(NULL, OLD."id");
  RETURN NULL;
END
$$;

CREATE TRIGGER "Camera_marked" AFTER UPDATE OF "removedAt" ON "Camera"
  FOR EACH ROW WHEN ((OLD."removedAt" IS NULL) <> (NEW."removedAt" IS NULL)) EXECUTE FUNCTION "countAlertsOfCamera"();
CREATE TRIGGER "Camera_deleted" AFTER DELETE ON "Camera"
  FOR EACH ROW WHEN (OLD."removedAt" IS NOT NULL) EXECUTE FUNCTION "countAlertsOfCamera"();

-- Another time zone puts alerts on other days.
CREATE FUNCTION "countAlertsOfFacility"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM "Camera" AS camera WHERE camera."facilityId" = NEW."id" ORDER BY camera."id" FOR UPDATE;
  PERFORM "recountAlerts"(NEW."id", NULL);
  RETURN NULL;
END
$$;

CREATE TRIGGER "Facility_moved" AFTER UPDATE OF "timeZoneId" ON "Facility"
  FOR EACH ROW WHEN (OLD."timeZoneId" <> NEW."timeZoneId") EXECUTE FUNCTION "countAlertsOfFacility"();

-- The whole local days within a period: from "firstDay" on and before "dayAfter", which are the instants from "begins" on and
-- before "ends". Midnights within 26 hours of a change of the clock are passed over: there an instant may have an earlier
-- date than one before it. Without a whole day, all is before "begins".
CREATE FUNCTION "wholeDays"("periodStart" TIMESTAMPTZ, "periodEnd" TIMESTAMPTZ, zone TEXT)
RETURNS TABLE ("firstDay" DATE, "dayAfter" DATE, "begins" TIMESTAMPTZ, "ends" TIMESTAMPTZ) LANGUAGE sql STABLE ROWS 1 AS $$
  WITH midnight AS (
    SELECT side."toward", day::date AS "day", day AT TIME ZONE zone AS "moment"
    FROM (VALUES ("periodStart", 1), ("periodEnd", -1)) AS side("limit", "toward"),
      generate_series(0, 9) AS distance, date_trunc('day', side."limit" AT TIME ZONE zone) AS today,
      LATERAL (SELECT today + distance * side."toward" * interval '1 day' AS day) AS candidate
    WHERE (day AT TIME ZONE zone - side."limit") * side."toward" >= interval '0'
      AND (day AT TIME ZONE zone - interval '26 hours') AT TIME ZONE zone = day - interval '26 hours'
      AND (day AT TIME ZONE zone + interval '26 hours') AT TIME ZONE zone = day + interval '26 hours'
  ), first AS (SELECT * FROM midnight WHERE "toward" = 1 ORDER BY "day" LIMIT 1),
  last AS (SELECT * FROM midnight WHERE "toward" = -1 ORDER BY "day" DESC LIMIT 1)
  SELECT first."day", last."day", CASE WHEN last."day" IS NULL THEN "periodEnd" ELSE first."moment" END, coalesce(last."moment", "periodEnd")
  FROM (SELECT) AS always LEFT JOIN first ON true LEFT JOIN last ON first."day" < last."day"
$$;

SELECT "recountAlerts"(NULL, NULL);
