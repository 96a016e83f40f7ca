-- Facilities whose heartbeats decide nothing. An earlier version that runs beside this one shows them as offline.

-- AlterTable
ALTER TABLE "Facility" ADD COLUMN     "heartbeatsIgnored" BOOLEAN NOT NULL DEFAULT false;
