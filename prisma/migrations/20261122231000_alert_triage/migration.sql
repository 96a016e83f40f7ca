-- Alerts are acknowledged, and commented on by users.

-- AlterTable
ALTER TABLE "Alert" ADD COLUMN     "acknowledgedAt" TIMESTAMPTZ(3),
ADD COLUMN     "acknowledgedById" UUID;

-- CreateTable
CREATE TABLE "AlertComment" (
    "id" UUID NOT NULL,
    "workspaceId" UUID NOT NULL,
    "facilityId" UUID NOT NULL,
    "cameraId" UUID NOT NULL,
    "alertId" UUID NOT NULL,
    "authorId" UUID NOT NULL,
    "authorName" TEXT,
    "text" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "AlertComment_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateIndex
CREATE INDEX "AlertComment_workspaceId_alertId_createdAt_id_idx" ON "AlertComment"("workspaceId", "alertId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "AlertComment_workspaceId_cameraId_idx" ON "AlertComment"("workspaceId", "cameraId");

-- AddForeignKey
ALTER TABLE "AlertComment" ADD CONSTRAINT "AlertComment_workspaceId_alertId_fkey" FOREIGN KEY ("workspaceId", "alertId") REFERENCES "Alert"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
