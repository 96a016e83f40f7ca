import { FeedError } from "../feed-error.js";

/** The longest header of a part that ffmpeg writes. */
const maxHeader = 256;

/** Reads the JPEG frames of ffmpeg's muxer `mpjpeg`: parts with their length in a header. Holds one frame at most. */
export class MultipartFrames {
  readonly #maxBytes: number;
  #header = "";
  #parts: Buffer[] = [];
  /** The number of missing bytes of the frame; undefined in a header. */
  #missing: number | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes the next piece of the output. Returns the frames that it completes. */
  read(piece: Buffer): Buffer[] {
    const frames: Buffer[] = [];
    for (let at = 0; at < piece.length; ) {
      if (this.#missing === undefined) at = this.#readHeader(piece, at);
      else at = this.#readFrame(piece, at, this.#missing, frames);
    }
    return frames;
  }

  #readHeader(piece: Buffer, start: number): number {
    const before = this.#header.length;
    this.#header += piece.toString("latin1", start, start + maxHeader);
    const end = this.#header.indexOf("\r\n\r\n");
    if (end < 0) {
      if (this.#header.length >= maxHeader) throw new Error("ffmpeg wrote no frame");
      return piece.length;
    }
    const length = Number(/^Content-length: (\d+)$/im.exec(this.#header.slice(0, end))?.[1]);
    if (!(length > 0)) throw new Error("ffmpeg wrote a frame without its length");
    if (length > this.#maxBytes) throw new FeedError("TOO_LARGE");
    this.#header = "";
    this.#missing = length;
    return start + end + 4 - before;
  }

  #readFrame(piece: Buffer, start: number, missing: number, frames: Buffer[]): number {
    const part = piece.subarray(start, start + missing);
    this.#parts.push(part);
    this.#missing = missing - part.length;
    if (this.#missing === 0) {
      frames.push(Buffer.concat(this.#parts));
      this.#parts = [];
      this.#missing = undefined;
    }
    return start + part.length;
  }
}
