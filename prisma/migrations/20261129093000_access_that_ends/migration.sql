-- Access may end at a given time. An earlier version that runs beside this one does not end it.

-- AlterTable
ALTER TABLE "User" ADD COLUMN     "until" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "FacilityAccess" ADD COLUMN     "until" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "Invitation" ADD COLUMN     "until" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "User_until_idx" ON "User"("workspaceId", "until") WHERE "until" IS NOT NULL;

ALTER TABLE "User" ADD CONSTRAINT "User_until_check" CHECK ("until" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z') NOT VALID;
ALTER TABLE "FacilityAccess" ADD CONSTRAINT "FacilityAccess_until_check" CHECK ("until" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z') NOT VALID;
ALTER TABLE "Invitation" ADD CONSTRAINT "Invitation_until_check" CHECK ("until" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z') NOT VALID;
