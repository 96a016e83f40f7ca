import { lstat, mkdir, statfs } from "node:fs/promises";
import { userInfo } from "node:os";
import path from "node:path";
import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import { cameraFeedOf, feedVariables } from "../../../engine/settings/camera-feed.js";
import { TemporaryFiles } from "../../../engine/storage/temporary-files.js";
import { FeedClient } from "../../../features/camera-feed/feed-client.js";
import { FeedDispatcher } from "../../../features/camera-feed/feed-dispatcher.js";
import { FeedMetrics } from "../../../features/camera-feed/feed-metrics.js";
import { RingHolder } from "../../../features/camera-feed/ring/ring-holder.js";
import type { Infrastructure } from "../infrastructure.js";
import type { Runtime } from "../runtime.js";

const maxRingBytes = 48 * 1024 * 1024;
/** What cameras with large pictures send. */
const ringBytesPerSecond = 1_000_000;
const [sharedMemory, tmpfs] = ["/dev/shm", 0x01021994];

/** Temporary files in memory; undefined where there is no room for them. */
async function filesInMemory(bytes: number): Promise<TemporaryFiles | undefined> {
  try {
    const { type, bavail, bsize } = await statfs(sharedMemory);
    if (bytes === 0 || type !== tmpfs || bavail * bsize < bytes) return undefined;
    const { uid } = userInfo();
    const directory = path.join(sharedMemory, `camera-monitoring-gateway-${uid}`);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    // Anybody may have made it.
    const made = await lstat(directory);
    return made.isDirectory() && made.uid === uid ? await TemporaryFiles.open(directory) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Adds the workers that open streams and keep the last seconds of some. Returns the process of streams, which may open
 * the given ports of this machine, too, and these rings; undefined if the gateway opens no streams.
 */
export async function addCameraFeed(
  { environment, log, now, disposers }: Runtime,
  { database, workers, registry, temporary }: Infrastructure,
  services: GatewayServices,
  loopbackPorts: readonly number[],
): Promise<{ streams: FeedClient; rings: RingHolder } | undefined> {
  const feed = cameraFeedOf(environment);
  if (!("ffmpegPath" in feed)) return undefined;
  const { FEED_CONCURRENCY: concurrency, CAMERA_REFRESH, CAMERA_LOST_AFTER } = environment;
  const { FEED_RING: seconds, FEED_RINGS: maxRings } = environment;
  const streams = new FeedClient({
    ffmpegPath: feed.ffmpegPath,
    allowedNetworks: environment.CAMERA_ALLOWED_NETWORKS ?? [],
    verifiesTls: environment.CAMERA_TLS_VERIFY === "on",
    loopbackPorts,
    concurrency,
    variables: feedVariables(),
    log,
  });
  const files = await filesInMemory(maxRings * seconds * ringBytesPerSecond);
  disposers.defer(() => files?.close());
  const rings = new RingHolder({
    services,
    streams,
    limits: { seconds, maxBytes: maxRingBytes, directory: (files ?? temporary).pathOf("rings") },
    max: seconds === 0 ? 0 : maxRings,
    registry,
  });
  const dispatcher = new FeedDispatcher({
    services,
    streams,
    rings,
    metrics: new FeedMetrics(registry, database.prisma, now),
    concurrency,
    times: { refresh: CAMERA_REFRESH, lostAfter: CAMERA_LOST_AFTER },
  });
  const worker = workers.add("opening the streams of cameras", (its) => dispatcher.step(its));
  const ringWorker = workers.add("keeping the last seconds of cameras", (its) => rings.step(its));
  disposers.defer(async () => {
    await Promise.all([worker.close(), ringWorker.close()]);
    await rings.close();
    await streams.close();
  });
  return { streams, rings };
}
