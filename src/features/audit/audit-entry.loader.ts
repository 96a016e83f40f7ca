import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { newestFirst } from "../../engine/reading/list-order.js";
import { definePaginatedRelation } from "../../engine/reading/paginated-relation.js";
import { defineToOne } from "../../engine/reading/relation.js";
import type { VisibleSources } from "../../engine/reading/visibility.js";
import { type AuditEntry, Prisma } from "../../generated/prisma/client.js";
import { typeTexts } from "../alert/type-texts.js";

export type AuditEntryRow = Selected<AuditEntry, "id" | "createdAt">;

/** The names in changes of an object, the latest first; the one that people gave to a rule is in its tree. */
const changedNames = (entry: Prisma.Sql) =>
  Prisma.join(
    ["'group'->'to'->>'name'", "'group'->'from'->>'name'", "'name'->>'to'", "'name'->>'from'"].map(
      (path) => Prisma.sql`${entry}."changes"->${Prisma.raw(path)}`,
    ),
  );

/** The name that changes of an object set, or that it had until then. */
const changedName = (entry: Prisma.Sql) => Prisma.sql`coalesce(${changedNames(entry)})`;

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
        WHEN 'AlertRule' THEN (SELECT coalesce(target."group"->>'name', target."name") FROM ${alertRules} AS target WHERE target."id" = item."targetId")
      END,
      (SELECT ${changedName(Prisma.sql`named`)} FROM ${entries} AS named
        WHERE named."targetId" = item."targetId" AND ${changedName(Prisma.sql`named`)} IS NOT NULL
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
  const idsOf = (source: Prisma.Sql, names: Prisma.Sql) =>
    Prisma.sql`SELECT target."id" FROM ${source} AS target WHERE ${contains(names)}`;
  const name = Prisma.sql`target."name"`;
  return Prisma.sql`item."targetId" IN (
    SELECT named."targetId" FROM ${entries} AS named
      WHERE ${contains(Prisma.sql`concat_ws(chr(10), ${changedNames(Prisma.sql`named`)}, ${typeTexts(Prisma.sql`(named."changes"->'name'->>'from')`)})`)}
    UNION ${idsOf(facilities, name)}
    UNION ${idsOf(cameras, name)}
    UNION ${idsOf(alertRules, Prisma.sql`concat_ws(chr(10), target."group"->>'name', ${typeTexts(name)})`)})`;
};
