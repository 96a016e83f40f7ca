-- AlterTable
ALTER TABLE "EmailLookup" ADD COLUMN     "signedInAt" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "SignInLinkRequest" ADD COLUMN     "network" TEXT;

ALTER TABLE "EmailLookup" ADD CONSTRAINT "EmailLookup_shown_values_check" CHECK (
  "signedInAt" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;
