import type { FeedErrorCode } from "./feed-error.js";
import type { CameraConnectionsOptions } from "./relays/camera-connections.js";

export interface FeedSetup extends CameraConnectionsOptions {
  ffmpegPath: string;
}

/** What to do with a stream: to read its metadata, to take a picture, or to send frames until the job is aborted. */
export type FeedTask = "probe" | "picture" | "frames";

export type MessageToFeed =
  | { kind: "setup"; setup: FeedSetup }
  | { kind: "job"; id: number; task: FeedTask; url: string }
  | { kind: "abort"; id: number }
  /** The last frame has arrived. The process sends no other one before. */
  | { kind: "received"; id: number };

export type MessageFromFeed =
  /** The process is set up. What it dies of from now on may be a job. */
  | { kind: "ready" }
  | { kind: "frame"; id: number; frame: Buffer }
  | { kind: "result"; id: number; result: unknown }
  /** The stream cannot be read. */
  | { kind: "refused"; id: number; code: FeedErrorCode }
  /**
   * The job was aborted, or failed for a reason that is not the stream's. Of errors only the origin is told:
   * their messages may repeat a URL.
   */
  | { kind: "failed"; id: number; origin: string }
  /** The process has failed, and ends. */
  | { kind: "crashed"; origin: string };
