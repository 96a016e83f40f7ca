-- A rotated API key has two secrets for a while. Versions that do not know the old one refuse it.

-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN     "oldSecretHash" BYTEA,
ADD COLUMN     "oldSecretUntil" TIMESTAMPTZ(3);

ALTER TABLE "ApiKey" ADD CONSTRAINT "ApiKey_oldSecretUntil_check" CHECK (
  "oldSecretUntil" BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
) NOT VALID;

-- No old secret without an end.
ALTER TABLE "ApiKey" ADD CONSTRAINT "ApiKey_oldSecret_check" CHECK (
  "oldSecretHash" IS NULL OR "oldSecretUntil" IS NOT NULL
) NOT VALID;
