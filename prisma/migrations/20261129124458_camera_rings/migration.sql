-- The last seconds of cameras' streams are kept by one instance each. An earlier version that runs beside this one opens
-- these streams besides.

-- AlterTable
ALTER TABLE "Camera" ADD COLUMN     "keepClips" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "CameraFeed" ADD COLUMN     "ringCodec" TEXT,
ADD COLUMN     "ringFrom" TIMESTAMPTZ(3),
ADD COLUMN     "ringHolder" UUID,
ADD COLUMN     "ringUntil" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "AlertRule_workspaceId_cameraId_idx" ON "AlertRule"("workspaceId", "cameraId") WHERE "evaluated";

-- CreateIndex
CREATE INDEX "Camera_workspaceId_id_idx" ON "Camera"("workspaceId", "id") WHERE "keepClips";

ALTER TABLE "CameraFeed" ADD CONSTRAINT "CameraFeed_rings_shown_values_check" CHECK (
  "ringFrom" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "ringUntil" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;
