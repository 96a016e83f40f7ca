-- Few alerts are marked, by people: lists and counts of them read no others, and recording alerts does not write to these indexes.

-- CreateIndex
CREATE INDEX CONCURRENTLY "Alert_bookmark_idx" ON "Alert"("workspaceId", "createdAt" DESC, "id" DESC) WHERE "bookmark";

-- CreateIndex
CREATE INDEX CONCURRENTLY "Alert_falsePositive_idx" ON "Alert"("workspaceId", "createdAt" DESC, "id" DESC) WHERE "falsePositive";

-- CreateIndex
CREATE INDEX CONCURRENTLY "Alert_acknowledged_idx" ON "Alert"("workspaceId", "createdAt" DESC, "id" DESC) WHERE "acknowledgedAt" IS NOT NULL;
