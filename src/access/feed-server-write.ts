import { type Camera, Prisma, type StreamRequest } from "../generated/prisma/client.js";
import { found } from "../platform/errors.js";
import type { GatewayEvent } from "../platform/topics.js";
import { runAnnounced } from "./announced-transaction.js";
import type { RequestContext } from "./request-context.js";
import { type AuditRecord, recordAudit } from "./write.js";

/** One write of the feed server: whoever knows a stream request's capability may report of it, and do nothing else. */
export interface FeedServerWrite {
  transaction: Prisma.TransactionClient;
  now: Date;
  /** The camera, locked against other writers. */
  camera: Camera;
  /** The request that the capability belongs to, locked too. */
  streamRequest: StreamRequest;
  /** Says what happened to the camera, once the transaction is committed. */
  announce(topic: GatewayEvent["topic"]): void;
  /** Records what was done, in the same transaction. */
  audit(record: Pick<AuditRecord, "action" | "changes">): Promise<void>;
}

/** Runs one write of the feed server in a transaction; NOT_FOUND for a capability that is unknown or has expired. */
export function writeAsFeedServer<Result>(
  { services }: RequestContext,
  requestId: string,
  work: (write: FeedServerWrite) => Promise<Result>,
): Promise<Result> {
  return runAnnounced(services, async (transaction, announce) => {
    const now = services.now();
    const { cameraId } = found(
      await transaction.streamRequest.findFirst({ where: { requestId, expiresAt: { gt: now } }, select: { cameraId: true } }),
    );
    // In the order in which those who change a camera lock the two.
    const [camera] = await transaction.$queryRaw<Camera[]>(
      Prisma.sql`SELECT * FROM "Camera" WHERE "id" = ${cameraId}::uuid AND "removedAt" IS NULL FOR UPDATE`,
    );
    const { id: targetId, facilityId, workspaceId } = found(camera);
    const [streamRequest] = await transaction.$queryRaw<StreamRequest[]>(
      Prisma.sql`SELECT * FROM "StreamRequest" WHERE "requestId" = ${requestId}::uuid FOR UPDATE`,
    );
    const actor = { workspaceId, actorId: null, actorKind: "FEED_SERVER", createdAt: now } as const;
    return work({
      transaction,
      now,
      camera: found(camera),
      streamRequest: found(streamRequest),
      announce: (topic) => announce({ topic, workspaceId, facilityId, cameraId: targetId, ids: [targetId] }),
      audit: (record) => recordAudit(transaction, actor, [{ ...record, targetType: "Camera", targetId, facilityId }]),
    });
  });
}
