import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { type Caller, visibleFacilities } from "./permissions.js";

type Readable = "findMany" | "findFirst" | "count" | "groupBy";
type Reader<Model extends keyof PrismaClient> = Pick<PrismaClient[Model], Readable & keyof PrismaClient[Model]>;

/**
 * The database as one caller may see it. Requests read through this alone: whatever `where` a service brings, it is
 * narrowed to the caller's workspace, to the visible facilities and to cameras that are not deleted.
 */
export class VisibleRecords {
  readonly workspace: Reader<"workspace">;
  readonly user: Reader<"user">;
  readonly facilityAccess: Reader<"facilityAccess">;
  readonly apiKey: Reader<"apiKey">;
  readonly facility: Reader<"facility">;
  readonly camera: Reader<"camera">;
  readonly calibration: Reader<"calibration">;
  readonly analysisJob: Reader<"analysisJob">;
  readonly alertRule: Reader<"alertRule">;
  readonly #prisma: Prisma.TransactionClient;
  readonly #sources: VisibleSources;

  constructor(prisma: Prisma.TransactionClient, caller: Caller) {
    const { workspaceId } = caller;
    // A missing tenant must never widen a read.
    if (!workspaceId) throw new Error("A caller without a workspace");
    const facilities = visibleFacilities(caller);
    const inFacilities = facilities === "all" ? {} : { facilityId: { in: facilities } };
    const facility = { workspaceId, ...(facilities === "all" ? {} : { id: { in: facilities } }) };
    const camera = { workspaceId, removedAt: null, ...inFacilities };
    const ofCamera = { camera: { is: camera } };
    this.workspace = scoped(prisma.workspace, { id: workspaceId });
    this.user = scoped(prisma.user, { workspaceId });
    this.apiKey = scoped(prisma.apiKey, { workspaceId });
    this.facilityAccess = scoped(prisma.facilityAccess, { workspaceId, ...inFacilities });
    this.facility = scoped(prisma.facility, facility);
    this.camera = scoped(prisma.camera, camera);
    this.calibration = scoped(prisma.calibration, ofCamera);
    this.analysisJob = scoped(prisma.analysisJob, ofCamera);
    this.alertRule = scoped(prisma.alertRule, ofCamera);
    this.#prisma = prisma;
    const facilityFilter = facilities === "all" ? Prisma.empty : Prisma.sql` AND "facilityId" = ANY(${facilities}::uuid[])`;
    const facilityIdFilter = facilities === "all" ? Prisma.empty : Prisma.sql` AND "id" = ANY(${facilities}::uuid[])`;
    const removed = caller.removedCameraIds;
    const removedFilter = removed.length === 0 ? Prisma.empty : Prisma.sql` AND "cameraId" <> ALL(${removed}::uuid[])`;
    const cameras = Prisma.sql`(SELECT * FROM "Camera" WHERE "workspaceId" = ${workspaceId}::uuid AND "removedAt" IS NULL${facilityFilter})`;
    const visibleCamera = Prisma.sql`"cameraId" IN (SELECT camera."id" FROM ${cameras} AS camera)`;
    this.#sources = {
      alerts: Prisma.sql`(SELECT * FROM "Alert" WHERE "workspaceId" = ${workspaceId}::uuid${facilityFilter}${removedFilter})`,
      cameras,
      facilities: Prisma.sql`(SELECT * FROM "Facility" WHERE "workspaceId" = ${workspaceId}::uuid${facilityIdFilter})`,
      alertRules: Prisma.sql`(SELECT * FROM "AlertRule" WHERE ${visibleCamera})`,
      users: Prisma.sql`(SELECT * FROM "User" WHERE "workspaceId" = ${workspaceId}::uuid)`,
      apiKeys: Prisma.sql`(SELECT * FROM "ApiKey" WHERE "workspaceId" = ${workspaceId}::uuid)`,
      auditEntries: Prisma.sql`(SELECT * FROM "AuditEntry" WHERE "workspaceId" = ${workspaceId}::uuid)`,
      statusChanges: Prisma.sql`(SELECT * FROM "StatusChange" WHERE ${visibleCamera})`,
      streamRequests: Prisma.sql`(SELECT * FROM "StreamRequest" WHERE ${visibleCamera})`,
    };
  }

  /** Runs a statement of ours over the visible rows; it gets the sources that it may select from, each to be given an alias. */
  query<Row>(statement: (visible: VisibleSources) => Prisma.Sql): Promise<Row[]> {
    return this.#prisma.$queryRaw<Row[]>(statement(this.#sources));
  }
}

/** The visible rows of tables, as subqueries; PostgreSQL folds them into the statement around them. */
export type VisibleSources = Readonly<
  Record<"facilities" | "cameras" | "alertRules" | "alerts" | "users" | "apiKeys" | "auditEntries" | "statusChanges" | "streamRequests", Prisma.Sql>
>;

interface Arguments {
  where?: object;
}

function scoped<Delegate extends object>(delegate: Delegate, where: object): Pick<Delegate, Readable & keyof Delegate> {
  const model = delegate as Record<Readable, (args: Arguments) => Promise<unknown>>;
  const narrowed = (args: Arguments = {}): Arguments => ({ ...args, where: args.where ? { AND: [where, args.where] } : where });
  const reader: Record<Readable, (args?: Arguments) => Promise<unknown>> = {
    findMany: (args) => model.findMany(narrowed(args)),
    findFirst: (args) => model.findFirst(narrowed(args)),
    count: (args) => model.count(narrowed(args)),
    groupBy: (args) => model.groupBy(narrowed(args)),
  };
  return reader as unknown as Pick<Delegate, Readable & keyof Delegate>;
}
