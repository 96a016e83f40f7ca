import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import { cameraFeedOf, feedVariables } from "../../../engine/settings/camera-feed.js";
import { FeedClient } from "../../../features/camera-feed/feed-client.js";
import { FeedDispatcher } from "../../../features/camera-feed/feed-dispatcher.js";
import { FeedMetrics } from "../../../features/camera-feed/feed-metrics.js";
import type { Infrastructure } from "../infrastructure.js";
import type { Runtime } from "../runtime.js";

/**
 * Adds the worker that opens streams, and returns its process, which may open the given ports of this machine, too;
 * undefined if the gateway opens no streams.
 */
export function addCameraFeed(
  { environment, log, now, disposers }: Runtime,
  { database, workers, registry }: Infrastructure,
  services: GatewayServices,
  loopbackPorts: readonly number[],
): FeedClient | undefined {
  const feed = cameraFeedOf(environment);
  if (!("ffmpegPath" in feed)) return undefined;
  const { FEED_CONCURRENCY: concurrency, CAMERA_REFRESH, CAMERA_LOST_AFTER } = environment;
  const streams = new FeedClient({
    ffmpegPath: feed.ffmpegPath,
    allowedNetworks: environment.CAMERA_ALLOWED_NETWORKS ?? [],
    verifiesTls: environment.CAMERA_TLS_VERIFY === "on",
    loopbackPorts,
    concurrency,
    variables: feedVariables(),
    log,
  });
  const dispatcher = new FeedDispatcher({
    services,
    streams,
    metrics: new FeedMetrics(registry, database.prisma, now),
    concurrency,
    times: { refresh: CAMERA_REFRESH, lostAfter: CAMERA_LOST_AFTER },
  });
  const worker = workers.add("opening the streams of cameras", (its) => dispatcher.step(its));
  disposers.defer(async () => {
    await worker.close();
    await streams.close();
  });
  return streams;
}
