-- Whatever writes alerts, and marks them, keeps the counts of open ones: also versions that do not know of them. Open are the alerts that are
-- neither acknowledged nor false positives nor observations. No index has the count, so that PostgreSQL can change it in place.

CREATE FUNCTION "changeOpenAlertCounts"("ofWorkspace" UUID, "cameraIds" UUID[], "facilityIds" UUID[], changes INTEGER[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- Nobody removes these cameras before this transaction has ended.
  PERFORM FROM "Camera" AS camera
  WHERE camera."workspaceId" = "ofWorkspace" AND camera."id" = ANY("cameraIds") ORDER BY camera."id" FOR KEY SHARE;
  -- All writers lock the rows in the same order, after those of the other counts, which prevents deadlocks.
  INSERT INTO "OpenAlertCount" AS kept ("workspaceId", "cameraId", "facilityId", "count")
  SELECT "ofWorkspace", changed."cameraId", changed."facilityId", changed."change"
  FROM unnest("cameraIds", "facilityIds", changes) AS changed("cameraId", "facilityId", "change")
  WHERE NOT EXISTS (
    SELECT FROM "Camera" AS camera
    WHERE camera."workspaceId" = "ofWorkspace" AND camera."id" = changed."cameraId" AND camera."removedAt" IS NOT NULL)
  ORDER BY 2, 3
  ON CONFLICT ("workspaceId", "cameraId", "facilityId") DO UPDATE SET "count" = kept."count" + EXCLUDED."count";
END
$$;

CREATE OR REPLACE FUNCTION "countInsertedAlerts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "changeAlertCounts"(
    "workspaceId", array_agg(ROW("cameraId", "facilityId", "workspaceId", "createdAt", "name", "severity", 1)::"AlertCountChange"))
  FROM inserted GROUP BY "workspaceId" ORDER BY "workspaceId";
  PERFORM "changeOpenAlertCounts"("workspaceId", array_agg("cameraId"), array_agg("facilityId"), array_agg("change"))
  FROM (
    SELECT "workspaceId", "cameraId", "facilityId", count(*)::int AS "change" FROM inserted
    WHERE "acknowledgedAt" IS NULL AND NOT "falsePositive" AND NOT "observation" GROUP BY 1, 2, 3
  ) AS difference
  GROUP BY "workspaceId" ORDER BY "workspaceId";
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION "countDeletedAlerts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "changeAlertCounts"(
    "workspaceId", array_agg(ROW("cameraId", "facilityId", "workspaceId", "createdAt", "name", "severity", -1)::"AlertCountChange"))
  FROM deleted GROUP BY "workspaceId" ORDER BY "workspaceId";
  PERFORM "changeOpenAlertCounts"("workspaceId", array_agg("cameraId"), array_agg("facilityId"), array_agg("change"))
  FROM (
    SELECT "workspaceId", "cameraId", "facilityId", -count(*)::int AS "change" FROM deleted
    WHERE "acknowledgedAt" IS NULL AND NOT "falsePositive" AND NOT "observation" GROUP BY 1, 2, 3
  ) AS difference
  GROUP BY "workspaceId" ORDER BY "workspaceId";
  RETURN NULL;
END
$$;

-- Most updates mark alerts, which changes no count but that of open ones.
CREATE OR REPLACE FUNCTION "countUpdatedAlerts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "changeAlertCounts"(
    "workspaceId", array_agg(ROW("cameraId", "facilityId", "workspaceId", "createdAt", "name", "severity", "change")::"AlertCountChange"))
  FROM (
    SELECT "cameraId", "facilityId", "workspaceId", "createdAt", "name", "severity", sum("change") AS "change" FROM (
      SELECT "cameraId", "facilityId", "workspaceId", "createdAt", "name", "severity", -1 AS "change" FROM before
      UNION ALL SELECT "cameraId", "facilityId", "workspaceId", "createdAt", "name", "severity", 1 FROM after
    ) AS version
    GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum("change") <> 0
  ) AS difference
  GROUP BY "workspaceId" ORDER BY "workspaceId";
  PERFORM "changeOpenAlertCounts"("workspaceId", array_agg("cameraId"), array_agg("facilityId"), array_agg("change"))
  FROM (
    SELECT "workspaceId", "cameraId", "facilityId", sum("change")::int AS "change" FROM (
      SELECT "workspaceId", "cameraId", "facilityId", -1 AS "change" FROM before
      WHERE "acknowledgedAt" IS NULL AND NOT "falsePositive" AND NOT "observation"
      UNION ALL SELECT "workspaceId", "cameraId", "facilityId", 1 FROM after
      WHERE "acknowledgedAt" IS NULL AND NOT "falsePositive" AND NOT "observation"
    ) AS version
    GROUP BY 1, 2, 3 HAVING sum("change") <> 0
  ) AS difference
  GROUP BY "workspaceId" ORDER BY "workspaceId";
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION "emptyAlertCounts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE "AlertDayCount", "AlertDayKindCount", "OpenAlertCount";
  RETURN NULL;
END
$$;

-- The counts of open alerts according to the alerts: of all, or of those of one workspace, and of one facility or camera of it.
CREATE FUNCTION "countedOpenAlerts"("ofWorkspace" UUID, "ofFacility" UUID, "ofCamera" UUID)
RETURNS TABLE ("workspaceId" UUID, "cameraId" UUID, "facilityId" UUID, "count" INTEGER) LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT alert."workspaceId", alert."cameraId", alert."facilityId", count(*)::int
  FROM "Alert" AS alert
  WHERE alert."acknowledgedAt" IS NULL AND NOT alert."falsePositive" AND NOT alert."observation"
    AND ("ofWorkspace" IS NULL OR alert."workspaceId" = "ofWorkspace")
    AND ("ofFacility" IS NULL OR alert."facilityId" = "ofFacility") AND ("ofCamera" IS NULL OR alert."cameraId" = "ofCamera")
    AND NOT EXISTS (
      SELECT FROM "Camera" AS camera
      WHERE camera."workspaceId" = alert."workspaceId" AND camera."id" = alert."cameraId" AND camera."removedAt" IS NOT NULL)
  GROUP BY 1, 2, 3;
END
$$;

CREATE FUNCTION "recountOpenAlerts"("ofWorkspace" UUID, "ofFacility" UUID, "ofCamera" UUID) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "OpenAlertCount" AS kept WHERE ("ofWorkspace" IS NULL OR kept."workspaceId" = "ofWorkspace")
    AND ("ofFacility" IS NULL OR kept."facilityId" = "ofFacility") AND ("ofCamera" IS NULL OR kept."cameraId" = "ofCamera");
  INSERT INTO "OpenAlertCount" ("workspaceId", "cameraId", "facilityId", "count")
  SELECT * FROM "countedOpenAlerts"("ofWorkspace", "ofFacility", "ofCamera");
END
$$;

CREATE OR REPLACE FUNCTION "rebuildAlertCounts"() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE "Alert" IN SHARE ROW EXCLUSIVE MODE;
  -- Removing a camera or changing a time zone writes counts as well.
  LOCK TABLE "AlertDayCount", "AlertDayKindCount", "OpenAlertCount" IN EXCLUSIVE MODE;
  PERFORM "recountAlerts"(NULL, NULL, NULL);
  PERFORM "recountOpenAlerts"(NULL, NULL, NULL);
END
$$;

CREATE OR REPLACE FUNCTION "alertCountDifferences"()
RETURNS TABLE ("table" TEXT, "cameraId" UUID, "day" DATE, "name" TEXT, "severity" TEXT, "facilityId" UUID, "workspaceId" UUID, "kept" BIGINT, "counted" BIGINT)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY WITH truth AS MATERIALIZED (SELECT * FROM "countedAlerts"(NULL, NULL, NULL)),
  said AS (
    SELECT 'AlertDayCount' AS "table", "cameraId", "day", NULL AS "name", NULL AS "severity", "facilityId", "workspaceId", "count" AS "kept", NULL::int AS "counted"
    FROM "AlertDayCount"
    UNION ALL SELECT 'AlertDayCount', "cameraId", "day", NULL, NULL, "facilityId", "workspaceId", NULL, "count" FROM truth
    UNION ALL SELECT 'AlertDayKindCount', "cameraId", "day", "name", "severity", "facilityId", "workspaceId", "count", NULL FROM "AlertDayKindCount"
    UNION ALL SELECT 'AlertDayKindCount', "cameraId", "day", "name", "severity", "facilityId", "workspaceId", NULL, "count" FROM truth
    -- Cameras without open alerts may keep a row.
    UNION ALL SELECT 'OpenAlertCount', "cameraId", NULL, NULL, NULL, "facilityId", "workspaceId", "count", NULL FROM "OpenAlertCount" WHERE "count" <> 0
    UNION ALL SELECT 'OpenAlertCount', "cameraId", NULL, NULL, NULL, "facilityId", "workspaceId", NULL, "count" FROM "countedOpenAlerts"(NULL, NULL, NULL)
  )
  SELECT "table", "cameraId", "day", "name" COLLATE "C", "severity" COLLATE "C", "facilityId", "workspaceId", sum("kept"), sum("counted") FROM said
  GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum("kept") IS DISTINCT FROM sum("counted") ORDER BY 1, 2, 3, 4, 5, 6, 7;
END
$$;

CREATE OR REPLACE FUNCTION "countAlertsOfCamera"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    -- Concurrent writers of its alerts have counted them before this goes on, or will see the mark.
    PERFORM FROM "Camera" WHERE "workspaceId" = NEW."workspaceId" AND "id" = NEW."id" FOR UPDATE;
    IF NEW."removedAt" IS NOT NULL THEN
      DELETE FROM "AlertDayCount" WHERE "workspaceId" = NEW."workspaceId" AND "cameraId" = NEW."id";
      DELETE FROM "AlertDayKindCount" WHERE "workspaceId" = NEW."workspaceId" AND "cameraId" = NEW."id";
      DELETE FROM "OpenAlertCount" WHERE "workspaceId" = NEW."workspaceId" AND "cameraId" = NEW."id";
      RETURN NULL;
    END IF;
  END IF;
  -- The mark is gone: the alerts that are left count again.
  PERFORM "recountAlerts"(OLD."workspaceId", NULL, OLD."id");
  PERFORM "recountOpenAlerts"(OLD."workspaceId", NULL, OLD."id");
  RETURN NULL;
END
$$;

-- Nobody writes alerts until this is committed: from then on, the functions above count.
-- The embedded database locks tables only within a function.
DO $$
BEGIN
  LOCK TABLE "Alert" IN SHARE ROW EXCLUSIVE MODE;
  PERFORM "recountOpenAlerts"(NULL, NULL, NULL);
END
$$;
