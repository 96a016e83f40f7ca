-- The marks that alerts had before all matches of a filter were marked, so that this can be undone within an hour.

-- CreateTable
CREATE TABLE "AlertMarkChange" (
    "workspaceId" UUID NOT NULL,
    "changeId" UUID NOT NULL,
    "alertId" UUID NOT NULL,
    "callerId" UUID NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "bookmark" BOOLEAN,
    "bookmarkChangedById" UUID,
    "bookmarkChangedAt" TIMESTAMPTZ(3),
    "falsePositive" BOOLEAN,
    "falsePositiveChangedById" UUID,
    "falsePositiveChangedAt" TIMESTAMPTZ(3),
    "acknowledged" BOOLEAN,
    "acknowledgedById" UUID,
    "acknowledgedAt" TIMESTAMPTZ(3),

    CONSTRAINT "AlertMarkChange_pkey" PRIMARY KEY ("workspaceId","changeId","alertId"),
    CONSTRAINT "AlertMarkChange_shown_values_check" CHECK (
      "createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
      AND "bookmarkChangedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
      AND "falsePositiveChangedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
      AND "acknowledgedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
    )
);

-- CreateIndex
CREATE INDEX "AlertMarkChange_workspaceId_createdAt_idx" ON "AlertMarkChange"("workspaceId", "createdAt");
