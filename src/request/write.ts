import { isDeepStrictEqual } from "node:util";
import type { Caller } from "../access/permissions.js";
import type { GatewayEvent } from "../events/gateway-event.js";
import { Prisma } from "../generated/prisma/client.js";
import { orNotFound } from "../platform/errors.js";
import { orderedUuid } from "../platform/ordered-uuid.js";
import { VisibleRecords, type VisibleSources } from "../reading/visibility.js";
import type { Emit } from "./transaction.js";

/** What an audit entry says about a write, besides its actor and time. */
export interface AuditRecord {
  /** The name of the mutation. */
  action: string;
  targetType: Prisma.ModelName;
  /** Null if the write affected several records. */
  targetId: string | null;
  facilityId?: string;
  /** The fields that changed, without secrets. */
  changes?: Prisma.InputJsonObject;
}

/** One write: a transaction that reads what the caller may see and records in the audit log what it did. */
export class WriteAccess {
  readonly visible: VisibleRecords;

  constructor(
    readonly transaction: Prisma.TransactionClient,
    readonly caller: Caller,
    readonly now: Date,
    private readonly send: Emit,
  ) {
    this.visible = new VisibleRecords({ read: ({ strings, values }) => transaction.$queryRaw(new Prisma.Sql(strings, values)) }, caller);
  }

  /** The key of a row of the caller's workspace, by which Prisma finds it. */
  key(id: string): { workspaceId_id: { workspaceId: string; id: string } } {
    return { workspaceId_id: { workspaceId: this.caller.workspaceId, id } };
  }

  /** Locks a visible row against concurrent writes and reads it; NOT_FOUND if there is none. */
  async lock<Row>(source: keyof VisibleSources, id: string): Promise<Row> {
    const [row] = await this.visible.query<Row>(
      (sources) => Prisma.sql`SELECT item.* FROM ${sources[source]} AS item WHERE item."id" = ${id}::uuid FOR UPDATE`,
    );
    return orNotFound(row);
  }

  /** Emits events in the caller's workspace. They are sent once the transaction is committed, and not at all if it is rolled back. */
  emit(...events: Omit<GatewayEvent, "workspaceId">[]): void {
    this.send(...events.map((event) => ({ ...event, workspaceId: this.caller.workspaceId })));
  }

  /** Adds entries to the audit log, in the same transaction. */
  async audit(...records: AuditRecord[]): Promise<void> {
    const { workspaceId, id, kind } = this.caller;
    await recordAudit(this.transaction, { workspaceId, actorId: id, actorKind: kind === "user" ? "USER" : "API_KEY", createdAt: this.now }, records);
  }
}

/** The actor, workspace and time of an audit entry. */
export interface AuditActor {
  workspaceId: string;
  actorId: string | null;
  actorKind: "USER" | "API_KEY" | "FEED_SERVER";
  createdAt: Date;
}

/** Adds entries to the audit log. */
export async function recordAudit(transaction: Prisma.TransactionClient, actor: AuditActor, records: readonly AuditRecord[]): Promise<void> {
  if (records.length === 0) return;
  const { workspaceId, actorId, actorKind, createdAt } = actor;
  // As SQL, because Prisma takes longer to write the statement than the database to run it.
  const rows = records.map(
    ({ action, targetType, targetId, facilityId, changes }) => Prisma.sql`(${orderedUuid()}::uuid, ${workspaceId}::uuid, ${actorId}::uuid,
      ${actorKind}, ${action}, ${targetType}, ${targetId}::uuid, ${facilityId ?? null}::uuid, ${changes ? JSON.stringify(changes) : null}::jsonb,
      ${createdAt}::timestamptz)`,
  );
  await transaction.$executeRaw(Prisma.sql`
    INSERT INTO "AuditEntry" ("id", "workspaceId", "actorId", "actorKind", "action", "targetType", "targetId", "facilityId", "changes", "createdAt")
    VALUES ${Prisma.join(rows)}`);
}

/** The fields whose values differ, each with its old and new value, as the audit log stores them. */
export function changedFields<Row extends object>(before: Row, after: Partial<Row>): Prisma.InputJsonObject {
  const changes: Record<string, Prisma.InputJsonValue> = {};
  for (const [name, value] of Object.entries(after)) {
    const change = { from: plain(before[name as keyof Row]), to: plain(value) };
    // Compared deeply: jsonb does not preserve the order of the members of an object.
    if (!isDeepStrictEqual(change.from, change.to)) changes[name] = change as Prisma.InputJsonObject;
  }
  return changes;
}

/** Whether nothing differs: then there is nothing to write, to emit or to audit. */
export function isUnchanged(changes: object): boolean {
  return Object.keys(changes).length === 0;
}

const plain = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));
