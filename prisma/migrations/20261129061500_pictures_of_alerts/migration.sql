ALTER TABLE "Alert"
  ADD COLUMN "alertRuleName" TEXT,
  ADD COLUMN "pictureAt" TIMESTAMPTZ(3),
  ADD COLUMN "pictureAwaitedUntil" TIMESTAMPTZ(3);
ALTER TABLE "AlertUpload" ADD COLUMN "takenAt" TIMESTAMPTZ(3);
