-- Users may get a mail each day about the last 24 hours.

-- CreateTable
CREATE TABLE "Digest" (
    "workspaceId" UUID NOT NULL,
    "userId" UUID NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "at" TEXT NOT NULL,
    "timeZoneId" TEXT NOT NULL,
    "facilityIds" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[],
    "dueAt" TIMESTAMPTZ(3),
    "lastDueAt" TIMESTAMPTZ(3),

    CONSTRAINT "Digest_pkey" PRIMARY KEY ("workspaceId","userId"),
    CONSTRAINT "Digest_shown_values_check" CHECK (
      CASE WHEN array_ndims("facilityIds") > 1 THEN false ELSE array_position("facilityIds", NULL) IS NULL END
      AND "dueAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
      AND "lastDueAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
    )
);

-- CreateIndex
CREATE INDEX "Digest_dueAt_idx" ON "Digest"("dueAt") WHERE "dueAt" IS NOT NULL;

-- CreateIndex
CREATE INDEX "Digest_workspaceId_dueAt_idx" ON "Digest"("workspaceId", "dueAt") WHERE "dueAt" IS NOT NULL;

-- AddForeignKey
ALTER TABLE "Digest" ADD CONSTRAINT "Digest_workspaceId_userId_fkey" FOREIGN KEY ("workspaceId", "userId") REFERENCES "User"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
