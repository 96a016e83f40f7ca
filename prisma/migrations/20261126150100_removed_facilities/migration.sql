-- A facility is deleted as a camera is: it is marked, with all its cameras, and purged later.
--
-- An earlier version that runs beside this one sees no cameras, rules and alerts of a marked facility, since it knows the mark of cameras. It still
-- shows the facility to those who see all of them, as one without cameras. What it adds there meanwhile, a camera or an access, this version hides
-- and purges with the facility.

-- AlterTable
ALTER TABLE "Facility" ADD COLUMN "removedAt" TIMESTAMPTZ(3);
ALTER TABLE "Facility" ADD CONSTRAINT "Facility_removedAt_shown_values_check" CHECK (
  "removedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
);

-- CreateIndex
CREATE INDEX "Facility_workspaceId_removedAt_idx" ON "Facility"("workspaceId", "removedAt") WHERE "removedAt" IS NOT NULL;
