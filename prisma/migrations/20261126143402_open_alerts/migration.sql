-- Where alerts are looked after, few are open: lists of them read no others.

-- CreateIndex
CREATE INDEX CONCURRENTLY "Alert_open_idx" ON "Alert"("workspaceId", "createdAt" DESC, "id" DESC) WHERE "acknowledgedAt" IS NULL AND NOT "falsePositive" AND NOT "observation";
