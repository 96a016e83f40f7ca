import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import type { WorkspaceTurns } from "../platform/queues/workspace-turns.js";
import type { StepOutcome } from "../platform/workers/worker.js";
import { feedServerChannel } from "./outbox/delivery-state.js";

/** Nothing announces the requests of instances that run version 0.2. */
const pollIntervalMs = 10_000;

/**
 * Queues stream requests for the feed server. Each is a target with a queue of its own,
 * so a request that fails does not hold up the others. Returns the number of requests
 * that were not queued yet. Looks for queued ones itself: Citus counts rows in conflict
 * as inserted.
 */
export function queueStreamRequests(
  client: Pick<PrismaClient, "$executeRaw">,
  workspaceId: string,
  condition: Prisma.Sql,
): Promise<number> {
  return client.$executeRaw(Prisma.sql`
    INSERT INTO "Delivery" ("id", "workspaceId", "facilityId", "cameraId", "streamRequestId", "kind", "channel", "target", "targetId", "queueId",
      "host", "queuedAt", "createdAt", "expiresAt")
    SELECT gen_random_uuid(), ${workspaceId}::uuid, camera."facilityId", camera."id", request."id", 'STREAM_REQUEST', ${feedServerChannel},
      request."id"::text, request."id", request."id", ${feedServerChannel}, (SELECT clock_timestamp()), request."createdAt", request."expiresAt"
    FROM "StreamRequest" AS request
    JOIN "Camera" AS camera ON camera."workspaceId" = ${workspaceId}::uuid AND camera."id" = request."cameraId"
    WHERE request."workspaceId" = ${workspaceId}::uuid AND ${condition} AND NOT EXISTS (
      SELECT FROM "Delivery" AS queued WHERE queued."workspaceId" = ${workspaceId}::uuid AND queued."streamRequestId" = request."id")
    ON CONFLICT ("workspaceId", "streamRequestId") WHERE "streamRequestId" IS NOT NULL DO NOTHING`);
}

/**
 * Queues due requests of the next workspace that has some without a delivery. Version 0.2
 * writes none, and deletes those of this version, which it does not know. Not needed once
 * no instance runs version 0.2 any more.
 */
export async function queueEarlierStreamRequests(
  prisma: PrismaClient,
  turns: WorkspaceTurns,
  now: Date,
  onQueued: (workspaceId: string) => void,
): Promise<StepOutcome> {
  const isDue = Prisma.sql`request."nextDeliveryAt" <= ${now}::timestamptz`;
  const queued = await turns.claim(
    (following) =>
      prisma.streamRequest.findFirst({
        where: { workspaceId: following, nextDeliveryAt: { lte: now } },
        orderBy: { workspaceId: "asc" },
        select: { workspaceId: true },
      }),
    async (id) => ((await queueStreamRequests(prisma, id, isDue)) > 0 ? [id] : []),
  );
  for (const workspaceId of queued) onQueued(workspaceId);
  return queued.length > 0 ? "more" : { dueInMs: pollIntervalMs };
}
