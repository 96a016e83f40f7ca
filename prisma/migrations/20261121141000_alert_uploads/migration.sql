-- CreateTable
CREATE TABLE "AlertUpload" (
    "id" UUID NOT NULL,
    "workspaceId" UUID NOT NULL,
    "facilityId" UUID NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "dueAt" TIMESTAMPTZ(3) NOT NULL,
    "url" TEXT,
    "thumbnailUrl" TEXT,
    "imageDimensions" JSONB,

    CONSTRAINT "AlertUpload_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "AlertUpload_dueAt_idx" ON "AlertUpload"("dueAt");
