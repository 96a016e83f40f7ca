import type { FeedClient } from "../feed/feed-client.js";
import { type LiveLimits, LiveReaders } from "../feed/live-readers.js";
import type { Infrastructure } from "./infrastructure.js";
import type { Runtime } from "./runtime.js";

/**
 * Opens the live views of cameras, which end as soon as the gateway begins to shut down.
 * Undefined if the gateway opens no streams.
 */
export function openLiveViews(
  { shutdown, disposers }: Runtime,
  { registry }: Infrastructure,
  streams: FeedClient | undefined,
  limits: Partial<LiveLimits> | undefined,
): LiveReaders | undefined {
  if (!streams) return undefined;
  const readers = new LiveReaders((url, signal) => streams.readFrames(url, signal), registry, limits);
  shutdown.signal.addEventListener("abort", () => void readers.close());
  disposers.defer(() => readers.close());
  return readers;
}
