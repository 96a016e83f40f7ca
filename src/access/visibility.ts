import type { ReadStatement } from "../database/client.js";
import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import type { CallerProof } from "./caller-proof.js";
import { type Caller, visibleFacilities } from "./permissions.js";

type Readable = "findMany" | "findFirst" | "count" | "groupBy";
type Reader<Model extends keyof PrismaClient> = Pick<PrismaClient[Model], Readable & keyof PrismaClient[Model]>;

/** What is read from: the database, or one transaction in it. */
export interface ReadableDatabase {
  prisma: Prisma.TransactionClient;
  read: ReadStatement;
}

/**
 * The database as one caller may see it. Requests read through this alone: whatever `where` a service brings, it is
 * narrowed to the caller's workspace, to the visible facilities and to cameras that are not deleted.
 */
export class VisibleRecords {
  readonly #prisma: Prisma.TransactionClient;
  readonly #read: ReadStatement;
  readonly #proof: CallerProof | undefined;
  readonly #view: CallerView;

  constructor({ prisma, read }: ReadableDatabase, caller: Caller, proof?: CallerProof) {
    this.#prisma = prisma;
    this.#read = read;
    this.#proof = proof;
    this.#view = viewOf(caller);
  }

  get workspace(): Reader<"workspace"> {
    return scoped(this.#proof, this.#prisma.workspace, this.#view.scopes.workspace);
  }

  get user(): Reader<"user"> {
    return scoped(this.#proof, this.#prisma.user, this.#view.scopes.ofWorkspace);
  }

  get apiKey(): Reader<"apiKey"> {
    return scoped(this.#proof, this.#prisma.apiKey, this.#view.scopes.ofWorkspace);
  }

  get facilityAccess(): Reader<"facilityAccess"> {
    return scoped(this.#proof, this.#prisma.facilityAccess, this.#view.scopes.ofFacility);
  }

  get facility(): Reader<"facility"> {
    return scoped(this.#proof, this.#prisma.facility, this.#view.scopes.facility);
  }

  get camera(): Reader<"camera"> {
    return scoped(this.#proof, this.#prisma.camera, this.#view.scopes.camera);
  }

  get calibration(): Reader<"calibration"> {
    return scoped(this.#proof, this.#prisma.calibration, this.#view.scopes.ofCamera);
  }

  get analysisJob(): Reader<"analysisJob"> {
    return scoped(this.#proof, this.#prisma.analysisJob, this.#view.scopes.ofCamera);
  }

  get alertRule(): Reader<"alertRule"> {
    return scoped(this.#proof, this.#prisma.alertRule, this.#view.scopes.ofCamera);
  }

  /** Runs a statement of ours over the visible rows; it gets the sources that it may select from, each to be given an alias. */
  async query<Row>(statement: (visible: VisibleSources) => Prisma.Sql): Promise<Row[]> {
    await this.#proof?.demand();
    return this.#read<Row>(statement(this.#view.sources));
  }

  /** Evaluates a subquery of ours over the visible rows for each of many parents, which it knows as `parent`. */
  async queryBelow<Value>(parentIds: readonly string[], subquery: (visible: VisibleSources) => Prisma.Sql): Promise<Map<string, Value>> {
    const question = this.#proof?.question;
    // The server takes a list for ten items long, and would not keep a plan for it that looks dear beside that for one.
    const parents = parentIds.length === 1 ? Prisma.sql`(SELECT ${parentIds[0]}::uuid)` : Prisma.sql`unnest(${parentIds}::uuid[])`;
    const rows = await this.#read<{ parentId: string; found: Value; state?: string | null }>(
      Prisma.sql`
        SELECT parent."id" AS "parentId", (${subquery(this.#view.sources)}) AS "found"${question ? Prisma.sql`, (${question}) AS "state"` : Prisma.empty}
        FROM ${parents} AS parent("id")`,
    );
    if (question) this.#proof?.answer(rows[0]?.state ?? null);
    return new Map(rows.map(({ parentId, found }) => [parentId, found]));
  }
}

/** The visible rows of tables, as subqueries; PostgreSQL folds them into the statement around them. */
export type VisibleSources = Readonly<
  Record<
    | "facilities"
    | "cameras"
    | "alertRules"
    | "alerts"
    | "alertDayCounts"
    | "alertDayKindCounts"
    | "users"
    | "apiKeys"
    | "auditEntries"
    | "statusChanges"
    | "streamRequests"
    | "alertUploads",
    Prisma.Sql
  >
>;

/** What a caller may see: as conditions for Prisma, and as subqueries for statements of ours. */
interface CallerView {
  scopes: Record<"workspace" | "ofWorkspace" | "ofFacility" | "facility" | "camera" | "ofCamera", object>;
  sources: VisibleSources;
}

const views = new WeakMap<Caller, CallerView>();

/** Callers are remembered from request to request, and never changed. */
function viewOf(caller: Caller): CallerView {
  const known = views.get(caller);
  if (known) return known;
  const view = createView(caller);
  views.set(caller, view);
  return view;
}

function createView(caller: Caller): CallerView {
  const { workspaceId } = caller;
  // A missing tenant must never widen a read.
  if (!workspaceId) throw new Error("A caller without a workspace");
  const facilities = visibleFacilities(caller);
  const inFacilities = facilities === "all" ? {} : { facilityId: { in: facilities } };
  const camera = { workspaceId, removedAt: null, ...inFacilities };
  const facilityFilter = facilities === "all" ? Prisma.empty : Prisma.sql` AND "facilityId" = ANY(${facilities}::uuid[])`;
  const facilityIdFilter = facilities === "all" ? Prisma.empty : Prisma.sql` AND "id" = ANY(${facilities}::uuid[])`;
  const removed = caller.removedCameraIds;
  const removedFilter = removed.length === 0 ? Prisma.empty : Prisma.sql` AND "cameraId" <> ALL(${removed}::uuid[])`;
  const cameras = Prisma.sql`(SELECT * FROM "Camera" WHERE "workspaceId" = ${workspaceId}::uuid AND "removedAt" IS NULL${facilityFilter})`;
  const visibleCamera = Prisma.sql`"cameraId" IN (SELECT camera."id" FROM ${cameras} AS camera)`;
  const ofAlerts = Prisma.sql`"workspaceId" = ${workspaceId}::uuid${facilityFilter}${removedFilter}`;
  return {
    scopes: {
      workspace: { id: workspaceId },
      ofWorkspace: { workspaceId },
      ofFacility: { workspaceId, ...inFacilities },
      facility: { workspaceId, ...(facilities === "all" ? {} : { id: { in: facilities } }) },
      camera,
      ofCamera: { camera: { is: camera } },
    },
    sources: {
      alerts: Prisma.sql`(SELECT * FROM "Alert" WHERE ${ofAlerts})`,
      alertDayCounts: Prisma.sql`(SELECT * FROM "AlertDayCount" WHERE ${ofAlerts})`,
      alertDayKindCounts: Prisma.sql`(SELECT * FROM "AlertDayKindCount" WHERE ${ofAlerts})`,
      cameras,
      facilities: Prisma.sql`(SELECT * FROM "Facility" WHERE "workspaceId" = ${workspaceId}::uuid${facilityIdFilter})`,
      alertRules: Prisma.sql`(SELECT * FROM "AlertRule" WHERE ${visibleCamera})`,
      users: Prisma.sql`(SELECT * FROM "User" WHERE "workspaceId" = ${workspaceId}::uuid)`,
      apiKeys: Prisma.sql`(SELECT * FROM "ApiKey" WHERE "workspaceId" = ${workspaceId}::uuid)`,
      auditEntries: Prisma.sql`(SELECT * FROM "AuditEntry" WHERE "workspaceId" = ${workspaceId}::uuid)`,
      statusChanges: Prisma.sql`(SELECT * FROM "StatusChange" WHERE ${visibleCamera})`,
      streamRequests: Prisma.sql`(SELECT * FROM "StreamRequest" WHERE ${visibleCamera})`,
      alertUploads: Prisma.sql`(SELECT * FROM "AlertUpload" WHERE "workspaceId" = ${workspaceId}::uuid${facilityFilter})`,
    },
  };
}

interface Arguments {
  where?: object;
}

function scoped<Delegate extends object>(
  proof: CallerProof | undefined,
  delegate: Delegate,
  where: object,
): Pick<Delegate, Readable & keyof Delegate> {
  const model = delegate as Record<Readable, (args: Arguments) => Promise<unknown>>;
  const narrowed = (args: Arguments = {}): Arguments => ({ ...args, where: args.where ? { AND: [where, args.where] } : where });
  const reading = (method: Readable) => async (args?: Arguments) => {
    await proof?.demand();
    return model[method](narrowed(args));
  };
  const reader: Record<Readable, (args?: Arguments) => Promise<unknown>> = {
    findMany: reading("findMany"),
    findFirst: reading("findFirst"),
    count: reading("count"),
    groupBy: reading("groupBy"),
  };
  return reader as unknown as Pick<Delegate, Readable & keyof Delegate>;
}
