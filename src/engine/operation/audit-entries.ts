import { Prisma } from "../../generated/prisma/client.js";
import { defined } from "../../platform/defined.js";
import { orderedUuid } from "../../platform/ids/ordered-uuid.js";
import type { ChangeSource } from "../access/change-source.js";
import type { AuditedType } from "../access/visible-tables.js";
import type { AuditEntryKey } from "../database/commit-outcome.js";

/** The content of an audit entry about a write, besides its actor and time. */
export interface AuditRecord {
  action: string;
  targetType: AuditedType;
  /** Null if the write affected several records. */
  targetId: string | null;
  facilityId?: string;
  /** The fields that changed, without secrets. */
  changes?: Prisma.InputJsonObject;
}

/** The actor, workspace and time of an audit entry. */
export interface AuditActor {
  workspaceId: string;
  actorId: string | null;
  actorKind: "USER" | "API_KEY" | "FEED_SERVER";
  createdAt: Date;
}

/** The maximum length of a client's name. */
const maxClientLength = 100;

/** A name as a client gives it, whatever it contains, as PostgreSQL can hold it. */
const storableName = (name: string): string =>
  name
    .slice(0, maxClientLength)
    .replaceAll(/\p{Cc}/gu, " ")
    .toWellFormed();

/** Returns the statement that adds entries to the audit log, and the key of the first entry. */
export function auditEntries(
  actor: AuditActor,
  records: readonly AuditRecord[],
  { via, client }: ChangeSource,
): { statement: Prisma.Sql; first: AuditEntryKey } {
  const { workspaceId, actorId, actorKind, createdAt } = actor;
  // SQL, because Prisma takes longer to write the statement than the database takes to run it.
  const ids = records.map(() => orderedUuid());
  const clientName = client === undefined ? null : storableName(client);
  const rows = records.map(
    (
      { action, targetType, targetId, facilityId, changes },
      index,
    ) => Prisma.sql`(${ids[index]}::uuid, ${workspaceId}::uuid, ${actorId}::uuid,
      ${actorKind}, ${action}, ${targetType}, ${targetId}::uuid, ${facilityId ?? null}::uuid, ${changes ? JSON.stringify(changes) : null}::jsonb,
      ${via}, ${clientName}, ${createdAt}::timestamptz)`,
  );
  const statement = Prisma.sql`
    INSERT INTO "AuditEntry" ("id", "workspaceId", "actorId", "actorKind", "action", "targetType", "targetId", "facilityId", "changes", "via", "client", "createdAt")
    VALUES ${Prisma.join(rows)}`;
  return { statement, first: { workspaceId, id: defined(ids[0]) } };
}
