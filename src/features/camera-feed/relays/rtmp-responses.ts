import { Transform, type TransformCallback } from "node:stream";

/** A version, and two blocks of the handshake. */
const handshakeBytes = 1 + 2 * 1536;
/** Servers say within the first kilobytes whether they play a stream. */
const maxReadBytes = 64 * 1024;
const maxMessageBytes = 8 * 1024;

/** The kinds of messages that are read. */
const setChunkSize = 1;
const command = 20;

interface ChunkStream {
  length: number;
  type: number;
  /** What has arrived of the current message. */
  parts: Buffer[];
  received: number;
  isExtended: boolean;
}

/**
 * Reads the commands with which an RTMP server begins. Nothing is held back, as ffmpeg follows no redirects of RTMP.
 */
export class RtmpResponses extends Transform {
  readonly #onCommand: (text: string) => void;
  readonly #streams = new Map<number, ChunkStream>();
  #held: Buffer | undefined = Buffer.alloc(0);
  #chunkSize = 128;
  #toSkip = handshakeBytes;
  #read = 0;

  /** `onCommand` gets the bytes of a command as text. */
  constructor(onCommand: (text: string) => void) {
    super();
    this.#onCommand = onCommand;
  }

  override _transform(received: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    if (this.#held) {
      this.#read += received.length;
      const rest = this.#readChunks(Buffer.concat([this.#held, received]));
      this.#held = this.#read > maxReadBytes ? undefined : rest;
    }
    callback(null, received);
  }

  /** Returns what is left of a chunk; undefined if there is nothing more to read. */
  #readChunks(bytes: Buffer): Buffer | undefined {
    const skipped = Math.min(this.#toSkip, bytes.length);
    this.#toSkip -= skipped;
    let at = skipped;
    while (at < bytes.length) {
      const next = this.#readChunk(bytes, at);
      if (next === "incomplete") return bytes.subarray(at);
      if (next === "unreadable") return undefined;
      at = next;
    }
    return Buffer.alloc(0);
  }

  /** Returns where the next chunk begins. */
  #readChunk(bytes: Buffer, start: number): number | "incomplete" | "unreadable" {
    const format = bytes.readUInt8(start) >> 6;
    let id = bytes.readUInt8(start) & 63;
    // Larger numbers of chunk streams follow in one or two bytes.
    const idBytes = id < 2 ? id + 1 : 0;
    const headBytes = [11, 7, 3, 0][format] ?? 0;
    let at = start + 1 + idBytes;
    if (at + headBytes > bytes.length) return "incomplete";
    if (idBytes > 0) id = 64 + bytes.readUIntLE(start + 1, idBytes);
    const before = this.#streams.get(id);
    if (!before && format !== 0) return "unreadable";
    const stream = before ?? { length: 0, type: 0, parts: [], received: 0, isExtended: false };
    this.#streams.set(id, stream);
    if (format < 3) stream.isExtended = bytes.readUIntBE(at, 3) === 0xffffff;
    if (format < 2) {
      stream.length = bytes.readUIntBE(at + 3, 3);
      stream.type = bytes.readUInt8(at + 6);
    }
    at += headBytes + (stream.isExtended ? 4 : 0);
    const size = Math.min(this.#chunkSize, stream.length - stream.received);
    if (stream.length > maxMessageBytes) return "unreadable";
    if (at + size > bytes.length) return "incomplete";
    stream.parts.push(bytes.subarray(at, at + size));
    stream.received += size;
    if (stream.received === stream.length) {
      this.#readMessage(stream.type, Buffer.concat(stream.parts));
      stream.parts = [];
      stream.received = 0;
    }
    return at + size;
  }

  #readMessage(type: number, message: Buffer): void {
    if (type === setChunkSize && message.length >= 4)
      this.#chunkSize = Math.max(1, message.readUInt32BE() & 0x7fffffff);
    if (type === command) this.#onCommand(message.toString("latin1"));
  }
}
