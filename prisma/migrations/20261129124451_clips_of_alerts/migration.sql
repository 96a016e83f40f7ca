-- Clips of alerts. An earlier version that runs beside this one makes none; what it deletes takes their objects along.

-- AlterTable
ALTER TABLE "AlertUpload" ADD COLUMN     "contentType" TEXT,
ADD COLUMN     "duration" DOUBLE PRECISION,
ADD COLUMN     "height" INTEGER,
ADD COLUMN     "kind" TEXT NOT NULL DEFAULT 'PICTURE',
ADD COLUMN     "size" INTEGER,
ADD COLUMN     "width" INTEGER;

-- CreateTable
CREATE TABLE "AlertClip" (
    "workspaceId" UUID NOT NULL,
    "alertId" UUID NOT NULL,
    "facilityId" UUID NOT NULL,
    "cameraId" UUID NOT NULL,
    "alertCreatedAt" TIMESTAMPTZ(3) NOT NULL,
    "state" TEXT NOT NULL,
    "uploaded" BOOLEAN NOT NULL DEFAULT false,
    "key" TEXT,
    "contentType" TEXT,
    "duration" DOUBLE PRECISION,
    "width" INTEGER,
    "height" INTEGER,
    "size" INTEGER,
    "startsAt" TIMESTAMPTZ(3),
    "dueAt" TIMESTAMPTZ(3),

    CONSTRAINT "AlertClip_pkey" PRIMARY KEY ("workspaceId","alertId")
);

-- CreateIndex
CREATE INDEX "AlertClip_workspaceId_alertCreatedAt_alertId_idx" ON "AlertClip"("workspaceId", "alertCreatedAt", "alertId");

-- CreateIndex
CREATE INDEX "AlertClip_dueAt_idx" ON "AlertClip"("dueAt") WHERE "dueAt" IS NOT NULL;

-- CreateIndex
CREATE INDEX "AlertClip_workspaceId_dueAt_idx" ON "AlertClip"("workspaceId", "dueAt") WHERE "dueAt" IS NOT NULL;

-- AddForeignKey
ALTER TABLE "AlertClip" ADD CONSTRAINT "AlertClip_workspaceId_alertId_fkey" FOREIGN KEY ("workspaceId", "alertId") REFERENCES "Alert"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE "AlertClip" ADD CONSTRAINT "AlertClip_state_check" CHECK (
  "state" IN ('PENDING', 'READY', 'FAILED')
  AND CASE WHEN "state" = 'READY' THEN num_nulls("key", "contentType", "duration", "width", "height", "size") = 0
    WHEN "state" <> 'READY' THEN num_nonnulls("key", "contentType", "duration", "width", "height", "size") = 0 END
);
ALTER TABLE "AlertClip" ADD CONSTRAINT "AlertClip_shown_values_check" CHECK (
  "alertCreatedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "startsAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "dueAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "duration" > '-Infinity' AND "duration" < 'Infinity'
);
ALTER TABLE "AlertUpload" ADD CONSTRAINT "AlertUpload_clip_check" CHECK (
  "kind" IN ('PICTURE', 'CLIP') AND "duration" > '-Infinity' AND "duration" < 'Infinity'
) NOT VALID;

-- Whatever deletes a clip, also along with its alert, removes its object.
CREATE FUNCTION "removeClipObject"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "ObjectRemoval" ("workspaceId", "id", "key") VALUES (OLD."workspaceId", gen_random_uuid(), OLD."key");
  RETURN NULL;
END
$$;

CREATE TRIGGER "AlertClip_deleted" AFTER DELETE ON "AlertClip" FOR EACH ROW WHEN (OLD."key" IS NOT NULL)
EXECUTE FUNCTION "removeClipObject"();
