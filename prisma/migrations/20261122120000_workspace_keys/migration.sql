-- Each table that grows with a workspace is keyed by it: `workspaceId` first in its key, in its references and in its indexes.
-- Values of a fixed set become texts with a check, because the cast of an enum to text is not immutable.
--
-- With a million alerts, it takes some 10 seconds (measured: 10.5 and 11.2), during which nothing else can use the tables.

-- DropForeignKey
ALTER TABLE "AlertRule" DROP CONSTRAINT "AlertRule_cameraId_fkey";
ALTER TABLE "AnalysisJob" DROP CONSTRAINT "AnalysisJob_cameraId_fkey";
ALTER TABLE "ApiKey" DROP CONSTRAINT "ApiKey_workspaceId_fkey";
ALTER TABLE "Calibration" DROP CONSTRAINT "Calibration_cameraId_fkey";
ALTER TABLE "Camera" DROP CONSTRAINT "Camera_facilityId_workspaceId_fkey";
ALTER TABLE "Facility" DROP CONSTRAINT "Facility_workspaceId_fkey";
ALTER TABLE "FacilityAccess" DROP CONSTRAINT "FacilityAccess_facilityId_workspaceId_fkey";
ALTER TABLE "FacilityAccess" DROP CONSTRAINT "FacilityAccess_userId_workspaceId_fkey";
ALTER TABLE "StatusChange" DROP CONSTRAINT "StatusChange_cameraId_fkey";
ALTER TABLE "StreamRequest" DROP CONSTRAINT "StreamRequest_cameraId_fkey";
ALTER TABLE "User" DROP CONSTRAINT "User_workspaceId_fkey";

-- DropIndex
DROP INDEX "Alert_alertRuleId_createdAt_id_idx",
  "Alert_cameraId_createdAt_id_idx",
  "Alert_cameraId_name_createdAt_id_idx",
  "Alert_facilityId_createdAt_id_workspaceId_idx",
  "AlertDayCount_facilityId_day_idx",
  "AlertDayKindCount_facilityId_day_idx",
  "AlertDayKindCount_key",
  "AlertRule_cameraId_name_idx",
  "AnalysisJob_cameraId_createdAt_id_idx",
  "Calibration_cameraId_key",
  "Camera_facilityId_name_idx",
  "Facility_id_workspaceId_key",
  "FacilityAccess_facilityId_idx",
  "ObjectRemoval_key_idx",
  "StatusChange_cameraId_createdAt_id_idx",
  "StreamRequest_cameraId_createdAt_id_idx",
  "StreamRequest_requestId_key",
  "User_authId_key",
  "User_id_workspaceId_key";

-- AlterTable: what belongs to a camera gets the workspace of the camera.
ALTER TABLE "StatusChange" ADD COLUMN "workspaceId" UUID;
UPDATE "StatusChange" AS part SET "workspaceId" = camera."workspaceId" FROM "Camera" AS camera WHERE camera."id" = part."cameraId";
ALTER TABLE "StreamRequest" ADD COLUMN "workspaceId" UUID;
UPDATE "StreamRequest" AS part SET "workspaceId" = camera."workspaceId" FROM "Camera" AS camera WHERE camera."id" = part."cameraId";
ALTER TABLE "Calibration" ADD COLUMN "workspaceId" UUID;
UPDATE "Calibration" AS part SET "workspaceId" = camera."workspaceId" FROM "Camera" AS camera WHERE camera."id" = part."cameraId";
ALTER TABLE "AnalysisJob" ADD COLUMN "workspaceId" UUID;
UPDATE "AnalysisJob" AS part SET "workspaceId" = camera."workspaceId" FROM "Camera" AS camera WHERE camera."id" = part."cameraId";
ALTER TABLE "AlertRule" ADD COLUMN "workspaceId" UUID;
UPDATE "AlertRule" AS part SET "workspaceId" = camera."workspaceId" FROM "Camera" AS camera WHERE camera."id" = part."cameraId";
-- Which workspace the objects belonged to whose deletion is due is not known any more.
ALTER TABLE "ObjectRemoval" ADD COLUMN "workspaceId" UUID;
UPDATE "ObjectRemoval" SET "workspaceId" = '00000000-0000-0000-0000-000000000000';

-- AlterTable: texts with checks instead of enums.
ALTER TABLE "Camera"
  ALTER COLUMN "streamType" TYPE TEXT, ALTER COLUMN "streamProtocol" TYPE TEXT,
  ADD CONSTRAINT "Camera_streamType_check" CHECK ("streamType" IN ('DIRECT', 'PROXY', 'ALTPROXY', 'HOSTEDSERVER', 'VPN', 'CLIENT')),
  ADD CONSTRAINT "Camera_streamProtocol_check" CHECK ("streamProtocol" IN ('RTSP', 'RTMP', 'RTMPS', 'HLS'));
ALTER TABLE "StreamRequest"
  ALTER COLUMN "streamType" TYPE TEXT, ALTER COLUMN "streamProtocol" TYPE TEXT,
  ADD CONSTRAINT "StreamRequest_streamType_check" CHECK ("streamType" IN ('DIRECT', 'PROXY', 'ALTPROXY', 'HOSTEDSERVER', 'VPN', 'CLIENT')),
  ADD CONSTRAINT "StreamRequest_streamProtocol_check" CHECK ("streamProtocol" IN ('RTSP', 'RTMP', 'RTMPS', 'HLS'));
ALTER TABLE "StatusChange"
  ALTER COLUMN "source" TYPE TEXT,
  ADD CONSTRAINT "StatusChange_source_check" CHECK ("source" IN ('TRACKER', 'DASHBOARD', 'CLIENT', 'ON_PREMISE_FACILITY'));
DROP TYPE "StreamType", "StreamProtocol", "StatusSource";

-- AlterTable: the keys.
ALTER TABLE "User" DROP CONSTRAINT "User_pkey", ADD CONSTRAINT "User_pkey" PRIMARY KEY ("workspaceId", "id");
ALTER TABLE "ApiKey" DROP CONSTRAINT "ApiKey_pkey", ADD CONSTRAINT "ApiKey_pkey" PRIMARY KEY ("workspaceId", "id");
ALTER TABLE "Facility" DROP CONSTRAINT "Facility_pkey", ADD CONSTRAINT "Facility_pkey" PRIMARY KEY ("workspaceId", "id");
ALTER TABLE "Camera" DROP CONSTRAINT "Camera_pkey", ADD CONSTRAINT "Camera_pkey" PRIMARY KEY ("workspaceId", "id");
ALTER TABLE "AlertUpload" DROP CONSTRAINT "AlertUpload_pkey", ADD CONSTRAINT "AlertUpload_pkey" PRIMARY KEY ("workspaceId", "id");
ALTER TABLE "AuditEntry" DROP CONSTRAINT "AuditEntry_pkey", ADD CONSTRAINT "AuditEntry_pkey" PRIMARY KEY ("workspaceId", "id");
ALTER TABLE "StatusChange" ALTER COLUMN "workspaceId" SET NOT NULL, DROP CONSTRAINT "StatusChange_pkey", ADD CONSTRAINT "StatusChange_pkey" PRIMARY KEY ("workspaceId", "id");
ALTER TABLE "StreamRequest" ALTER COLUMN "workspaceId" SET NOT NULL, DROP CONSTRAINT "StreamRequest_pkey", ADD CONSTRAINT "StreamRequest_pkey" PRIMARY KEY ("workspaceId", "id");
ALTER TABLE "Calibration" ALTER COLUMN "workspaceId" SET NOT NULL, DROP CONSTRAINT "Calibration_pkey", ADD CONSTRAINT "Calibration_pkey" PRIMARY KEY ("workspaceId", "id");
ALTER TABLE "AnalysisJob" ALTER COLUMN "workspaceId" SET NOT NULL, DROP CONSTRAINT "AnalysisJob_pkey", ADD CONSTRAINT "AnalysisJob_pkey" PRIMARY KEY ("workspaceId", "id");
ALTER TABLE "AlertRule" ALTER COLUMN "workspaceId" SET NOT NULL, DROP CONSTRAINT "AlertRule_pkey", ADD CONSTRAINT "AlertRule_pkey" PRIMARY KEY ("workspaceId", "id");
ALTER TABLE "ObjectRemoval" ALTER COLUMN "workspaceId" SET NOT NULL, DROP CONSTRAINT "ObjectRemoval_pkey", ADD CONSTRAINT "ObjectRemoval_pkey" PRIMARY KEY ("workspaceId", "id");
ALTER TABLE "FacilityAccess" DROP CONSTRAINT "FacilityAccess_pkey", ADD CONSTRAINT "FacilityAccess_pkey" PRIMARY KEY ("workspaceId", "userId", "facilityId");
ALTER TABLE "AlertDayCount" DROP CONSTRAINT "AlertDayCount_pkey", ADD CONSTRAINT "AlertDayCount_pkey" PRIMARY KEY ("workspaceId", "cameraId", "day", "facilityId");

-- CreateTable: what leads to a workspace.
CREATE TABLE "AuthIdLookup" (
    "authId" TEXT NOT NULL,
    "workspaceId" UUID NOT NULL,
    "userId" UUID NOT NULL,

    CONSTRAINT "AuthIdLookup_pkey" PRIMARY KEY ("authId")
);
INSERT INTO "AuthIdLookup" SELECT "authId", "workspaceId", "id" FROM "User";

CREATE TABLE "ApiKeyLookup" (
    "id" UUID NOT NULL,
    "workspaceId" UUID NOT NULL,

    CONSTRAINT "ApiKeyLookup_pkey" PRIMARY KEY ("id")
);
INSERT INTO "ApiKeyLookup" SELECT "id", "workspaceId" FROM "ApiKey";

CREATE TABLE "StreamRequestLookup" (
    "requestId" UUID NOT NULL,
    "workspaceId" UUID NOT NULL,

    CONSTRAINT "StreamRequestLookup_pkey" PRIMARY KEY ("requestId")
);
INSERT INTO "StreamRequestLookup" SELECT "requestId", "workspaceId" FROM "StreamRequest";

-- CreateIndex
CREATE INDEX "Alert_workspaceId_facilityId_createdAt_id_idx" ON "Alert"("workspaceId", "facilityId", "createdAt" DESC, "id" DESC);
CREATE INDEX "Alert_workspaceId_cameraId_createdAt_id_idx" ON "Alert"("workspaceId", "cameraId", "createdAt" DESC, "id" DESC);
CREATE INDEX "Alert_workspaceId_cameraId_name_createdAt_id_idx" ON "Alert"("workspaceId", "cameraId", "name", "createdAt" DESC, "id" DESC);
CREATE INDEX "Alert_workspaceId_alertRuleId_createdAt_id_idx" ON "Alert"("workspaceId", "alertRuleId", "createdAt" DESC, "id" DESC);
CREATE INDEX "AlertDayCount_workspaceId_facilityId_day_idx" ON "AlertDayCount"("workspaceId", "facilityId", "day", "cameraId", "count");
CREATE INDEX "AlertDayKindCount_workspaceId_facilityId_day_idx" ON "AlertDayKindCount"("workspaceId", "facilityId", "day", "cameraId", "name", "severity", "count");
CREATE INDEX "AlertRule_workspaceId_cameraId_name_idx" ON "AlertRule"("workspaceId", "cameraId", "name");
CREATE INDEX "AlertUpload_workspaceId_dueAt_idx" ON "AlertUpload"("workspaceId", "dueAt");
CREATE INDEX "AnalysisJob_workspaceId_cameraId_createdAt_id_idx" ON "AnalysisJob"("workspaceId", "cameraId", "createdAt" DESC, "id" DESC);
CREATE INDEX "Camera_workspaceId_facilityId_name_idx" ON "Camera"("workspaceId", "facilityId", "name");
CREATE INDEX "FacilityAccess_workspaceId_facilityId_idx" ON "FacilityAccess"("workspaceId", "facilityId");
CREATE INDEX "ObjectRemoval_workspaceId_dueAt_idx" ON "ObjectRemoval"("workspaceId", "dueAt");
CREATE INDEX "ObjectRemoval_workspaceId_key_idx" ON "ObjectRemoval"("workspaceId", "key");
CREATE INDEX "StatusChange_workspaceId_cameraId_createdAt_id_idx" ON "StatusChange"("workspaceId", "cameraId", "createdAt" DESC, "id" DESC);
CREATE INDEX "StreamRequest_workspaceId_nextDeliveryAt_idx" ON "StreamRequest"("workspaceId", "nextDeliveryAt");
CREATE INDEX "StreamRequest_workspaceId_cameraId_createdAt_id_idx" ON "StreamRequest"("workspaceId", "cameraId", "createdAt" DESC, "id" DESC);
CREATE UNIQUE INDEX "AlertDayKindCount_key" ON "AlertDayKindCount"("workspaceId", "cameraId", "day", "name", "severity", "facilityId") NULLS NOT DISTINCT;
CREATE UNIQUE INDEX "Calibration_workspaceId_cameraId_key" ON "Calibration"("workspaceId", "cameraId");
CREATE UNIQUE INDEX "StreamRequest_workspaceId_requestId_key" ON "StreamRequest"("workspaceId", "requestId");
CREATE UNIQUE INDEX "User_workspaceId_authId_key" ON "User"("workspaceId", "authId");

-- AddForeignKey
ALTER TABLE "User" ADD CONSTRAINT "User_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;
ALTER TABLE "ApiKey" ADD CONSTRAINT "ApiKey_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;
ALTER TABLE "Facility" ADD CONSTRAINT "Facility_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;
ALTER TABLE "FacilityAccess" ADD CONSTRAINT "FacilityAccess_workspaceId_userId_fkey" FOREIGN KEY ("workspaceId", "userId") REFERENCES "User"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "FacilityAccess" ADD CONSTRAINT "FacilityAccess_workspaceId_facilityId_fkey" FOREIGN KEY ("workspaceId", "facilityId") REFERENCES "Facility"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "Camera" ADD CONSTRAINT "Camera_workspaceId_facilityId_fkey" FOREIGN KEY ("workspaceId", "facilityId") REFERENCES "Facility"("workspaceId", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;
ALTER TABLE "StatusChange" ADD CONSTRAINT "StatusChange_workspaceId_cameraId_fkey" FOREIGN KEY ("workspaceId", "cameraId") REFERENCES "Camera"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "StreamRequest" ADD CONSTRAINT "StreamRequest_workspaceId_cameraId_fkey" FOREIGN KEY ("workspaceId", "cameraId") REFERENCES "Camera"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "Calibration" ADD CONSTRAINT "Calibration_workspaceId_cameraId_fkey" FOREIGN KEY ("workspaceId", "cameraId") REFERENCES "Camera"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "AnalysisJob" ADD CONSTRAINT "AnalysisJob_workspaceId_cameraId_fkey" FOREIGN KEY ("workspaceId", "cameraId") REFERENCES "Camera"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "AlertRule" ADD CONSTRAINT "AlertRule_workspaceId_cameraId_fkey" FOREIGN KEY ("workspaceId", "cameraId") REFERENCES "Camera"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- The functions that count alerts name the workspace in each statement, too. Citus runs functions in SQL only without parameters, so
-- that these are in PL/pgSQL now.

DROP FUNCTION "recountAlerts"(UUID, UUID);
DROP FUNCTION "countedAlerts"(UUID, UUID);
DROP FUNCTION "changeAlertCounts"("AlertCountChange"[]);

-- The counts according to the alerts: of all, or of those of one workspace, and of one facility or camera of it.
CREATE FUNCTION "countedAlerts"("ofWorkspace" UUID, "ofFacility" UUID, "ofCamera" UUID) RETURNS SETOF "AlertDayKindCount" LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT alert."cameraId", (alert."createdAt" AT TIME ZONE facility."timeZoneId")::date, alert."name" COLLATE "C", alert."severity" COLLATE "C",
    alert."facilityId", alert."workspaceId", count(*)::int
  FROM "Alert" AS alert JOIN "Facility" AS facility ON facility."workspaceId" = alert."workspaceId" AND facility."id" = alert."facilityId"
  WHERE ("ofWorkspace" IS NULL OR alert."workspaceId" = "ofWorkspace")
    AND ("ofFacility" IS NULL OR alert."facilityId" = "ofFacility") AND ("ofCamera" IS NULL OR alert."cameraId" = "ofCamera")
    AND NOT EXISTS (
      SELECT FROM "Camera" AS camera
      WHERE camera."workspaceId" = alert."workspaceId" AND camera."id" = alert."cameraId" AND camera."removedAt" IS NOT NULL)
  GROUP BY 1, 2, 3, 4, 5, 6;
END
$$;

-- Replaces the counts. The caller keeps others from writing the same alerts meanwhile.
CREATE FUNCTION "recountAlerts"("ofWorkspace" UUID, "ofFacility" UUID, "ofCamera" UUID) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "AlertDayCount" AS kept WHERE ("ofWorkspace" IS NULL OR kept."workspaceId" = "ofWorkspace")
    AND ("ofFacility" IS NULL OR kept."facilityId" = "ofFacility") AND ("ofCamera" IS NULL OR kept."cameraId" = "ofCamera");
  DELETE FROM "AlertDayKindCount" AS kept WHERE ("ofWorkspace" IS NULL OR kept."workspaceId" = "ofWorkspace")
    AND ("ofFacility" IS NULL OR kept."facilityId" = "ofFacility") AND ("ofCamera" IS NULL OR kept."cameraId" = "ofCamera");
  INSERT INTO "AlertDayKindCount" SELECT * FROM "countedAlerts"("ofWorkspace", "ofFacility", "ofCamera");
  INSERT INTO "AlertDayCount" ("cameraId", "day", "facilityId", "workspaceId", "count")
  SELECT kept."cameraId", kept."day", kept."facilityId", kept."workspaceId", sum(kept."count")
  FROM "AlertDayKindCount" AS kept WHERE ("ofWorkspace" IS NULL OR kept."workspaceId" = "ofWorkspace")
    AND ("ofFacility" IS NULL OR kept."facilityId" = "ofFacility") AND ("ofCamera" IS NULL OR kept."cameraId" = "ofCamera")
  GROUP BY 1, 2, 3, 4;
END
$$;

-- Counts all alerts. Nobody writes alerts meanwhile; readers see the counts of before.
CREATE OR REPLACE FUNCTION "rebuildAlertCounts"() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE "Alert" IN SHARE ROW EXCLUSIVE MODE;
  -- Removing a camera or changing a time zone writes counts as well.
  LOCK TABLE "AlertDayCount", "AlertDayKindCount" IN EXCLUSIVE MODE;
  PERFORM "recountAlerts"(NULL, NULL, NULL);
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
  )
  SELECT "table", "cameraId", "day", "name" COLLATE "C", "severity" COLLATE "C", "facilityId", "workspaceId", sum("kept"), sum("counted") FROM said
  GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum("kept") IS DISTINCT FROM sum("counted") ORDER BY 1, 2, 3, 4, 5, 6, 7;
END
$$;

-- Applies the changes of one workspace's alerts to its counts.
CREATE FUNCTION "changeAlertCounts"("ofWorkspace" UUID, changes "AlertCountChange"[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  kinds "AlertDayKindCount"[];
BEGIN
  -- Nobody removes these cameras, or changes the time zone of their facility, before this transaction has ended.
  PERFORM FROM "Camera" AS camera
  WHERE camera."workspaceId" = "ofWorkspace" AND camera."id" = ANY(ARRAY(SELECT DISTINCT changed."cameraId" FROM unnest(changes) AS changed))
  ORDER BY camera."id" FOR KEY SHARE;
  kinds := ARRAY(
    SELECT ROW(changed."cameraId", (changed."createdAt" AT TIME ZONE facility."timeZoneId")::date, changed."name" COLLATE "C",
      changed."severity" COLLATE "C", changed."facilityId", "ofWorkspace", sum(changed."change"))::"AlertDayKindCount"
    FROM unnest(changes) AS changed
    JOIN "Facility" AS facility ON facility."workspaceId" = "ofWorkspace" AND facility."id" = changed."facilityId"
    WHERE NOT EXISTS (
      SELECT FROM "Camera" AS camera
      WHERE camera."workspaceId" = "ofWorkspace" AND camera."id" = changed."cameraId" AND camera."removedAt" IS NOT NULL)
    GROUP BY changed."cameraId", (changed."createdAt" AT TIME ZONE facility."timeZoneId")::date, changed."name" COLLATE "C",
      changed."severity" COLLATE "C", changed."facilityId"
    HAVING sum(changed."change") <> 0
  );
  -- All writers lock the rows in the same order, table by table, which prevents deadlocks.
  INSERT INTO "AlertDayCount" AS kept ("cameraId", "day", "facilityId", "workspaceId", "count")
  SELECT kind."cameraId", kind."day", kind."facilityId", "ofWorkspace", sum(kind."count") FROM unnest(kinds) AS kind
  GROUP BY 1, 2, 3 HAVING sum(kind."count") <> 0 ORDER BY 1, 2, 3
  ON CONFLICT ("workspaceId", "cameraId", "day", "facilityId") DO UPDATE SET "count" = kept."count" + EXCLUDED."count";
  INSERT INTO "AlertDayKindCount" AS kept
  SELECT kind.* FROM unnest(kinds) AS kind ORDER BY kind."cameraId", kind."day", kind."name", kind."severity", kind."facilityId"
  ON CONFLICT ("workspaceId", "cameraId", "day", "name", "severity", "facilityId") DO UPDATE SET "count" = kept."count" + EXCLUDED."count";
  -- A row of 0 was just written by this transaction, which has it locked.
  DELETE FROM "AlertDayCount" AS kept USING unnest(kinds) AS kind
  WHERE kept."workspaceId" = "ofWorkspace" AND kind."count" < 0 AND kept."count" = 0
    AND (kept."cameraId", kept."day", kept."facilityId") = (kind."cameraId", kind."day", kind."facilityId");
  DELETE FROM "AlertDayKindCount" AS kept USING unnest(kinds) AS kind
  WHERE kept."workspaceId" = "ofWorkspace" AND kind."count" < 0 AND kept."count" = 0
    AND (kept."cameraId", kept."day", kept."name", kept."facilityId") = (kind."cameraId", kind."day", kind."name", kind."facilityId")
    AND kept."severity" IS NOT DISTINCT FROM kind."severity";
END
$$;

CREATE OR REPLACE FUNCTION "countInsertedAlerts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "changeAlertCounts"(
    "workspaceId", array_agg(ROW("cameraId", "facilityId", "workspaceId", "createdAt", "name", "severity", 1)::"AlertCountChange"))
  FROM inserted GROUP BY "workspaceId" ORDER BY "workspaceId";
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION "countDeletedAlerts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "changeAlertCounts"(
    "workspaceId", array_agg(ROW("cameraId", "facilityId", "workspaceId", "createdAt", "name", "severity", -1)::"AlertCountChange"))
  FROM deleted GROUP BY "workspaceId" ORDER BY "workspaceId";
  RETURN NULL;
END
$$;

-- Most updates mark alerts, which changes no count.
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
  RETURN NULL;
END
$$;

-- The alerts of a camera no longer count from the moment that it is marked as removed.
CREATE OR REPLACE FUNCTION "countAlertsOfCamera"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    -- Concurrent writers of its alerts have counted them before this goes on, or will see the mark.
    PERFORM FROM "Camera" WHERE "workspaceId" = NEW."workspaceId" AND "id" = NEW."id" FOR UPDATE;
    IF NEW."removedAt" IS NOT NULL THEN
      DELETE FROM "AlertDayCount" WHERE "workspaceId" = NEW."workspaceId" AND "cameraId" = NEW."id";
      DELETE FROM "AlertDayKindCount" WHERE "workspaceId" = NEW."workspaceId" AND "cameraId" = NEW."id";
      RETURN NULL;
    END IF;
  END IF;
  -- The mark is gone: the alerts that are left count again.
  PERFORM "recountAlerts"(OLD."workspaceId", NULL, OLD."id");
  RETURN NULL;
END
$$;

-- Another time zone moves alerts to other days.
CREATE OR REPLACE FUNCTION "countAlertsOfFacility"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM "Camera" AS camera
  WHERE camera."workspaceId" = NEW."workspaceId" AND camera."facilityId" = NEW."id" ORDER BY camera."id" FOR UPDATE;
  PERFORM "recountAlerts"(NEW."workspaceId", NEW."id", NULL);
  RETURN NULL;
END
$$;
