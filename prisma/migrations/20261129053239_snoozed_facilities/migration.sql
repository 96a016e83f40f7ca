-- Facilities can be snoozed, too, and each snooze may say why. An earlier version that runs beside this one tells what happens at snoozed facilities.

-- AlterTable
ALTER TABLE "AlertRule" ADD COLUMN     "snoozeReason" TEXT;

-- AlterTable
ALTER TABLE "Camera" ADD COLUMN     "snoozeReason" TEXT;

-- AlterTable
ALTER TABLE "Facility" ADD COLUMN     "snoozeReason" TEXT,
ADD COLUMN     "snoozedAt" TIMESTAMPTZ(3),
ADD COLUMN     "snoozedById" UUID,
ADD COLUMN     "snoozedUntil" TIMESTAMPTZ(3);

ALTER TABLE "Facility" ADD CONSTRAINT "Facility_snooze_check" CHECK (
  "snoozedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
  AND "snoozedUntil" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;
