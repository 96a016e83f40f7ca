import { Prisma } from "../../generated/prisma/client.js";
import { recordOf } from "../../platform/record.js";
import { later } from "../../platform/time.js";
import type { CachedCallerCheck } from "../access/cached-caller-check.js";
import { type Caller, seesPersonalMail, visibleFacilities } from "../access/permissions.js";
import { type OtherSource, ownedTables, type SourceName, type TableOwner } from "../access/visible-tables.js";
import type { ReadStatement, StatementText } from "../database/statement-text.js";
import { maxAnswerBytes } from "./answer-size.js";
import { Placeholder, type StatementTemplates, shapeOf, withPlaceholders } from "./statement-template.js";

/**
 * The database as one caller may see it. Requests read through this alone: statements select from sources that hold
 * only rows of the caller's workspace, at visible facilities, and of facilities and cameras that are not deleted.
 */
export class VisibleRecords {
  readonly #read: ReadStatement;
  readonly #callerCheck: CachedCallerCheck | undefined;
  readonly #access: VisibleAccess;
  readonly #clock: () => Date;
  readonly #heartbeatTimeout: number;
  readonly #pictureFreshness: number;
  #now: Date | undefined;

  constructor(
    { read, now, heartbeatTimeout, pictureFreshness = 600 }: ReadingSurroundings,
    caller: Caller,
    callerCheck?: CachedCallerCheck,
  ) {
    this.#read = read;
    this.#callerCheck = callerCheck;
    this.#access = accessOf(caller);
    this.#clock = now;
    this.#heartbeatTimeout = heartbeatTimeout;
    this.#pictureFreshness = pictureFreshness;
  }

  /** The same for all statements, so that one statement counts what another one lists. */
  get now(): Date {
    this.#now ??= this.#clock();
    return this.#now;
  }

  get #onlineSince(): Date {
    return later(this.now, -this.#heartbeatTimeout * 1000);
  }

  get #freshSince(): Date {
    return later(this.now, -this.#pictureFreshness * 1000);
  }

  get #sources(): VisibleSources {
    return {
      ...this.#access.sources,
      now: momentOf(this.now),
      onlineSince: momentOf(this.#onlineSince),
      freshSince: momentOf(this.#freshSince),
    };
  }

  /** Runs a statement over the visible rows, which receives the sources to select from. Each source needs an alias. */
  async query<Row>(statement: (visible: VisibleSources) => Prisma.Sql): Promise<Row[]> {
    await this.#callerCheck?.verify();
    return this.#read<Row>(statement(this.#sources));
  }

  /** The row of an id; undefined if it is not visible. */
  async findById<Row>(source: SourceName, id: string): Promise<Row | undefined> {
    const [row] = await this.query<Row>(
      (sources) => Prisma.sql`SELECT item.* FROM ${sources[source]} AS item WHERE item."id" = ${id}::uuid`,
    );
    return row;
  }

  /**
   * Evaluates a subquery that returns JSON, over the visible rows, for each of many parents. Inside it, the parent has
   * the alias `parent`. If the answers are too large together, only their size is returned. With `kept`, the statement
   * is composed once in the lifetime of the object that keeps it. Its subquery must then depend on nothing but the
   * sources.
   */
  async queryPerParent(
    parentIds: readonly string[],
    subquery: Subquery,
    kept?: KeptStatements,
  ): Promise<JsonPerParent> {
    const unchangedQuery = this.#callerCheck?.unchangedQuery;
    const [parentId] = parentIds;
    const isSingle = parentId !== undefined && parentIds.length === 1;
    const statement =
      isSingle && kept
        ? this.#keptStatement(kept, subquery, parentId, unchangedQuery)
        : perParent(
            isSingle ? singleParent(parentId) : manyParents(parentIds),
            subquery(this.#sources),
            unchangedQuery,
          );
    const rows = await this.#read<{
      parentId: string;
      result: string | null;
      size: number | null;
      isUnchanged?: boolean | null;
    }>(statement);
    if (unchangedQuery) this.#callerCheck?.accept(rows[0]?.isUnchanged ?? null);
    return { size: rows[0]?.size ?? 0, results: rows.map(({ parentId, result }) => [parentId, result]) };
  }

  #keptStatement(
    kept: KeptStatements,
    subquery: Subquery,
    parentId: string,
    unchangedQuery: Prisma.Sql | undefined,
  ): StatementText {
    const { scope, shape } = this.#access;
    const variant = `${shape},${unchangedQuery ? shapeOf(unchangedQuery) : ""}`;
    const template = kept.templates.get(kept.relation, variant, () => {
      const rows = createSources(placeholdersOf(scope));
      const sources = {
        ...rows,
        now: momentOf(placeholders.now),
        onlineSince: momentOf(placeholders.onlineSince),
        freshSince: momentOf(placeholders.freshSince),
      };
      const callerCheck = unchangedQuery && withPlaceholders(unchangedQuery, placeholders.callerValue);
      return perParent(singleParent(placeholders.parentId), subquery(sources), callerCheck);
    });
    return template.with({
      scope,
      parentId,
      now: this.now,
      onlineSince: this.#onlineSince,
      freshSince: this.#freshSince,
      callerValues: unchangedQuery?.values ?? [],
    });
  }
}

interface ReadingSurroundings {
  read: ReadStatement;
  now: () => Date;
  /** A facility is online for this time after its last heartbeat, in seconds. */
  heartbeatTimeout: number;
  /** How long a picture of a camera is fresh after it was taken, in seconds. */
  pictureFreshness?: number;
}

/** A subquery that returns JSON for the parent with the alias `parent`. */
type Subquery = (visible: VisibleSources) => Prisma.Sql;

interface KeptStatements {
  templates: StatementTemplates<PerParentRun>;
  relation: object;
}

/** The values of a statement that is kept. */
export interface PerParentRun {
  scope: VisibleScope;
  parentId: string;
  now: Date;
  onlineSince: Date;
  freshSince: Date;
  callerValues: readonly unknown[];
}

const placeholder = (value: (run: PerParentRun) => unknown) => new Placeholder(value);

const placeholders = {
  parentId: placeholder(({ parentId }) => parentId),
  now: placeholder(({ now }) => now),
  onlineSince: placeholder(({ onlineSince }) => onlineSince),
  freshSince: placeholder(({ freshSince }) => freshSince),
  callerValue: (index: number) => placeholder(({ callerValues }) => callerValues[index]),
};

/** The same scope with placeholders for its values, so that the statement of its sources has the same text. */
const placeholdersOf = (scope: VisibleScope): VisibleScope => ({
  ...scope,
  ...recordOf(
    valuesOfScope.filter((name) => scope[name] !== undefined),
    (name) => placeholder((run) => run.scope[name]),
  ),
});

const momentOf = (now: unknown) => Prisma.sql`${now}::timestamptz`;

interface Parents {
  table: Prisma.Sql;
  isSingle: boolean;
}

// The planner assumes ten elements for any array, and would not keep a generic plan that seems costlier than the one
// for a single ID.
const singleParent = (id: unknown): Parents => ({ table: Prisma.sql`(SELECT ${id}::uuid)`, isSingle: true });
const manyParents = (ids: readonly string[]): Parents => ({
  table: Prisma.sql`unnest(${ids}::uuid[])`,
  isSingle: false,
});

function perParent(
  { table, isSingle }: Parents,
  subquery: Prisma.Sql,
  unchangedQuery: Prisma.Sql | undefined,
): Prisma.Sql {
  const callerCheck = unchangedQuery ? Prisma.sql`, (${unchangedQuery}) AS "isUnchanged"` : Prisma.empty;
  const size = isSingle
    ? Prisma.sql`octet_length(related."json")`
    : Prisma.sql`(sum(octet_length(related."json")) OVER ())::float8`;
  // OFFSET keeps the planner from evaluating the subquery once for each use of its result.
  return Prisma.sql`
    SELECT parent."id" AS "parentId", ${size} AS "size",
      CASE WHEN ${size} <= ${Prisma.raw(String(maxAnswerBytes))} THEN related."json" END AS "result"${callerCheck}
    FROM ${table} AS parent("id") CROSS JOIN LATERAL (SELECT (${subquery})::text OFFSET 0) AS related("json")`;
}

/** The JSON text that a subquery returned for each parent. */
export interface JsonPerParent {
  /** The size of all results together, in bytes. */
  size: number;
  /** The results by the parent's id; null for all if they exceed {@link maxAnswerBytes}. */
  results: [parentId: string, json: string | null][];
}

/** The visible rows of each table as a subquery; PostgreSQL merges it into the statement around it. */
type RowsOfTables = Readonly<Record<SourceName, Prisma.Sql>>;

/** The sources that statements select from, and the times that they compare with. */
export type VisibleSources = RowsOfTables & {
  readonly now: Prisma.Sql;
  /** The facilities whose last heartbeat is not older are online. */
  readonly onlineSince: Prisma.Sql;
  /** The pictures of cameras that were not taken earlier are fresh. */
  readonly freshSince: Prisma.Sql;
};

const valuesOfScope = [
  "workspaceId",
  "callerId",
  // The visible facilities; undefined if all are visible.
  "facilityIds",
  // The deleted facilities; undefined if there are none.
  "removedFacilityIds",
  // The deleted cameras; undefined if there are none.
  "removedCameraIds",
] as const;

/** The values that decide which rows are visible, or their placeholders in a statement that is kept for all callers. */
type VisibleScope = Record<(typeof valuesOfScope)[number], unknown> & {
  /** Whether mails to single people are visible. */
  withPersonalMail: boolean;
};

interface VisibleAccess {
  scope: VisibleScope;
  sources: RowsOfTables;
  /** Equal for callers whose sources differ only in their values. */
  shape: number;
}

const accessByCaller = new WeakMap<Caller, VisibleAccess>();

/** Callers are cached between requests and never change, so their sources are built once. */
function accessOf(caller: Caller): VisibleAccess {
  const known = accessByCaller.get(caller);
  if (known) return known;
  const scope = scopeOf(caller);
  const sources = createSources(scope);
  const access = { scope, sources, shape: shapeOf(Prisma.join(Object.values(sources))) };
  accessByCaller.set(caller, access);
  return access;
}

function scopeOf(caller: Caller): VisibleScope {
  const { workspaceId, id: callerId, removedFacilityIds, removedCameraIds } = caller;
  // A missing tenant must never widen a read.
  if (!workspaceId) throw new Error("The caller has no workspace");
  const facilityIds = visibleFacilities(caller);
  return {
    workspaceId,
    callerId,
    facilityIds: facilityIds === "all" ? undefined : facilityIds,
    removedFacilityIds: removedFacilityIds.length === 0 ? undefined : removedFacilityIds,
    removedCameraIds: removedCameraIds.length === 0 ? undefined : removedCameraIds,
    withPersonalMail: seesPersonalMail(caller),
  };
}

function createSources(scope: VisibleScope): RowsOfTables {
  const { workspaceId, callerId, facilityIds, removedFacilityIds, removedCameraIds } = scope;
  const amongFacilities = (column: Prisma.Sql) => {
    const among =
      facilityIds === undefined ? Prisma.empty : Prisma.sql` AND ${column} = ANY(${facilityIds}::uuid[])`;
    return removedFacilityIds === undefined
      ? among
      : Prisma.sql`${among} AND ${column} <> ALL(${removedFacilityIds}::uuid[])`;
  };
  const ofWorkspace = Prisma.sql`"workspaceId" = ${workspaceId}::uuid`;
  const ofFacility = Prisma.sql`${ofWorkspace}${amongFacilities(Prisma.sql`"facilityId"`)}`;
  // Alerts do not refer to the tables of cameras and facilities, and are deleted later.
  const notRemoved =
    removedCameraIds === undefined
      ? Prisma.empty
      : Prisma.sql` AND "cameraId" <> ALL(${removedCameraIds}::uuid[])`;
  const ofAlerts = Prisma.sql`${ofFacility}${notRemoved}`;
  const cameras = visibleRows(
    "Camera",
    Prisma.sql`${ofWorkspace} AND "removedAt" IS NULL${amongFacilities(Prisma.sql`"facilityId"`)}`,
  );
  const ofCamera = Prisma.sql`${ofWorkspace} AND "cameraId" IN (SELECT camera."id" FROM ${cameras} AS camera)`;
  const facilities = visibleRows(
    "Facility",
    Prisma.sql`${ofWorkspace} AND "removedAt" IS NULL${amongFacilities(Prisma.sql`"id"`)}`,
  );
  // Deliveries are kept for some time after their camera or facility has been purged.
  const notOfRemoved = Prisma.sql`EXISTS (SELECT 1 FROM ${facilities} AS facility WHERE facility."id" = "Delivery"."facilityId")
    AND ("cameraId" IS NULL OR EXISTS (SELECT 1 FROM ${cameras} AS camera WHERE camera."id" = "Delivery"."cameraId"))`;
  // Whoever sees mails to people sees all facilities. Nobody sees mails with sign-in links.
  const shownDeliveries = scope.withPersonalMail
    ? Prisma.sql`${ofWorkspace} AND CASE WHEN "facilityId" IS NULL THEN "kind" IN ('INVITATION', 'DIGEST') ELSE ${notOfRemoved} END`
    : Prisma.sql`${ofFacility} AND ${notOfRemoved}`;
  const owned: Record<TableOwner, Prisma.Sql> = {
    workspace: ofWorkspace,
    facility: ofFacility,
    camera: ofCamera,
    alerts: ofAlerts,
  };
  const ofCaller = Prisma.sql`${ofWorkspace} AND "userId" = ${callerId}::uuid`;
  const others: Record<OtherSource, Prisma.Sql> = {
    workspaces: visibleRows("Workspace", Prisma.sql`"id" = ${workspaceId}::uuid`),
    facilities,
    cameras,
    cameraFeedErrors: visibleRows("CameraFeed", Prisma.sql`${ofCamera} AND "errorCode" IS NOT NULL`),
    deliveries: visibleRows("Delivery", Prisma.sql`"streamRequestId" IS NULL AND ${shownDeliveries}`),
    savedViews: visibleRows("SavedView", ofCaller),
    sessions: visibleRows("Session", ofCaller),
  };
  const ownedRows = ownedTables.map(({ name, table, of }) => [name, visibleRows(table, owned[of])]);
  return { ...Object.fromEntries(ownedRows), ...others };
}

const visibleRows = (table: string, condition: Prisma.Sql) =>
  Prisma.sql`(SELECT * FROM ${Prisma.raw(`"${table}"`)} WHERE ${condition})`;
