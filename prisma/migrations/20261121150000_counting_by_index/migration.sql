-- DropIndex
DROP INDEX "Alert_facilityId_createdAt_id_idx";

-- CreateIndex
CREATE INDEX "Alert_facilityId_createdAt_id_workspaceId_idx" ON "Alert"("facilityId", "createdAt" DESC, "id" DESC, "workspaceId");
