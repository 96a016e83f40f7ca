import type { Size } from "../../../platform/geometry.js";
import type { CapturedPicture } from "../capture/stream-capture.js";
import type { FeedError } from "../feed-error.js";

export interface RingLimits {
  /** The seconds that are kept, at least. */
  seconds: number;
  /** The bytes of all segments at most, and as many again for those that clips hold. */
  maxBytes: number;
  /** A directory that belongs to one gateway alone: whatever is left in it by an earlier one is removed. */
  directory: string;
}

export interface ClipRange {
  from: Date;
  until: Date;
}

export interface RecordedClip extends Size {
  /** In seconds. */
  duration: number;
  startsAt: Date;
  /** In bytes. */
  size: number;
  /** As {@link CameraRing.codec}. */
  codec: string;
}

export interface RingStatus {
  /** ffmpeg's name of the codec, such as h264, hevc, av1, mpeg4 or mjpeg. */
  readonly codec: string;
  /**
   * When the first and the last frame that are kept now arrived, by this machine's clock; undefined before the first
   * group of pictures, and when the stream has begun anew.
   */
  readonly span: { startsAt: Date; endsAt: Date } | undefined;
}

/** The last seconds of a camera's stream as it came. While it is open, nothing else need connect to the camera. */
export interface CameraRing extends RingStatus {
  /** Takes the key frame nearest to a time, by default the newest one. */
  takePicture(at: Date | undefined, signal: AbortSignal): Promise<CapturedPicture>;
  /** Tells the metadata, as ffprobe names them. */
  probe(signal: AbortSignal): Promise<Record<string, unknown>>;
  /** Reads frames for a live view, until the signal is aborted. Fails once the ring ends. */
  readFrames(signal: AbortSignal): AsyncIterable<Buffer>;
  /**
   * Keeps what arrives from one time on until another, at most until the ring ends, and then writes it to a file: whole
   * groups of pictures as MP4. Fails with {@link FeedError} if nothing of the time is there.
   */
  recordClip(range: ClipRange, file: string, signal: AbortSignal): Promise<RecordedClip>;
  /** Resolves with the reason once the ring ends, also after {@link CameraRing.close}. */
  readonly ended: Promise<FeedError>;
  /** Ends the ring and removes its segments. */
  close(): Promise<void>;
}
