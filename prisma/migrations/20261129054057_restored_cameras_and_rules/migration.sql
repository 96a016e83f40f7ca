-- Deleted cameras and rules that can be restored for a while. What an earlier version that runs beside this one deletes, or purges, cannot.

-- AlterTable
ALTER TABLE "Camera" ADD COLUMN     "keptUntil" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "RemovedAlertRule" (
    "workspaceId" UUID NOT NULL,
    "id" UUID NOT NULL,
    "cameraId" UUID NOT NULL,
    "removedAt" TIMESTAMPTZ(3) NOT NULL,
    "rule" JSONB NOT NULL,

    CONSTRAINT "RemovedAlertRule_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateIndex
CREATE INDEX "RemovedAlertRule_workspaceId_cameraId_idx" ON "RemovedAlertRule"("workspaceId", "cameraId");

-- CreateIndex
CREATE INDEX "RemovedAlertRule_workspaceId_removedAt_idx" ON "RemovedAlertRule"("workspaceId", "removedAt");

-- CreateIndex
CREATE INDEX "Camera_workspaceId_keptUntil_idx" ON "Camera"("workspaceId", "keptUntil") WHERE "removedAt" IS NOT NULL;

-- AddForeignKey
ALTER TABLE "RemovedAlertRule" ADD CONSTRAINT "RemovedAlertRule_workspaceId_cameraId_fkey" FOREIGN KEY ("workspaceId", "cameraId") REFERENCES "Camera"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE "Camera" ADD CONSTRAINT "Camera_keptUntil_shown_values_check" CHECK (
  "keptUntil" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;
ALTER TABLE "RemovedAlertRule" ADD CONSTRAINT "RemovedAlertRule_removedAt_shown_values_check" CHECK (
  "removedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
);
ALTER TABLE "RemovedAlertRule" ADD CONSTRAINT "RemovedAlertRule_rule_shown_values_check" CHECK (jsonb_typeof("rule") = 'object');
