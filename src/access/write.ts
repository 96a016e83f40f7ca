import { Prisma } from "../generated/prisma/client.js";
import { found } from "../platform/errors.js";
import type { Caller } from "./permissions.js";
import { VisibleRecords, type VisibleSources } from "./visibility.js";

/** What an audit entry says of a write, beside who and when. */
export interface AuditRecord {
  /** The name of the mutation. */
  action: string;
  targetType: Prisma.ModelName;
  targetId: string;
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
  ) {
    this.visible = new VisibleRecords(transaction, caller);
  }

  /** Locks a visible row against other writers and reads it; NOT_FOUND when there is none. */
  async lock<Row>(source: keyof VisibleSources, id: string): Promise<Row> {
    const [row] = await this.visible.query<Row>(
      (sources) => Prisma.sql`SELECT item.* FROM ${sources[source]} AS item WHERE item."id" = ${id}::uuid FOR UPDATE`,
    );
    return found(row);
  }

  /** Records what was done, in the same transaction. */
  async audit(...records: AuditRecord[]): Promise<void> {
    const { workspaceId, id, kind } = this.caller;
    const actor = { workspaceId, actorId: id, actorKind: kind === "user" ? "USER" : "API_KEY", createdAt: this.now };
    await this.transaction.auditEntry.createMany({ data: records.map((record) => ({ ...actor, ...record })) });
  }
}

/** The fields whose values differ, each with its value before and after, as the audit log keeps them. */
export function changedFields<Row extends object>(before: Row, after: Partial<Row>): Prisma.InputJsonObject {
  const changes: Record<string, Prisma.InputJsonValue> = {};
  for (const [name, value] of Object.entries(after)) {
    const old = before[name as keyof Row];
    if (JSON.stringify(old) !== JSON.stringify(value)) changes[name] = { from: plain(old), to: plain(value) } as Prisma.InputJsonObject;
  }
  return changes;
}

/** Whether nothing differs: then there is nothing to write, and nothing to tell. */
export function isUnchanged(changes: object): boolean {
  return Object.keys(changes).length === 0;
}

const plain = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));
