-- Cameras and rules that are quiet for a while: since when, until when, and who wanted it so.

-- AlterTable
ALTER TABLE "Camera" ADD COLUMN     "snoozedAt" TIMESTAMPTZ(3),
ADD COLUMN     "snoozedById" UUID,
ADD COLUMN     "snoozedUntil" TIMESTAMPTZ(3);

ALTER TABLE "Camera" ADD CONSTRAINT "Camera_snooze_check" CHECK (
  "snoozedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "snoozedUntil" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

-- AlterTable
ALTER TABLE "AlertRule" ADD COLUMN     "snoozedAt" TIMESTAMPTZ(3),
ADD COLUMN     "snoozedById" UUID,
ADD COLUMN     "snoozedUntil" TIMESTAMPTZ(3);

ALTER TABLE "AlertRule" ADD CONSTRAINT "AlertRule_snooze_check" CHECK (
  "snoozedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "snoozedUntil" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;
