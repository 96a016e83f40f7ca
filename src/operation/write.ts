import { isDeepStrictEqual } from "node:util";
import type { CachedCallerCheck } from "../access/cached-caller-check.js";
import type { Caller } from "../access/permissions.js";
import type { RawTransaction } from "../database/raw-transaction.js";
import type { GatewayEvent } from "../events/gateway-event.js";
import { Prisma } from "../generated/prisma/client.js";
import { orNotFound } from "../platform/errors.js";
import { type SourceName, VisibleRecords, type VisibleSources } from "../reading/visibility.js";
import type { AuditActor, AuditRecord } from "./audit-entries.js";
import { readIn, type TransactionEffects } from "./transaction.js";

/**
 * One write by raw statements: a transaction that reads what the caller may see and
 * records in the audit log what it did.
 */
export class RawWriteAccess {
  readonly visible: VisibleRecords;
  readonly #effects: TransactionEffects;
  readonly #callerCheck: CachedCallerCheck | undefined;

  /**
   * A cached caller is checked by {@link queryChecked}, if it is used, or otherwise apart
   * from the write.
   */
  constructor(
    transaction: RawTransaction,
    readonly caller: Caller,
    readonly now: Date,
    effects: TransactionEffects,
    callerCheck?: CachedCallerCheck,
  ) {
    this.visible = new VisibleRecords({ read: readIn(transaction), now: () => now }, caller);
    this.#effects = effects;
    this.#callerCheck = callerCheck;
  }

  /**
   * Runs a statement over the visible rows that checks a cached caller, too, which saves
   * a statement: it has to select whether they are unchanged as "isUnchanged". If they
   * have changed, the write fails. If it returns no row, they are checked at the end of
   * the write.
   */
  async queryChecked<Row>(
    statement: (visible: VisibleSources, isUnchanged: Prisma.Sql) => Prisma.Sql,
  ): Promise<Row[]> {
    const unchangedQuery = this.#callerCheck?.unchangedQuery;
    const isUnchanged = unchangedQuery ? Prisma.sql`(${unchangedQuery})` : Prisma.sql`true`;
    const rows = await this.visible.query<Row & { isUnchanged: boolean | null }>((visible) =>
      statement(visible, isUnchanged),
    );
    if (unchangedQuery && rows[0]) this.#callerCheck?.accept(rows[0].isUnchanged);
    return rows;
  }

  /**
   * Emits events in the caller's workspace. They are sent once the transaction is
   * committed, and not at all if it is rolled back.
   */
  emit(...events: Omit<GatewayEvent, "workspaceId">[]): void {
    this.#effects.emit(...events.map((event) => ({ ...event, workspaceId: this.caller.workspaceId })));
  }

  /** Runs a raw statement without waiting for its result. If it fails, the write does. */
  send(statement: Prisma.Sql): void {
    this.#effects.send(statement);
  }

  /** Adds entries to the audit log, in the same transaction. */
  audit(...records: AuditRecord[]): void {
    const { workspaceId, id, kind } = this.caller;
    const actor: AuditActor = {
      workspaceId,
      actorId: id,
      actorKind: kind === "user" ? "USER" : "API_KEY",
      createdAt: this.now,
    };
    this.#effects.audit(actor, records);
  }
}

/** One write that may use Prisma's models besides. */
export class WriteAccess extends RawWriteAccess {
  constructor(
    readonly transaction: Prisma.TransactionClient,
    caller: Caller,
    now: Date,
    effects: TransactionEffects,
  ) {
    super(transaction, caller, now, effects);
  }

  /** The key of a row of the caller's workspace, by which Prisma finds it. */
  key(id: string): { workspaceId_id: { workspaceId: string; id: string } } {
    return { workspaceId_id: { workspaceId: this.caller.workspaceId, id } };
  }

  /**
   * Locks a visible row against concurrent writes and reads it; NOT_FOUND if there is
   * none.
   */
  async lock<Row>(source: SourceName, id: string): Promise<Row> {
    const [row] = await this.visible.query<Row>(
      (sources) =>
        Prisma.sql`SELECT item.* FROM ${sources[source]} AS item WHERE item."id" = ${id}::uuid FOR UPDATE`,
    );
    return orNotFound(row);
  }
}

/**
 * The fields whose values differ, each with its old and new value, as the audit log
 * stores them.
 */
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
