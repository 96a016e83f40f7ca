-- How many alerts of each camera are open. The next migration fills it, since on a cluster a table is distributed before anything is in it.

-- CreateTable
CREATE TABLE "OpenAlertCount" (
    "workspaceId" UUID NOT NULL,
    "cameraId" UUID NOT NULL,
    "facilityId" UUID NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "OpenAlertCount_pkey" PRIMARY KEY ("workspaceId","cameraId","facilityId")
);

-- CreateIndex
CREATE INDEX "OpenAlertCount_workspaceId_facilityId_idx" ON "OpenAlertCount"("workspaceId", "facilityId");
