import { countRefusal } from "../../../features/camera-feed/due-feeds.js";
import { FeedError } from "../../../features/camera-feed/feed-error.js";
import {
  type LiveLimits,
  LiveReaders,
  type LiveStream,
} from "../../../features/camera-feed/live/live-readers.js";
import type { RingHolder } from "../../../features/camera-feed/ring/ring-holder.js";
import type { Infrastructure } from "../infrastructure.js";
import type { Runtime } from "../runtime.js";

/** Opens the live views of cameras, which end when the gateway begins to shut down. Undefined without streams. */
export function openLiveViews(
  { shutdown, disposers, now }: Runtime,
  { registry, database: { prisma } }: Infrastructure,
  rings: RingHolder | undefined,
  limits: Partial<LiveLimits> | undefined,
): LiveReaders | undefined {
  if (!rings) return undefined;
  const frames = async function* (stream: LiveStream, signal: AbortSignal) {
    try {
      yield* rings.readFrames(stream, signal);
    } catch (error) {
      if (error instanceof FeedError && error.code === "UNAUTHORIZED")
        await countRefusal(prisma, stream, now());
      throw error;
    }
  };
  const readers = new LiveReaders(frames, registry, limits);
  shutdown.signal.addEventListener("abort", () => void readers.close());
  disposers.defer(() => readers.close());
  return readers;
}
