import { Prisma, type PrismaClient, type StreamRequest } from "../generated/prisma/client.js";
import type { Logger } from "../platform/log.js";
import type { StepOutcome } from "../platform/worker.js";

/** Where stream requests are posted, and what the feed server is to call back. */
export interface FeedServer {
  url: string;
  /** The address that callbacks begin with. */
  publicUrl: () => string;
  /** Breaks off what is under way when the gateway ends; it is delivered after the next start. */
  ending: AbortSignal;
  log: Logger;
}

const requestsAtOnce = 8;
/** Milliseconds that the feed server may take to answer. */
const answerTime = 10_000;
/** Milliseconds after which a request whose delivery was broken off by a crash is delivered again. */
const lease = 3 * answerTime;
const firstRetry = 1_000;
const lastRetry = 5 * 60_000;
const longestError = 500;

/**
 * Posts some of the stream requests that are due to the feed server and keeps the outcome. What the feed server does not
 * take is tried again, ever more rarely, until the request expires or a newer one takes its place.
 */
export async function deliverStreamRequests(prisma: PrismaClient, server: FeedServer, now: () => Date): Promise<StepOutcome> {
  if (server.ending.aborted) return "nothing";
  const due = await claim(prisma, now());
  // Whoever waits for this to end waits for all of them, also when the outcome of one cannot be kept.
  const deliveries = await Promise.allSettled(due.map((request) => deliver(prisma, server, request, now)));
  const failed = deliveries.find((delivery) => delivery.status === "rejected");
  if (failed) throw failed.reason;
  if (due.length > 0) return "more";
  const next = await prisma.streamRequest.findFirst({
    where: { nextDeliveryAt: { not: null } },
    orderBy: { nextDeliveryAt: "asc" },
    select: { nextDeliveryAt: true },
  });
  if (!next?.nextDeliveryAt) return "nothing";
  const after = next.nextDeliveryAt.getTime() - now().getTime();
  return after > 0 ? { after } : "later";
}

/** Takes requests that are due, so that no other gateway does; whoever crashes over them gives them back in time. */
async function claim(prisma: PrismaClient, now: Date): Promise<StreamRequest[]> {
  await prisma.streamRequest.updateMany({
    where: {
      nextDeliveryAt: { lte: now },
      OR: [{ expiresAt: { lte: now } }, { supersededAt: { not: null } }, { camera: { is: { removedAt: { not: null } } } }],
    },
    data: { nextDeliveryAt: null },
  });
  return prisma.$queryRaw<StreamRequest[]>(Prisma.sql`
    UPDATE "StreamRequest" SET "nextDeliveryAt" = ${new Date(now.getTime() + lease)}::timestamptz, "deliveryCount" = "deliveryCount" + 1
    WHERE "id" IN (
      SELECT "id" FROM "StreamRequest" WHERE "nextDeliveryAt" <= ${now}::timestamptz
      ORDER BY "nextDeliveryAt" LIMIT ${requestsAtOnce}::int FOR UPDATE SKIP LOCKED)
    RETURNING *`);
}

async function deliver(prisma: PrismaClient, server: FeedServer, request: StreamRequest, now: () => Date): Promise<void> {
  const refusal = await post(server, request);
  // A newer claim, after a delivery that took longer than its lease, has its own outcome.
  const where = { id: request.id, deliveryCount: request.deliveryCount };
  if (!refusal) {
    await prisma.streamRequest.updateMany({ where, data: { nextDeliveryAt: null, deliveredAt: now(), deliveryError: null } });
    return;
  }
  server.log.warn({ streamRequestId: request.id, attempt: request.deliveryCount, reason: refusal.reason }, "the feed server did not take a request");
  const wait = server.ending.aborted ? 0 : Math.min(firstRetry * 2 ** (request.deliveryCount - 1), lastRetry);
  const nextDeliveryAt = refusal.isFinal ? null : new Date(now().getTime() + wait);
  await prisma.streamRequest.updateMany({ where, data: { nextDeliveryAt, deliveryError: refusal.reason.slice(0, longestError) } });
}

/** Why the feed server did not take a request, and whether asking again is of no use. */
interface Refusal {
  reason: string;
  isFinal: boolean;
}

async function post(server: FeedServer, request: StreamRequest): Promise<Refusal | undefined> {
  const { requestId, cameraId, url } = request;
  const callback = (name: string) => `${server.publicUrl()}/cameras/${name}/${requestId}`;
  const body = {
    requestId,
    cameraId,
    url,
    streamType: request.streamType?.toLowerCase() ?? null,
    streamProtocol: request.streamProtocol?.toLowerCase() ?? null,
    callbacks: { thumbnail: callback("thumbnail"), metadata: callback("metadata"), error: callback("feedserver/error") },
  };
  try {
    const response = await fetch(server.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      redirect: "manual",
      signal: AbortSignal.any([server.ending, AbortSignal.timeout(answerTime)]),
    });
    await response.body?.cancel();
    if (response.ok) return undefined;
    const isFinal = response.status >= 300 && response.status < 500 && ![408, 425, 429].includes(response.status);
    return { reason: `It answered ${response.status}`, isFinal };
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    if (server.ending.aborted) return { reason: "The gateway ended before it answered", isFinal: false };
    const reason = name === "TimeoutError" ? `It did not answer within ${answerTime} ms` : `It cannot be reached: ${cause?.code ?? name}`;
    return { reason, isFinal: false };
  }
}
