import { FeedError } from "../feed-error.js";
import { maxFrameBytes } from "./media-parameters.js";

/** The first bytes of every JPEG. */
const pictureStart = Buffer.from([0xff, 0xd8, 0xff]);
/** The length of what is read before a picture for its length. */
const headerBytes = 1024;

export const isPicture = (bytes: Buffer): boolean => bytes.subarray(0, 3).equals(pictureStart);

const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/**
 * The beginning of a stream of ffmpeg's format `smjpeg`, which has the time of each picture, as opposed to MJPEG over
 * HTTP. The pictures themselves tell their size.
 */
export const pictureStreamHead = Buffer.concat([
  Buffer.from("\0\nSMJPEG"),
  ...[0, 0].map(number),
  Buffer.from("_VID"),
  ...[12, 0, 0].map(number),
  Buffer.from("JFIFHEND"),
]);

/** A picture in such a stream, with its time in milliseconds. */
export const timedPicture = (jpeg: Buffer, time: number): Buffer =>
  Buffer.concat([Buffer.from("vidD"), number(time), number(jpeg.length), jpeg]);

/**
 * Reads the pictures of a multipart response. Cameras write boundaries and headers as they like, so only the beginning of
 * a picture counts, and its length, or else the name of the boundary behind it.
 */
export async function* multipartPictures(
  chunks: AsyncIterator<Buffer>,
  contentType: string,
): AsyncGenerator<Buffer> {
  const bytes = new ByteReader(chunks);
  const boundary = Buffer.from(/boundary="?-*([^";\s]+)/i.exec(contentType)?.[1] ?? "\r\n--");
  for (;;) {
    const before = await bytes.until(pictureStart);
    const header = before?.toString("latin1", Math.max(0, before.length - headerBytes));
    const length = Number(/^content-length: *(\d+)\s*$(?!.*^content-length)/ims.exec(header ?? "")?.[1] ?? 0);
    const rest =
      length > pictureStart.length
        ? await bytes.take(length - pictureStart.length)
        : await bytes.until(boundary);
    if (!before || !rest) return;
    yield Buffer.concat([pictureStart, rest]);
  }
}

/** Reads bytes up to a length or a mark. Holds little more than a picture. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #bytes = Buffer.alloc(64 * 1024);
  #start = 0;
  #end = 0;

  constructor(chunks: AsyncIterator<Buffer>) {
    this.#chunks = chunks;
  }

  /** The bytes before a mark, which is skipped; undefined if it does not come. */
  async until(mark: Buffer): Promise<Buffer | undefined> {
    for (let from = 0; ; ) {
      const at = this.#bytes.subarray(this.#start, this.#end).indexOf(mark, from);
      if (at >= 0) return this.#cut(at, mark.length);
      from = Math.max(0, this.#length - mark.length + 1);
      if (!(await this.#more())) return undefined;
    }
  }

  /** A number of bytes; undefined if there are fewer. */
  async take(length: number): Promise<Buffer | undefined> {
    if (length > maxFrameBytes) throw new FeedError("TOO_LARGE");
    while (this.#length < length) if (!(await this.#more())) return undefined;
    return this.#cut(length);
  }

  get #length(): number {
    return this.#end - this.#start;
  }

  #cut(length: number, skipped = 0): Buffer {
    const start = this.#start;
    this.#start += length + skipped;
    return Buffer.from(this.#bytes.subarray(start, start + length));
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done) return false;
    if (this.#length > maxFrameBytes) throw new FeedError("TOO_LARGE");
    if (this.#end + value.length > this.#bytes.length) {
      const needed = this.#length + value.length;
      const to = needed > this.#bytes.length ? Buffer.alloc(needed * 2) : this.#bytes;
      this.#end = this.#bytes.copy(to, 0, this.#start, this.#end);
      this.#start = 0;
      this.#bytes = to;
    }
    this.#end += value.copy(this.#bytes, this.#end);
    return true;
  }
}
