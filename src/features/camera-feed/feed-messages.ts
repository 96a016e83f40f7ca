import type { FeedErrorCode } from "./feed-error.js";
import type { CameraConnectionsOptions } from "./relays/camera-connections.js";
import type { ClipRange, RingLimits, RingStatus } from "./ring/camera-ring.js";

export interface FeedSetup extends CameraConnectionsOptions {
  ffmpegPath: string;
  niceness: number;
}

/**
 * What to do with a stream: to read its metadata, to take a picture, or to send frames or keep its last seconds until
 * the job is aborted. And what to do with what a ring keeps, by the id of the job that keeps it.
 */
export type FeedTask =
  | { task: "probe" | "picture" | "frames"; url: string }
  | { task: "ring"; url: string; limits: RingLimits }
  | { task: "probe" | "picture" | "frames"; ring: number; at?: Date | undefined }
  | { task: "clip"; ring: number; range: ClipRange; file: string };

export type MessageToFeed =
  | { kind: "setup"; setup: FeedSetup }
  | { kind: "job"; id: number; task: FeedTask }
  | { kind: "abort"; id: number }
  /** The last frame has arrived. The process sends no other one before. */
  | { kind: "received"; id: number };

export type MessageFromFeed =
  /** The process is set up. What it dies of from now on may be a job. */
  | { kind: "ready" }
  | { kind: "frame"; id: number; frame: Buffer }
  | { kind: "result"; id: number; result: unknown }
  /** What a ring keeps now. */
  | { kind: "ring"; id: number; status: RingStatus }
  /** The stream cannot be read. */
  | { kind: "refused"; id: number; code: FeedErrorCode }
  /**
   * The job was aborted, or failed for a reason that is not the stream's. Of errors only the origin is told:
   * their messages may repeat a URL.
   */
  | { kind: "failed"; id: number; origin: string }
  /** The process has failed, and ends. */
  | { kind: "crashed"; origin: string };
