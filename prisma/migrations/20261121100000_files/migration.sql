-- AlterTable
ALTER TABLE "Camera" ADD COLUMN     "thumbnail" TEXT;

-- AlterTable
ALTER TABLE "ObjectRemoval" ADD COLUMN     "claimedUntil" TIMESTAMPTZ(3),
ADD COLUMN     "dueAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- AlterTable
ALTER TABLE "StreamRequest" ADD COLUMN     "deliveredAt" TIMESTAMPTZ(3),
ADD COLUMN     "deliveryCount" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "deliveryError" TEXT,
ADD COLUMN     "nextDeliveryAt" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "ObjectRemoval_dueAt_idx" ON "ObjectRemoval"("dueAt");

-- CreateIndex
CREATE INDEX "ObjectRemoval_key_idx" ON "ObjectRemoval"("key");

-- CreateIndex
CREATE INDEX "StreamRequest_nextDeliveryAt_idx" ON "StreamRequest"("nextDeliveryAt");
