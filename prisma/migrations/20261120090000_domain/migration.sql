-- Names sort by code point. Lists are never null.

-- CreateEnum
CREATE TYPE "StreamType" AS ENUM ('DIRECT', 'PROXY', 'ALTPROXY', 'HOSTEDSERVER', 'VPN', 'CLIENT');

-- CreateEnum
CREATE TYPE "StreamProtocol" AS ENUM ('RTSP', 'RTMP', 'RTMPS', 'HLS');

-- CreateEnum
CREATE TYPE "StatusSource" AS ENUM ('TRACKER', 'DASHBOARD', 'CLIENT', 'ON_PREMISE_FACILITY');

-- CreateTable
CREATE TABLE "Workspace" (
    "id" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Workspace_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "User" (
    "id" UUID NOT NULL,
    "workspaceId" UUID NOT NULL,
    "authId" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,
    "lastLogin" TIMESTAMPTZ(3),
    "email" TEXT NOT NULL,
    "emailVerified" BOOLEAN NOT NULL DEFAULT false,
    "firstName" TEXT,
    "lastName" TEXT,
    "roles" TEXT[] NOT NULL DEFAULT '{}',
    "lastIp" TEXT,
    "loginsCount" INTEGER NOT NULL DEFAULT 0,
    "locale" TEXT,
    "picture" TEXT,
    "isSso" BOOLEAN NOT NULL DEFAULT false,
    "connection" TEXT,
    "groupId" UUID,
    "jobTitle" TEXT,
    "phoneNumber" JSONB,

    CONSTRAINT "User_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "FacilityAccess" (
    "userId" UUID NOT NULL,
    "facilityId" UUID NOT NULL,
    "workspaceId" UUID NOT NULL,
    "actions" TEXT[] NOT NULL DEFAULT '{}',

    CONSTRAINT "FacilityAccess_pkey" PRIMARY KEY ("userId","facilityId")
);

-- CreateTable
CREATE TABLE "ApiKey" (
    "id" UUID NOT NULL,
    "workspaceId" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "secretHash" BYTEA NOT NULL,
    "permissions" TEXT[] NOT NULL DEFAULT '{}',
    "allFacilities" BOOLEAN NOT NULL,
    "facilityIds" UUID[] NOT NULL DEFAULT '{}',
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expiresAt" TIMESTAMPTZ(3),
    "lastUsedAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),

    CONSTRAINT "ApiKey_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Facility" (
    "id" UUID NOT NULL,
    "workspaceId" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "address" TEXT,
    "latitude" DOUBLE PRECISION,
    "longitude" DOUBLE PRECISION,
    "timeZoneId" TEXT NOT NULL,
    "lastHeartbeatAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Facility_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Camera" (
    "id" UUID NOT NULL,
    "workspaceId" UUID NOT NULL,
    "facilityId" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'IDLE',
    "statusDetail" TEXT NOT NULL DEFAULT 'OPERATIONAL',
    "imageLink" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,
    "dataCollectionEnabled" BOOLEAN NOT NULL DEFAULT false,
    "dataCollectionObjects" TEXT[] NOT NULL DEFAULT '{}',
    "dataCollectionConfig" JSONB,
    "customDataCollectionConfigs" JSONB NOT NULL DEFAULT '[]',
    "groundTruthKey" TEXT,
    "collectSampleVideos" BOOLEAN NOT NULL DEFAULT false,
    "imageDimensions" JSONB,
    "url" TEXT,
    "streamType" "StreamType",
    "streamProtocol" "StreamProtocol",
    "advancedSettings" JSONB,
    "proxyHost" TEXT,
    "facilityNodeId" UUID,
    "emailAddresses" TEXT[] NOT NULL DEFAULT '{}',
    "removedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Camera_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "StatusChange" (
    "id" UUID NOT NULL,
    "cameraId" UUID NOT NULL,
    "statusDetail" TEXT NOT NULL,
    "source" "StatusSource" NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "StatusChange_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "StreamRequest" (
    "id" UUID NOT NULL,
    "requestId" UUID NOT NULL,
    "cameraId" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "streamType" "StreamType",
    "streamProtocol" "StreamProtocol",
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "supersededAt" TIMESTAMPTZ(3),
    "thumbnailUrl" TEXT,
    "metadata" JSONB,
    "errorOperation" TEXT,
    "errorMessage" TEXT,
    "lastCallbackAt" TIMESTAMPTZ(3),

    CONSTRAINT "StreamRequest_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Calibration" (
    "id" UUID NOT NULL,
    "cameraId" UUID NOT NULL,
    "pixelLength" DOUBLE PRECISION NOT NULL,
    "width" DOUBLE PRECISION NOT NULL,
    "height" DOUBLE PRECISION NOT NULL,
    "homographyMatrix" DOUBLE PRECISION[] NOT NULL DEFAULT '{}',
    "points" JSONB NOT NULL,
    "calibratedImage" TEXT,
    "croppedImage" TEXT,
    "gridImage" TEXT,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Calibration_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "AnalysisJob" (
    "id" UUID NOT NULL,
    "cameraId" UUID NOT NULL,
    "configId" UUID NOT NULL,
    "videoId" UUID,
    "state" TEXT NOT NULL,
    "isTest" BOOLEAN NOT NULL DEFAULT false,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,
    "startedAt" TIMESTAMPTZ(3),
    "endedAt" TIMESTAMPTZ(3),

    CONSTRAINT "AnalysisJob_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "AlertRule" (
    "id" UUID NOT NULL,
    "cameraId" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "severity" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'ACTIVE',
    "dayRange" INTEGER[] NOT NULL DEFAULT '{}',
    "timeRangeStart" TIMESTAMPTZ(3),
    "timeRangeEnd" TIMESTAMPTZ(3),
    "emails" TEXT[] NOT NULL DEFAULT '{}',
    "phoneNumbers" TEXT[] NOT NULL DEFAULT '{}',
    "observation" BOOLEAN NOT NULL DEFAULT false,
    "notificationUrl" TEXT,
    "notificationSecret" TEXT,
    "notificationEnabled" BOOLEAN NOT NULL DEFAULT false,
    "pretty" TEXT,
    "group" JSONB NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "AlertRule_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Alert" (
    "id" UUID NOT NULL,
    "workspaceId" UUID NOT NULL,
    "facilityId" UUID NOT NULL,
    "cameraId" UUID NOT NULL,
    "alertRuleId" UUID,
    "name" TEXT COLLATE "C" NOT NULL,
    "severity" TEXT,
    "observation" BOOLEAN NOT NULL DEFAULT false,
    "count" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "recordedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "url" TEXT,
    "thumbnailUrl" TEXT,
    "imageDimensions" JSONB,
    "canvasDimensions" JSONB,
    "violatingCoordinates" JSONB,
    "area" JSONB,
    "areaIds" UUID[] NOT NULL DEFAULT '{}',
    "storageClass" TEXT NOT NULL,
    "info" JSONB,
    "bookmark" BOOLEAN NOT NULL DEFAULT false,
    "falsePositive" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "Alert_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "AuditEntry" (
    "id" UUID NOT NULL,
    "workspaceId" UUID NOT NULL,
    "actorId" UUID,
    "actorKind" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "targetType" TEXT NOT NULL,
    "targetId" UUID,
    "facilityId" UUID,
    "changes" JSONB,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "AuditEntry_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "User_authId_key" ON "User"("authId");

-- CreateIndex
CREATE INDEX "User_workspaceId_email_idx" ON "User"("workspaceId", "email");

-- CreateIndex
CREATE UNIQUE INDEX "User_id_workspaceId_key" ON "User"("id", "workspaceId");

-- CreateIndex
CREATE INDEX "FacilityAccess_facilityId_idx" ON "FacilityAccess"("facilityId");

-- CreateIndex
CREATE INDEX "ApiKey_workspaceId_name_idx" ON "ApiKey"("workspaceId", "name");

-- CreateIndex
CREATE INDEX "Facility_workspaceId_name_idx" ON "Facility"("workspaceId", "name");

-- CreateIndex
CREATE UNIQUE INDEX "Facility_id_workspaceId_key" ON "Facility"("id", "workspaceId");

-- CreateIndex
CREATE INDEX "Camera_workspaceId_name_idx" ON "Camera"("workspaceId", "name");

-- CreateIndex
CREATE INDEX "Camera_facilityId_name_idx" ON "Camera"("facilityId", "name");

-- CreateIndex
CREATE INDEX "Camera_workspaceId_removedAt_idx" ON "Camera"("workspaceId", "removedAt");

-- CreateIndex
CREATE INDEX "StatusChange_cameraId_createdAt_id_idx" ON "StatusChange"("cameraId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "StreamRequest_requestId_key" ON "StreamRequest"("requestId");

-- CreateIndex
CREATE INDEX "StreamRequest_cameraId_createdAt_id_idx" ON "StreamRequest"("cameraId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "Calibration_cameraId_key" ON "Calibration"("cameraId");

-- CreateIndex
CREATE INDEX "AnalysisJob_cameraId_createdAt_id_idx" ON "AnalysisJob"("cameraId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "AlertRule_cameraId_name_idx" ON "AlertRule"("cameraId", "name");

-- CreateIndex
CREATE INDEX "Alert_workspaceId_createdAt_id_idx" ON "Alert"("workspaceId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "Alert_facilityId_createdAt_id_idx" ON "Alert"("facilityId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "Alert_cameraId_createdAt_id_idx" ON "Alert"("cameraId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "Alert_cameraId_name_createdAt_id_idx" ON "Alert"("cameraId", "name", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "Alert_alertRuleId_createdAt_id_idx" ON "Alert"("alertRuleId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "AuditEntry_workspaceId_createdAt_id_idx" ON "AuditEntry"("workspaceId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "AuditEntry_workspaceId_actorId_createdAt_id_idx" ON "AuditEntry"("workspaceId", "actorId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "AuditEntry_workspaceId_targetId_createdAt_id_idx" ON "AuditEntry"("workspaceId", "targetId", "createdAt" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "User" ADD CONSTRAINT "User_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "FacilityAccess" ADD CONSTRAINT "FacilityAccess_userId_workspaceId_fkey" FOREIGN KEY ("userId", "workspaceId") REFERENCES "User"("id", "workspaceId") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "FacilityAccess" ADD CONSTRAINT "FacilityAccess_facilityId_workspaceId_fkey" FOREIGN KEY ("facilityId", "workspaceId") REFERENCES "Facility"("id", "workspaceId") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ApiKey" ADD CONSTRAINT "ApiKey_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Facility" ADD CONSTRAINT "Facility_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Camera" ADD CONSTRAINT "Camera_facilityId_workspaceId_fkey" FOREIGN KEY ("facilityId", "workspaceId") REFERENCES "Facility"("id", "workspaceId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "StatusChange" ADD CONSTRAINT "StatusChange_cameraId_fkey" FOREIGN KEY ("cameraId") REFERENCES "Camera"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "StreamRequest" ADD CONSTRAINT "StreamRequest_cameraId_fkey" FOREIGN KEY ("cameraId") REFERENCES "Camera"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Calibration" ADD CONSTRAINT "Calibration_cameraId_fkey" FOREIGN KEY ("cameraId") REFERENCES "Camera"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AnalysisJob" ADD CONSTRAINT "AnalysisJob_cameraId_fkey" FOREIGN KEY ("cameraId") REFERENCES "Camera"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AlertRule" ADD CONSTRAINT "AlertRule_cameraId_fkey" FOREIGN KEY ("cameraId") REFERENCES "Camera"("id") ON DELETE CASCADE ON UPDATE CASCADE;
