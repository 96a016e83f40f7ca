-- By which way changes came, and what their clients called themselves. Entries of earlier versions do not say.

-- AlterTable
ALTER TABLE "AuditEntry" ADD COLUMN     "client" TEXT,
ADD COLUMN     "via" TEXT;

ALTER TABLE "AuditEntry" ADD CONSTRAINT "AuditEntry_via_check" CHECK ("via" IN ('GRAPHQL', 'REST', 'CONNECTOR', 'GATEWAY')) NOT VALID;
