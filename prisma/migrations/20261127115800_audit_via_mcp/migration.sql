-- Changes also come from assistants, by the Model Context Protocol.

ALTER TABLE "AuditEntry" DROP CONSTRAINT "AuditEntry_via_check";

ALTER TABLE "AuditEntry" ADD CONSTRAINT "AuditEntry_via_check" CHECK ("via" IN ('GRAPHQL', 'REST', 'MCP', 'CONNECTOR', 'GATEWAY')) NOT VALID;
