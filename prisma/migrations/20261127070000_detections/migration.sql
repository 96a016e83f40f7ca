-- Rules that the gateway evaluates, what it knows of a camera between two frames, and pictures that several alerts show.
--
-- The constraint is not checked for rows that are there: the new column is null.

-- AlterTable
ALTER TABLE "AlertRule" ADD COLUMN     "evaluated" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "lastFiredAt" TIMESTAMPTZ(3);
ALTER TABLE "AlertRule" ADD CONSTRAINT "AlertRule_lastFiredAt_check" CHECK (
  "lastFiredAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

-- CreateTable
-- Each frame replaces a row: room in its page saves the index, and states of up to a page are not compressed each time.
CREATE TABLE "DetectionState" (
    "workspaceId" UUID NOT NULL,
    "cameraId" UUID NOT NULL,
    "state" TEXT,

    CONSTRAINT "DetectionState_pkey" PRIMARY KEY ("workspaceId","cameraId")
) WITH (fillfactor = 50, toast_tuple_target = 8160);

-- CreateTable
CREATE TABLE "SharedPicture" (
    "workspaceId" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "alerts" INTEGER NOT NULL,

    CONSTRAINT "SharedPicture_pkey" PRIMARY KEY ("workspaceId","key"),
    CONSTRAINT "SharedPicture_alerts_check" CHECK ("alerts" > 0)
);

-- AddForeignKey
ALTER TABLE "DetectionState" ADD CONSTRAINT "DetectionState_workspaceId_cameraId_fkey" FOREIGN KEY ("workspaceId", "cameraId") REFERENCES "Camera"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
