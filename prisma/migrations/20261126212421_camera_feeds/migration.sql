-- Cameras whose streams the gateway opens itself. What it finds is in the status history, too.
--
-- The constraints are not checked for rows that are there, all of which meet them: the one that is replaced allowed less, and the new column
-- is null.

-- AlterTable
ALTER TABLE "StreamRequest" ADD COLUMN     "errorCode" TEXT;
ALTER TABLE "StreamRequest" ADD CONSTRAINT "StreamRequest_errorCode_check" CHECK ("errorCode" IN (
  'UNAUTHORIZED', 'NOT_FOUND', 'REFUSED', 'TIMEOUT', 'NAME_NOT_FOUND', 'ADDRESS_NOT_ALLOWED', 'BUSY', 'CAMERA_ERROR', 'TOO_LARGE', 'NO_VIDEO',
  'UNSUPPORTED', 'UNKNOWN'
)) NOT VALID;
ALTER TABLE "StatusChange" DROP CONSTRAINT "StatusChange_source_check";
ALTER TABLE "StatusChange" ADD CONSTRAINT "StatusChange_source_check" CHECK (
  "source" IN ('TRACKER', 'DASHBOARD', 'CLIENT', 'ON_PREMISE_FACILITY', 'FEED')
) NOT VALID;

-- CreateTable
CREATE TABLE "CameraFeed" (
    "workspaceId" UUID NOT NULL,
    "cameraId" UUID NOT NULL,
    "streamRequestId" UUID NOT NULL,
    "dueAt" TIMESTAMPTZ(3),
    "probedAt" TIMESTAMPTZ(3),
    "firstPictureAt" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failingSince" TIMESTAMPTZ(3),
    "errorCode" TEXT,
    "lostAt" TIMESTAMPTZ(3),

    CONSTRAINT "CameraFeed_pkey" PRIMARY KEY ("workspaceId","cameraId"),
    CONSTRAINT "CameraFeed_errorCode_check" CHECK ("errorCode" IN (
      'UNAUTHORIZED', 'NOT_FOUND', 'REFUSED', 'TIMEOUT', 'NAME_NOT_FOUND', 'ADDRESS_NOT_ALLOWED', 'BUSY', 'CAMERA_ERROR', 'TOO_LARGE', 'NO_VIDEO',
      'UNSUPPORTED', 'UNKNOWN'
    )),
    CONSTRAINT "CameraFeed_shown_values_check" CHECK (
      "dueAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
      AND "probedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
      AND "firstPictureAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
      AND "failingSince" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
      AND "lostAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
    )
);

-- CreateIndex
CREATE INDEX "CameraFeed_dueAt_idx" ON "CameraFeed"("dueAt") WHERE "dueAt" IS NOT NULL;

-- CreateIndex
CREATE INDEX "CameraFeed_workspaceId_dueAt_idx" ON "CameraFeed"("workspaceId", "dueAt") WHERE "dueAt" IS NOT NULL;

-- AddForeignKey
ALTER TABLE "CameraFeed" ADD CONSTRAINT "CameraFeed_workspaceId_cameraId_fkey" FOREIGN KEY ("workspaceId", "cameraId") REFERENCES "Camera"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
