import type { Transaction } from "../../../engine/database/transaction.js";
import type { DomainEvent } from "../../../engine/events/gateway-event.js";
import type { AuditRecord } from "../../../engine/operation/audit-entries.js";
import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import type { GatewayRequest } from "../../../engine/operation/request-context.js";
import {
  failRepeatable,
  runInTransaction,
  type TransactionEffects,
} from "../../../engine/operation/transaction.js";
import { type Camera, Prisma, type StreamRequest } from "../../../generated/prisma/client.js";
import { orNotFound } from "../../../platform/errors/errors.js";

/** A write of the gateway's own feed, or of the feed server, which may only report on its capability's request. */
export interface FeedServerWrite {
  transaction: Transaction;
  now: Date;
  camera: Camera;
  /** The stream request that the report is about, locked as well. */
  streamRequest: StreamRequest;
  emit(domainEvent: DomainEvent): void;
  /** Adds an entry to the audit log, in the same transaction. */
  audit(record: Pick<AuditRecord, "action" | "changes">): void;
}

type RequestedStreamKey = Pick<StreamRequest, "workspaceId" | "cameraId" | "id">;

/** Runs a write of the feed server, which may be repeated. NOT_FOUND if the capability is unknown or has expired. */
export function writeAsFeedServer<Result>(
  { services, origin }: GatewayRequest,
  requestId: string,
  work: (write: FeedServerWrite) => Promise<Result>,
): Promise<Result> {
  return runInTransaction(
    services,
    async (transaction, effects) => {
      const now = services.now();
      const { workspaceId } = orNotFound(
        await transaction.streamRequestLookup.findUnique({ where: { requestId } }),
      );
      const stream = orNotFound(
        await transaction.streamRequest.findFirst({
          where: { workspaceId, requestId, expiresAt: { gt: now } },
          select: { workspaceId: true, cameraId: true, id: true },
        }),
      );
      return work(orNotFound(await lockStream(transaction, effects, now, stream)));
    },
    origin,
  ).catch(failRepeatable);
}

/** Runs a write of the gateway's own feed, which may be repeated. Undefined if the camera or the request is gone. */
export function writeAsBuiltinFeed<Result>(
  services: Pick<GatewayServices, "database" | "events" | "react" | "now">,
  stream: RequestedStreamKey,
  work: (write: FeedServerWrite) => Promise<Result>,
): Promise<Result | undefined> {
  return runInTransaction(services, async (transaction, effects) => {
    const write = await lockStream(transaction, effects, services.now(), stream);
    return write && work(write);
  }).catch(failRepeatable);
}

async function lockStream(
  transaction: Transaction,
  effects: TransactionEffects,
  now: Date,
  { workspaceId, cameraId, id }: RequestedStreamKey,
): Promise<FeedServerWrite | undefined> {
  // Every writer must lock the camera before its stream request: another order would deadlock.
  const [camera] = await transaction.$queryRaw<Camera[]>(
    Prisma.sql`SELECT * FROM "Camera" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ${cameraId}::uuid AND "removedAt" IS NULL FOR UPDATE`,
  );
  if (!camera) return undefined;
  const [streamRequest] = await transaction.$queryRaw<StreamRequest[]>(
    Prisma.sql`SELECT * FROM "StreamRequest" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ${id}::uuid FOR UPDATE`,
  );
  if (!streamRequest) return undefined;
  const { id: targetId, facilityId } = camera;
  const actor = { workspaceId, actorId: null, actorKind: "FEED_SERVER", createdAt: now } as const;
  return {
    transaction,
    now,
    camera,
    streamRequest,
    emit: (domainEvent) => effects.emit(domainEvent, { workspaceId, now }),
    audit: (record) => effects.audit(actor, [{ ...record, targetType: "Camera", targetId, facilityId }]),
  };
}
