-- The outbox of notifications: what is owed to the targets that rules and cameras name, and what was sent.

-- AlterTable
ALTER TABLE "Facility" ADD COLUMN     "offlineToldAt" TIMESTAMPTZ(3);
-- Nobody is told now of what has been silent for long.
UPDATE "Facility" SET "offlineToldAt" = now() WHERE "lastHeartbeatAt" < now() - interval '1 hour';

-- CreateTable
CREATE TABLE "Delivery" (
    "id" UUID NOT NULL,
    "workspaceId" UUID NOT NULL,
    "facilityId" UUID NOT NULL,
    "cameraId" UUID,
    "alertId" UUID,
    "alertRuleId" UUID,
    "kind" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "targetId" UUID NOT NULL,
    "host" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'PENDING',
    "queueId" UUID,
    "queuedAt" TIMESTAMPTZ(6) NOT NULL,
    "position" INTEGER NOT NULL DEFAULT 0,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "refusals" INTEGER NOT NULL DEFAULT 0,
    "lastError" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "sentAt" TIMESTAMPTZ(3),

    CONSTRAINT "Delivery_pkey" PRIMARY KEY ("workspaceId","id"),
    CONSTRAINT "Delivery_kind_check" CHECK ("kind" IN ('ALERT', 'TEST', 'CAMERA_LOST', 'CAMERA_RECOVERED', 'FACILITY_OFFLINE', 'FACILITY_BACK')),
    CONSTRAINT "Delivery_channel_check" CHECK ("channel" IN ('WEBHOOK', 'EMAIL', 'SMS')),
    CONSTRAINT "Delivery_state_check" CHECK ("state" IN ('PENDING', 'SENT', 'PARKED') AND ("state" = 'PENDING') = ("queueId" IS NOT NULL))
);

-- CreateTable
CREATE TABLE "DeliveryQueue" (
    "workspaceId" UUID NOT NULL,
    "id" UUID NOT NULL,
    "availableAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "DeliveryQueue_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "DeliveryTarget" (
    "workspaceId" UUID NOT NULL,
    "id" UUID NOT NULL,
    "failures" INTEGER NOT NULL,
    "retryAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "DeliveryTarget_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "MessageCount" (
    "workspaceId" UUID NOT NULL,
    "day" DATE NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "MessageCount_pkey" PRIMARY KEY ("workspaceId","day")
);

-- CreateIndex
CREATE INDEX "Delivery_workspaceId_queueId_queuedAt_position_idx" ON "Delivery"("workspaceId", "queueId", "queuedAt", "position") WHERE "queueId" IS NOT NULL;

-- CreateIndex
CREATE INDEX "Delivery_workspaceId_createdAt_id_idx" ON "Delivery"("workspaceId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "Delivery_workspaceId_state_createdAt_id_idx" ON "Delivery"("workspaceId", "state", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "Delivery_workspaceId_alertRuleId_createdAt_id_idx" ON "Delivery"("workspaceId", "alertRuleId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "Delivery_workspaceId_alertId_idx" ON "Delivery"("workspaceId", "alertId");
