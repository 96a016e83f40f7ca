-- Each stream request is queued once. Recording alerts does not write to this index.

-- CreateIndex
CREATE UNIQUE INDEX CONCURRENTLY "Delivery_workspaceId_streamRequestId_key" ON "Delivery"("workspaceId", "streamRequestId") WHERE "streamRequestId" IS NOT NULL;
