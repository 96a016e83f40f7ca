import { type Response, Router } from "express";
import type { RequestOrigin } from "../../../engine/access/authenticator.js";
import { methodNotAllowed, readMethods } from "../../../engine/http/methods.js";
import { originOf } from "../../../engine/http/request-origin.js";
import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import { defined } from "../../../platform/defined.js";
import { NotSetUpError, ServiceError, toServiceError } from "../../../platform/errors/errors.js";
import type { Logger } from "../../../platform/telemetry/log.js";
import { sendFrames, sendHead } from "../capture/multipart-response.js";
import { FeedError } from "../feed-error.js";
import type { LiveReaders } from "./live-readers.js";
import { type LiveView, openLiveView } from "./live-view.service.js";

interface LiveRouterDependencies {
  services: GatewayServices;
  /** The readers of streams; undefined if the gateway opens no streams. */
  readers: LiveReaders | undefined;
  /** Milliseconds between two checks whether a viewer may still have a live view. */
  checkIntervalMs?: number | undefined;
}

/** The time between checks, in milliseconds: a view ends within ten seconds after its viewer lost the access. */
const defaultCheckIntervalMs = 9_000;

/** Serves the live views of cameras by signed links. Links need no other credentials. */
export function liveRouter({ services, readers, checkIntervalMs }: LiveRouterDependencies): Router {
  const router = Router();
  router
    .route("/cameras/:cameraId/live")
    .get(async (request, response) => {
      const origin = originOf(request);
      const { cameraId } = request.params;
      const view = await openLiveView({ services, origin }, cameraId, String(request.query.ticket));
      if (!readers) throw new NotSetUpError("The gateway does not open the streams of cameras");
      if (request.method === "HEAD") sendHead(response).end();
      else await serveView(view, readers, { origin, response, checkIntervalMs, log: services.log });
    })
    .all(methodNotAllowed(readMethods));
  return router;
}

async function serveView(
  view: LiveView,
  readers: LiveReaders,
  {
    origin,
    response,
    checkIntervalMs = defaultCheckIntervalMs,
    log,
  }: { origin: RequestOrigin; response: Response; checkIntervalMs: number | undefined; log: Logger },
): Promise<void> {
  const access = new AbortController();
  const signal = AbortSignal.any([defined(origin.signal), access.signal]);
  const stopChecking = checkRepeatedly(view, checkIntervalMs, (reason) => access.abort(reason));
  try {
    await sendFrames(readers.watch(view.stream, view.viewer, signal), response, signal);
  } catch (error) {
    const reason = signal.aborted ? signal.reason : error;
    if (!response.headersSent) throw asServiceError(reason);
    endView(reason, { origin, response, log });
  } finally {
    stopChecking();
  }
}

/** Calls back once when a check of a view fails, or does not end before the next is due. */
function checkRepeatedly(view: LiveView, intervalMs: number, onEnd: (reason: unknown) => void): () => void {
  let isChecking = false;
  const timer = setInterval(() => {
    if (isChecking) {
      onEnd(new ServiceError("UNAVAILABLE", "The access could not be checked in time", { retryAfter: 5 }));
      return;
    }
    isChecking = true;
    view.check().then(() => {
      isChecking = false;
    }, onEnd);
  }, intervalMs).unref();
  return () => clearInterval(timer);
}

const asServiceError = (error: unknown): unknown =>
  error instanceof FeedError ? new ServiceError("UNAVAILABLE", error.message, { retryAfter: 10 }) : error;

function endView(
  reason: unknown,
  { origin, response, log }: { origin: RequestOrigin; response: Response; log: Logger },
): void {
  const requestId = origin.id;
  const { message } = toServiceError(asServiceError(reason), (cause) =>
    log.error({ err: cause, requestId }, "a live view failed"),
  );
  log.info({ requestId, reason: message }, "a live view has ended");
  // A viewer who has not read the last frame must not get it later.
  if (response.writableNeedDrain) response.destroy();
  else response.end();
}
