import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { newestFirst } from "../../engine/reading/list-order.js";
import { definePaginatedRelation } from "../../engine/reading/paginated-relation.js";
import { defineToOne } from "../../engine/reading/relation.js";
import { type AuditEntry, Prisma } from "../../generated/prisma/client.js";

export type AuditEntryRow = Selected<AuditEntry, "id" | "createdAt">;

export const auditEntries = defineEntityType<AuditEntry>({
  source: "auditEntries",
  keys: ["id", "createdAt"],
  columns: Prisma.AuditEntryScalarFieldEnum,
  dateColumns: { createdAt: true },
});

export const auditEntryById = defineToOne<AuditEntryRow>(auditEntries, "id");

interface AuditLogFilter {
  actorId?: string | null;
  targetId?: string | null;
  start?: Date | null;
  end?: Date | null;
}

export const auditLog = definePaginatedRelation<AuditEntryRow, AuditLogFilter>(auditEntries, "workspaceId", {
  order: newestFirst,
  filterOf: ({ actorId, targetId, start, end }) => ({ actorId, targetId, start, end }) as AuditLogFilter,
  conditions: ({ actorId, targetId, start, end }) => [
    ...(actorId ? [Prisma.sql`item."actorId" = ${actorId}::uuid`] : []),
    ...(targetId ? [Prisma.sql`item."targetId" = ${targetId}::uuid`] : []),
    ...(start ? [Prisma.sql`item."createdAt" >= ${start}::timestamptz`] : []),
    ...(end ? [Prisma.sql`item."createdAt" < ${end}::timestamptz`] : []),
  ],
});
