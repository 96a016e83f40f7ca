import { isDeepStrictEqual } from "node:util";
import { Prisma } from "../../generated/prisma/client.js";
import { orNotFound } from "../../platform/errors/errors.js";
import { entriesOf } from "../../platform/record.js";
import type { Session } from "../access/authenticator.js";
import type { CachedCallerCheck } from "../access/cached-caller-check.js";
import type { Caller } from "../access/permissions.js";
import { type AuditedType, sourceOf } from "../access/visible-tables.js";
import type { Transaction } from "../database/transaction.js";
import type { DomainEvent } from "../events/gateway-event.js";
import { VisibleRecords, type VisibleSources } from "../reading/visibility.js";
import type { AuditActor, AuditRecord } from "./audit-entries.js";
import { assertExpectedVersion, type ExpectedVersion } from "./expected-version.js";
import { readIn, type TransactionEffects } from "./transaction.js";

/** When a write happens, and for how many seconds a heartbeat counts then. */
interface WriteOccasion {
  now: Date;
  heartbeatTimeout: number;
  action: string | undefined;
}

export type RowOf<Model extends Prisma.ModelName> = Prisma.TypeMap["model"][Model]["payload"]["scalars"];

/** The models whose rows mutations lock: those that the audit log tells changes of, by an id. */
type LockedModel = Exclude<AuditedType, "FacilityAccess">;

interface UpdatableRows<Row> {
  update(change: { where: object; data: object }): Promise<Row>;
}

/** One write: a transaction that reads the records visible to the caller, and records its changes in the audit log. */
export class WriteAccess {
  readonly caller: Caller;
  readonly visible: VisibleRecords;
  readonly now: Date;
  readonly #action: string | undefined;
  readonly #effects: TransactionEffects;
  readonly #callerCheck: CachedCallerCheck | undefined;

  constructor(
    readonly transaction: Transaction,
    { caller, check }: Session,
    { now, heartbeatTimeout, action }: WriteOccasion,
    effects: TransactionEffects,
  ) {
    this.caller = caller;
    this.now = now;
    this.#action = action;
    this.visible = new VisibleRecords(
      { read: readIn(transaction), now: () => now, heartbeatTimeout },
      caller,
    );
    this.#effects = effects;
    this.#callerCheck = check;
  }

  /**
   * Runs a statement over the visible rows that also checks a cached caller, which saves a statement. The statement
   * must select the given condition as "isUnchanged". If the caller has changed, the write fails. If no row is
   * returned, the caller is checked at the end of the write.
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

  /** Emits an event in the caller's workspace once the transaction is committed. */
  emit(domainEvent: DomainEvent): void {
    this.#effects.emit(domainEvent, { workspaceId: this.caller.workspaceId, now: this.now });
  }

  /** Runs a raw statement without waiting for its result. If the statement fails, the write fails. */
  send(statement: Prisma.Sql): void {
    this.#effects.send(statement);
  }

  /** Adds an entry about an object to the audit log, with the facility that the object names. */
  auditChange(
    targetType: AuditRecord["targetType"],
    {
      id,
      facilityId = targetType === "Facility" ? id : undefined,
    }: { id: string; facilityId?: string | null },
    changes?: Prisma.InputJsonObject,
  ): void {
    this.audit({ targetType, targetId: id, ...(facilityId && { facilityId }), ...(changes && { changes }) });
  }

  /** Adds entries to the audit log in the transaction, by default with the mutation that writes as their action. */
  audit(...records: (Omit<AuditRecord, "action"> & Partial<Pick<AuditRecord, "action">>)[]): void {
    const { workspaceId, id, kind } = this.caller;
    const actor: AuditActor = {
      workspaceId,
      actorId: id,
      actorKind: kind === "user" ? "USER" : "API_KEY",
      createdAt: this.now,
    };
    this.#effects.audit(
      actor,
      records.map(({ action = this.#action, ...record }) => {
        if (action === undefined) throw new Error("A write outside of mutations must name its action");
        return { ...record, action };
      }),
    );
  }

  key(id: string): { workspaceId_id: { workspaceId: string; id: string } } {
    return { workspaceId_id: { workspaceId: this.caller.workspaceId, id } };
  }

  /** Locks a visible row against concurrent writes and reads it; NOT_FOUND if there is none. */
  async lock<Model extends LockedModel>(model: Model, id: string): Promise<RowOf<Model>> {
    const [row] = await this.visible.query<RowOf<Model>>(
      (sources) =>
        Prisma.sql`SELECT item.* FROM ${sources[sourceOf(model)]} AS item WHERE item."id" = ${id}::uuid FOR UPDATE`,
    );
    return orNotFound(row);
  }

  /**
   * Writes an input into a locked row, and its changes into the audit log; without any, the row stays as it is.
   * CONFLICT if the row is no longer the one that the input is based on. Columns of `unrecorded` are written as well.
   */
  async update<Model extends LockedModel>(
    model: Model,
    before: RowOf<Model>,
    { expectedUpdatedAt, ...values }: Partial<RowOf<Model>> & ExpectedVersion,
    {
      changes = changedFields<object>(before, values),
      unrecorded = {},
    }: { changes?: Prisma.InputJsonObject; unrecorded?: Partial<RowOf<Model>> } = {},
  ): Promise<RowOf<Model>> {
    assertExpectedVersion(before, { expectedUpdatedAt });
    if (isUnchanged(changes)) return before;
    // TypeScript cannot call a method of a union of models.
    const rows: UpdatableRows<RowOf<Model>> = Reflect.get(
      this.transaction,
      model.charAt(0).toLowerCase() + model.slice(1),
    );
    const updated = await rows.update({
      where: model === "Workspace" ? { id: before.id } : this.key(before.id),
      data: { ...values, ...("updatedAt" in before && { updatedAt: this.now }), ...unrecorded },
    });
    this.auditChange(model, updated, changes);
    return updated;
  }
}

/** The fields whose values differ, each with its old and new value, in the form of the audit log. */
export function changedFields<Row extends object>(before: Row, after: Partial<Row>): Prisma.InputJsonObject {
  const changes: Record<string, Prisma.InputJsonValue> = {};
  for (const [name, value] of entriesOf(after)) {
    const change = { from: plain(before[name]), to: plain(value) };
    // Compare deeply: jsonb does not preserve the order of an object's members.
    if (!isDeepStrictEqual(change.from, change.to)) changes[name] = change as Prisma.InputJsonObject;
  }
  return changes;
}

/** Whether nothing changed. There is then nothing to write, emit or audit. */
export function isUnchanged(changes: object): boolean {
  return Object.keys(changes).length === 0;
}

const plain = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));
