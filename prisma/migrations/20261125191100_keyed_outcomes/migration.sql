-- What changes with an Idempotency-Key have come to.

-- CreateTable
CREATE TABLE "KeyedOutcome" (
    "workspaceId" UUID NOT NULL,
    "callerId" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "request" BYTEA NOT NULL,
    "outcome" BYTEA NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "KeyedOutcome_pkey" PRIMARY KEY ("workspaceId","callerId","key","position"),
    CONSTRAINT "KeyedOutcome_shown_values_check" CHECK ("createdAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z')
);

-- CreateIndex
CREATE INDEX "KeyedOutcome_workspaceId_createdAt_idx" ON "KeyedOutcome"("workspaceId", "createdAt");
