import type { CachedCallerCheck } from "../access/cached-caller-check.js";
import { type Caller, visibleFacilities } from "../access/permissions.js";
import type { ReadStatement } from "../database/client.js";
import { Prisma } from "../generated/prisma/client.js";
import { maxAnswerBytes } from "./answer-size.js";

/**
 * The database as one caller may see it. Requests read through this alone: statements select from sources that hold only rows
 * of the caller's workspace, at visible facilities, and of cameras that are not deleted.
 */
export class VisibleRecords {
  readonly #read: ReadStatement;
  readonly #callerCheck: CachedCallerCheck | undefined;
  readonly #sources: VisibleSources;

  constructor({ read }: { read: ReadStatement }, caller: Caller, callerCheck?: CachedCallerCheck) {
    this.#read = read;
    this.#callerCheck = callerCheck;
    this.#sources = sourcesOf(caller);
  }

  /** Runs a statement over the visible rows. It is given the sources that it may select from; each needs an alias. */
  async query<Row>(statement: (visible: VisibleSources) => Prisma.Sql): Promise<Row[]> {
    await this.#callerCheck?.verify();
    return this.#read<Row>(statement(this.#sources));
  }

  /** The visible row of an id. */
  async findById<Row>(source: keyof VisibleSources, id: string): Promise<Row | undefined> {
    const [row] = await this.query<Row>((sources) => Prisma.sql`SELECT item.* FROM ${sources[source]} AS item WHERE item."id" = ${id}::uuid`);
    return row;
  }

  /**
   * Evaluates a subquery that returns JSON, over the visible rows, for each of many parents; in it, the parent has the alias
   * `parent`. Answers that are too large together stay in the database: only their size is returned.
   */
  async queryPerParent(parentIds: readonly string[], subquery: (visible: VisibleSources) => Prisma.Sql): Promise<JsonPerParent> {
    const fingerprintQuery = this.#callerCheck?.fingerprintQuery;
    // The planner assumes ten elements for any array, and would not keep a generic plan that seems costlier than the one for a single ID.
    const isSingle = parentIds.length === 1;
    const parents = isSingle ? Prisma.sql`(SELECT ${parentIds[0]}::uuid)` : Prisma.sql`unnest(${parentIds}::uuid[])`;
    const fingerprint = fingerprintQuery ? Prisma.sql`, (${fingerprintQuery}) AS "fingerprint"` : Prisma.empty;
    const size = isSingle ? Prisma.sql`octet_length(related."json")` : Prisma.sql`(sum(octet_length(related."json")) OVER ())::float8`;
    // OFFSET keeps the planner from evaluating the subquery once for each place where its result is used.
    const rows = await this.#read<{ parentId: string; result: string | null; size: number | null; fingerprint?: string | null }>(
      Prisma.sql`
        SELECT parent."id" AS "parentId", ${size} AS "size",
          CASE WHEN ${size} <= ${Prisma.raw(String(maxAnswerBytes))} THEN related."json" END AS "result"${fingerprint}
        FROM ${parents} AS parent("id") CROSS JOIN LATERAL (SELECT (${subquery(this.#sources)})::text OFFSET 0) AS related("json")`,
    );
    if (fingerprintQuery) this.#callerCheck?.compare(rows[0]?.fingerprint ?? null);
    return { size: rows[0]?.size ?? 0, results: rows.map(({ parentId, result }) => [parentId, result]) };
  }
}

/** What a subquery returned for each parent, as text. */
export interface JsonPerParent {
  /** The size of all results together, in bytes. */
  size: number;
  /** The results by the parent's id; null for all if they exceed {@link maxAnswerBytes}. */
  results: [parentId: string, json: string | null][];
}

/** The visible rows of each table as a subquery; PostgreSQL merges it into the statement around it. */
export type VisibleSources = Readonly<ReturnType<typeof createSources>>;

const sourcesByCaller = new WeakMap<Caller, VisibleSources>();

/** Callers are cached between requests and never change, so their sources are built once. */
function sourcesOf(caller: Caller): VisibleSources {
  const known = sourcesByCaller.get(caller);
  if (known) return known;
  const sources = createSources(caller);
  sourcesByCaller.set(caller, sources);
  return sources;
}

function createSources(caller: Caller) {
  const { workspaceId, removedCameraIds } = caller;
  // A missing tenant must never widen a read.
  if (!workspaceId) throw new Error("The caller has no workspace");
  const facilityIds = visibleFacilities(caller);
  const amongFacilities = (column: Prisma.Sql) => (facilityIds === "all" ? Prisma.empty : Prisma.sql` AND ${column} = ANY(${facilityIds}::uuid[])`);
  const ofWorkspace = Prisma.sql`"workspaceId" = ${workspaceId}::uuid`;
  const ofFacility = Prisma.sql`${ofWorkspace}${amongFacilities(Prisma.sql`"facilityId"`)}`;
  // Alerts do not refer to the table of cameras, and are deleted after their camera.
  const notRemoved = removedCameraIds.length === 0 ? Prisma.empty : Prisma.sql` AND "cameraId" <> ALL(${removedCameraIds}::uuid[])`;
  const ofAlerts = Prisma.sql`${ofFacility}${notRemoved}`;
  const cameras = Prisma.sql`(SELECT * FROM "Camera" WHERE ${ofWorkspace} AND "removedAt" IS NULL${amongFacilities(Prisma.sql`"facilityId"`)})`;
  const ofCamera = Prisma.sql`${ofWorkspace} AND "cameraId" IN (SELECT camera."id" FROM ${cameras} AS camera)`;
  // A removed camera's deliveries are kept for some time after it has been purged.
  const notOfRemoved = Prisma.sql`("cameraId" IS NULL OR EXISTS (SELECT 1 FROM ${cameras} AS camera WHERE camera."id" = "Delivery"."cameraId"))`;
  return {
    workspaces: Prisma.sql`(SELECT * FROM "Workspace" WHERE "id" = ${workspaceId}::uuid)`,
    facilities: Prisma.sql`(SELECT * FROM "Facility" WHERE ${ofWorkspace}${amongFacilities(Prisma.sql`"id"`)})`,
    facilityAccesses: Prisma.sql`(SELECT * FROM "FacilityAccess" WHERE ${ofFacility})`,
    cameras,
    calibrations: Prisma.sql`(SELECT * FROM "Calibration" WHERE ${ofCamera})`,
    analysisJobs: Prisma.sql`(SELECT * FROM "AnalysisJob" WHERE ${ofCamera})`,
    statusChanges: Prisma.sql`(SELECT * FROM "StatusChange" WHERE ${ofCamera})`,
    streamRequests: Prisma.sql`(SELECT * FROM "StreamRequest" WHERE ${ofCamera})`,
    alertRules: Prisma.sql`(SELECT * FROM "AlertRule" WHERE ${ofCamera})`,
    alerts: Prisma.sql`(SELECT * FROM "Alert" WHERE ${ofAlerts})`,
    alertComments: Prisma.sql`(SELECT * FROM "AlertComment" WHERE ${ofAlerts})`,
    alertDayCounts: Prisma.sql`(SELECT * FROM "AlertDayCount" WHERE ${ofAlerts})`,
    alertDayKindCounts: Prisma.sql`(SELECT * FROM "AlertDayKindCount" WHERE ${ofAlerts})`,
    deliveries: Prisma.sql`(SELECT * FROM "Delivery" WHERE ${ofFacility} AND ${notOfRemoved})`,
    /** Of all facilities: select only those that visible deliveries go to. */
    deliveryTargets: Prisma.sql`(SELECT * FROM "DeliveryTarget" WHERE ${ofWorkspace})`,
    /** Likewise. */
    deliveryQueues: Prisma.sql`(SELECT * FROM "DeliveryQueue" WHERE ${ofWorkspace})`,
    alertUploads: Prisma.sql`(SELECT * FROM "AlertUpload" WHERE ${ofFacility})`,
    users: Prisma.sql`(SELECT * FROM "User" WHERE ${ofWorkspace})`,
    apiKeys: Prisma.sql`(SELECT * FROM "ApiKey" WHERE ${ofWorkspace})`,
    auditEntries: Prisma.sql`(SELECT * FROM "AuditEntry" WHERE ${ofWorkspace})`,
  };
}
