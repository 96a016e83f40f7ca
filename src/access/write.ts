import { isDeepStrictEqual } from "node:util";
import { Prisma } from "../generated/prisma/client.js";
import { found } from "../platform/errors.js";
import type { GatewayEvent } from "../platform/topics.js";
import type { Announce } from "./announced-transaction.js";
import type { Caller } from "./permissions.js";
import { VisibleRecords, type VisibleSources } from "./visibility.js";

/** What an audit entry says of a write, beside who and when. */
export interface AuditRecord {
  /** The name of the mutation. */
  action: string;
  targetType: Prisma.ModelName;
  /** Null for several things at once. */
  targetId: string | null;
  facilityId?: string;
  /** The fields that changed, without secrets. */
  changes?: Prisma.InputJsonObject;
}

/** One write: a transaction that sees what the caller sees, and that says in the audit log what it did. */
export class WriteAccess {
  readonly visible: VisibleRecords;

  constructor(
    readonly transaction: Prisma.TransactionClient,
    readonly caller: Caller,
    readonly now: Date,
    private readonly send: Announce,
  ) {
    this.visible = new VisibleRecords({ prisma: transaction, read: (statement) => transaction.$queryRaw(statement) }, caller);
  }

  /** Locks a visible row against other writers and reads it; NOT_FOUND when there is none. */
  async lock<Row>(source: keyof VisibleSources, id: string): Promise<Row> {
    const [row] = await this.visible.query<Row>(
      (sources) => Prisma.sql`SELECT item.* FROM ${sources[source]} AS item WHERE item."id" = ${id}::uuid FOR UPDATE`,
    );
    return found(row);
  }

  /** Says what happened in the caller's workspace; it is sent when the transaction is committed, and never otherwise. */
  announce(...events: Omit<GatewayEvent, "workspaceId">[]): void {
    this.send(...events.map((event) => ({ ...event, workspaceId: this.caller.workspaceId })));
  }

  /** Records what was done, in the same transaction. */
  async audit(...records: AuditRecord[]): Promise<void> {
    const { workspaceId, id, kind } = this.caller;
    await recordAudit(this.transaction, { workspaceId, actorId: id, actorKind: kind === "user" ? "USER" : "API_KEY", createdAt: this.now }, records);
  }
}

/** Who wrote, where and when, as the audit log has it. */
export interface AuditActor {
  workspaceId: string;
  actorId: string | null;
  actorKind: "USER" | "API_KEY" | "FEED_SERVER";
  createdAt: Date;
}

/** Adds what was done to the audit log. */
export async function recordAudit(transaction: Prisma.TransactionClient, actor: AuditActor, records: readonly AuditRecord[]): Promise<void> {
  await transaction.auditEntry.createMany({ data: records.map((record) => ({ ...actor, ...record })) });
}

/** The fields whose values differ, each with its value before and after, as the audit log keeps them. */
export function changedFields<Row extends object>(before: Row, after: Partial<Row>): Prisma.InputJsonObject {
  const changes: Record<string, Prisma.InputJsonValue> = {};
  for (const [name, value] of Object.entries(after)) {
    const change = { from: plain(before[name as keyof Row]), to: plain(value) };
    // The database keeps the members of JSON objects in an order of its own.
    if (!isDeepStrictEqual(change.from, change.to)) changes[name] = change as Prisma.InputJsonObject;
  }
  return changes;
}

/** Whether nothing differs: then there is nothing to write, and nothing to tell. */
export function isUnchanged(changes: object): boolean {
  return Object.keys(changes).length === 0;
}

const plain = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));
