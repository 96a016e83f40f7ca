import { Prisma, type PrismaClient, type StreamRequest } from "../generated/prisma/client.js";
import { isUnavailable } from "../platform/database-errors.js";
import type { WorkspaceTurns } from "../platform/queues/workspace-turns.js";
import { type Backoff, retryDelay } from "../platform/retry-delay.js";
import type { Logger } from "../platform/telemetry/log.js";
import type { TraceHeaders, Tracing } from "../platform/telemetry/tracing.js";
import { temporaryStatuses } from "../platform/temporary-status.js";
import { type StepOutcome, untilDue } from "../platform/workers/worker.js";

/** The server that opens streams, and the gateway's address for it. */
export interface FeedServer {
  url: string;
  /** The base URL of callbacks. */
  publicUrl: () => string;
  /**
   * Cancels deliveries when the gateway shuts down. The gateway repeats them after its
   * next start.
   */
  shutdownSignal: AbortSignal;
  /** Records the requests to the feed server; undefined if traces are not exported. */
  tracing: Tracing | undefined;
  log: Logger;
}

const batchSize = 8;
const responseTimeoutMs = 10_000;
/**
 * The lease of a delivery. If a crash interrupts the delivery, a gateway repeats it after
 * this time.
 */
const leaseMs = 3 * responseTimeoutMs;
const backoff: Backoff = { firstMs: 1_000, maxMs: 5 * 60_000 };
const maxErrorLength = 500;

/** The dependencies of {@link deliverStreamRequests}. */
export interface DeliveryDependencies {
  prisma: PrismaClient;
  server: FeedServer;
  turns: WorkspaceTurns;
  now: () => Date;
}

/**
 * Posts a batch of due stream requests to the feed server, and records the outcome.
 * Workspaces take turns. Requests that the feed server rejects are retried at growing
 * intervals until they expire or are superseded.
 */
export async function deliverStreamRequests(dependencies: DeliveryDependencies): Promise<StepOutcome> {
  const { server } = dependencies;
  if (server.shutdownSignal.aborted) return "nothing";
  const next = await nextDelivery(dependencies);
  if (next !== "locked") return next;
  const due = await claimInTurns(dependencies);
  // Wait for all deliveries, even if the outcome of one cannot be recorded.
  const deliveries = await Promise.allSettled(due.map((request) => deliver(dependencies, request)));
  const failed = deliveries.find((delivery) => delivery.status === "rejected");
  if (failed) throw failed.reason;
  // Look again: claiming may have given up the due requests, because they had expired or
  // were superseded, or because their camera was removed.
  return due.length > 0 ? "more" : nextDelivery(dependencies);
}

/**
 * The time until the next request is due. "locked" means that a request is due now, but
 * other instances have claimed it.
 */
async function nextDelivery({ prisma, now }: DeliveryDependencies): Promise<StepOutcome> {
  const next = prisma.streamRequest.findFirst({
    where: { nextDeliveryAt: { not: null } },
    orderBy: { nextDeliveryAt: "asc" },
    select: { nextDeliveryAt: true },
  });
  return untilDue(
    next.then((first) => first?.nextDeliveryAt),
    now(),
  );
}

/** Claims a batch, from as many workspaces as necessary. */
async function claimInTurns({ prisma, turns, now }: DeliveryDependencies): Promise<StreamRequest[]> {
  const due: StreamRequest[] = [];
  for (let hasMore = true; hasMore && due.length < batchSize; ) {
    const claim = turns.claim(
      (following) =>
        prisma.streamRequest.findFirst({
          where: { workspaceId: following, nextDeliveryAt: { lte: now() } },
          orderBy: { workspaceId: "asc" },
          select: { workspaceId: true },
        }),
      (workspaceId) => claimDue(prisma, workspaceId, now(), batchSize - due.length),
    );
    // Deliver the claimed requests, whatever fails.
    const claimed = await claim.catch((error): StreamRequest[] => {
      if (due.length === 0 || !isUnavailable(error)) throw error;
      return [];
    });
    due.push(...claimed);
    hasMore = claimed.length > 0;
  }
  return due;
}

/**
 * Leases due requests of a workspace, so that no other instance delivers them meanwhile.
 * Select them as an array: PostgreSQL may run a subquery in IN once per row, and then its
 * LIMIT limits nothing.
 */
async function claimDue(
  prisma: PrismaClient,
  workspaceId: string,
  now: Date,
  limit: number,
): Promise<StreamRequest[]> {
  await prisma.streamRequest.updateMany({
    where: {
      workspaceId,
      nextDeliveryAt: { lte: now },
      OR: [
        { expiresAt: { lte: now } },
        { supersededAt: { not: null } },
        { camera: { is: { workspaceId, removedAt: { not: null } } } },
      ],
    },
    data: { nextDeliveryAt: null },
  });
  return prisma.$queryRaw<StreamRequest[]>(Prisma.sql`
    UPDATE "StreamRequest" SET "nextDeliveryAt" = ${new Date(now.getTime() + leaseMs)}::timestamptz, "deliveryCount" = "deliveryCount" + 1
    WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ANY(ARRAY(
      SELECT "id" FROM "StreamRequest" WHERE "workspaceId" = ${workspaceId}::uuid AND "nextDeliveryAt" <= ${now}::timestamptz
      ORDER BY "nextDeliveryAt" LIMIT ${limit}::int FOR UPDATE SKIP LOCKED))
    RETURNING *`);
}

async function deliver({ prisma, server, now }: DeliveryDependencies, request: StreamRequest): Promise<void> {
  const message = server.tracing?.startMessage("POST feed server", { "http.request.method": "POST" });
  const failure = await post(server, request, message?.headers);
  message?.end(failure && "not_accepted");
  // If the delivery outlasted its lease, a newer delivery records its own outcome.
  const where = { workspaceId: request.workspaceId, id: request.id, deliveryCount: request.deliveryCount };
  if (!failure) {
    await prisma.streamRequest.updateMany({
      where,
      data: { nextDeliveryAt: null, deliveredAt: now(), deliveryError: null },
    });
    return;
  }
  server.log.warn(
    { streamRequestId: request.id, attempt: request.deliveryCount, reason: failure.reason },
    "the feed server did not accept a stream request",
  );
  const delay = server.shutdownSignal.aborted ? 0 : retryDelay(request.deliveryCount, backoff);
  const nextDeliveryAt = failure.isPermanent ? null : new Date(now().getTime() + delay);
  await prisma.streamRequest.updateMany({
    where,
    data: { nextDeliveryAt, deliveryError: failure.reason.slice(0, maxErrorLength) },
  });
}

/**
 * The reason why the feed server rejected a request, and whether a retry would be
 * pointless.
 */
interface DeliveryFailure {
  reason: string;
  isPermanent: boolean;
}

async function post(
  server: FeedServer,
  request: StreamRequest,
  traceHeaders: TraceHeaders | undefined,
): Promise<DeliveryFailure | undefined> {
  const { requestId, cameraId, url } = request;
  const callback = (name: string) => `${server.publicUrl()}/cameras/${name}/${requestId}`;
  const body = {
    requestId,
    cameraId,
    url,
    streamType: request.streamType?.toLowerCase() ?? null,
    streamProtocol: request.streamProtocol?.toLowerCase() ?? null,
    callbacks: {
      thumbnail: callback("thumbnail"),
      metadata: callback("metadata"),
      error: callback("feedserver/error"),
    },
  };
  try {
    const response = await fetch(server.url, {
      method: "POST",
      headers: { ...traceHeaders, "content-type": "application/json" },
      body: JSON.stringify(body),
      redirect: "manual",
      signal: AbortSignal.any([server.shutdownSignal, AbortSignal.timeout(responseTimeoutMs)]),
    });
    await response.body?.cancel();
    if (response.ok) return undefined;
    const isPermanent =
      response.status >= 300 && response.status < 500 && !temporaryStatuses.includes(response.status);
    return { reason: `The feed server responded with status ${response.status}`, isPermanent };
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    if (server.shutdownSignal.aborted)
      return { reason: "The gateway shut down before the feed server responded", isPermanent: false };
    const reason =
      name === "TimeoutError"
        ? `The feed server did not respond within ${responseTimeoutMs} ms`
        : `The feed server is unreachable: ${cause?.code ?? name}`;
    return { reason, isPermanent: false };
  }
}
