-- AlterTable
ALTER TABLE "EmailLookup" ADD COLUMN     "signedInAt" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "SignInLinkRequest" ADD COLUMN     "network" TEXT;
