-- AlterTable
ALTER TABLE "CameraFeed" ADD COLUMN     "aloneUntil" TIMESTAMPTZ(3),
ADD COLUMN     "openedAt" TIMESTAMPTZ(3),
ADD COLUMN     "quietUntil" TIMESTAMPTZ(3),
ADD COLUMN     "refusals" INTEGER NOT NULL DEFAULT 0;
