import type { FeedErrorCode } from "../feed-error.js";

export interface RelayedStream {
  /**
   * What ffmpeg opens, with the credentials of the original. They belong neither into an argument nor into a
   * log.
   */
  readonly url: string;
  /** Options of ffmpeg's input. Without them ffmpeg might connect around the relay. */
  readonly options: Readonly<Record<string, string>>;
  /** What went wrong by what the relay saw; undefined if nothing did. */
  readonly failure: FeedErrorCode | undefined;
  /** Whether the camera has left a request without a response so far. */
  readonly isWaiting: boolean;
  /** Ends all connections, and accepts no more. Waits a while for the camera to do so: it may allow only one. */
  close(): Promise<void>;
}
