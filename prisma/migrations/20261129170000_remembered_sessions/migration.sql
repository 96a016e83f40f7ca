-- An earlier version that runs beside this one opens sessions without a name, and mails links that lead nowhere.
ALTER TABLE "Session"
  ADD COLUMN "name" TEXT COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN "lastUsedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  ADD COLUMN "remembered" BOOLEAN NOT NULL DEFAULT false;
UPDATE "Session" SET "lastUsedAt" = "createdAt";
ALTER TABLE "Session" ADD CONSTRAINT "Session_lastUsedAt_check" CHECK ("lastUsedAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z');
ALTER TABLE "SignInLinkRequest" ADD COLUMN "path" TEXT;
ALTER TABLE "Delivery" ADD COLUMN "path" TEXT;
