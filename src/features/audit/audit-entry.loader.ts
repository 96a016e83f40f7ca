import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { newestFirst } from "../../engine/reading/list-order.js";
import { definePaginatedRelation } from "../../engine/reading/paginated-relation.js";
import { defineToOne } from "../../engine/reading/relation.js";
import type { VisibleSources } from "../../engine/reading/visibility.js";
import { type AuditEntry, Prisma } from "../../generated/prisma/client.js";

export type AuditEntryRow = Selected<AuditEntry, "id" | "createdAt">;

/** The name that changes of an object set, or that it had until then. */
const changedName = (entry: Prisma.Sql) =>
  Prisma.sql`coalesce(${entry}."changes"->'name'->>'to', ${entry}."changes"->'name'->>'from')`;

export const auditEntries = defineEntityType<AuditEntry>({
  source: "auditEntries",
  keys: ["id", "createdAt"],
  columns: Prisma.AuditEntryScalarFieldEnum,
  dateColumns: { createdAt: true },
  computedColumns: {
    // Of an object that was deleted, earlier entries have the name.
    targetName: ({ facilities, cameras, alertRules, auditEntries: entries }) => Prisma.sql`coalesce(
      ${changedName(Prisma.sql`item`)},
      CASE item."targetType"
        WHEN 'Facility' THEN (SELECT target."name" FROM ${facilities} AS target WHERE target."id" = item."targetId")
        WHEN 'Camera' THEN (SELECT target."name" FROM ${cameras} AS target WHERE target."id" = item."targetId")
        WHEN 'AlertRule' THEN (SELECT target."name" FROM ${alertRules} AS target WHERE target."id" = item."targetId")
      END,
      (SELECT ${changedName(Prisma.sql`named`)} FROM ${entries} AS named
        WHERE named."targetId" = item."targetId" AND named."changes"->'name' IS NOT NULL
        ORDER BY named."createdAt" DESC, named."id" DESC LIMIT 1))`,
    cameraName: ({ cameras, alertRules }) => Prisma.sql`coalesce(item."changes"->'camera'->>'from',
      (SELECT camera."name" FROM ${alertRules} AS rule JOIN ${cameras} AS camera ON camera."id" = rule."cameraId"
        WHERE item."targetType" = 'AlertRule' AND rule."id" = item."targetId"))`,
  },
});

export const auditEntryById = defineToOne<AuditEntryRow>(auditEntries, "id");

interface AuditLogFilter {
  actorId?: string | null;
  actorKinds?: string[] | null;
  actions?: string[] | null;
  targetId?: string | null;
  targetTypes?: string[] | null;
  text?: string | null;
  start?: Date | null;
  end?: Date | null;
}

export const auditLog = definePaginatedRelation<AuditEntryRow, AuditLogFilter>(auditEntries, "workspaceId", {
  order: newestFirst,
  filterOf: ({ actorId, actorKinds, actions, targetId, targetTypes, text, start, end }) =>
    ({ actorId, actorKinds, actions, targetId, targetTypes, text, start, end }) as AuditLogFilter,
  conditions: ({ actorId, actorKinds, actions, targetId, targetTypes, text, start, end }, sources) => [
    ...(actorId ? [Prisma.sql`item."actorId" = ${actorId}::uuid`] : []),
    ...(actorKinds ? [Prisma.sql`item."actorKind" = ANY(${actorKinds}::text[])`] : []),
    ...(actions ? [Prisma.sql`item."action" = ANY(${actions}::text[])`] : []),
    ...(targetId ? [Prisma.sql`item."targetId" = ${targetId}::uuid`] : []),
    ...(targetTypes ? [Prisma.sql`item."targetType" = ANY(${targetTypes}::text[])`] : []),
    ...(text ? [namedBy(text, sources)] : []),
    ...(start ? [Prisma.sql`item."createdAt" >= ${start}::timestamptz`] : []),
    ...(end ? [Prisma.sql`item."createdAt" < ${end}::timestamptz`] : []),
  ],
});

/** Whether the object of an entry has, or once had, a name with a text in it. */
const namedBy = (
  text: string,
  { auditEntries: entries, facilities, cameras, alertRules }: VisibleSources,
) => {
  const contains = (name: Prisma.Sql) =>
    Prisma.sql`strpos("foldedText"(${name}), (SELECT "foldedText"(${text}::text))) > 0`;
  const ids = [facilities, cameras, alertRules].map(
    (source) =>
      Prisma.sql`SELECT target."id" FROM ${source} AS target WHERE ${contains(Prisma.sql`target."name"`)}`,
  );
  return Prisma.sql`item."targetId" IN (
    SELECT named."targetId" FROM ${entries} AS named WHERE named."changes"->'name' IS NOT NULL
      AND (${contains(Prisma.sql`named."changes"->'name'->>'from'`)} OR ${contains(Prisma.sql`named."changes"->'name'->>'to'`)})
    UNION ${Prisma.join(ids, " UNION ")})`;
};
