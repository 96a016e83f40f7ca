import { Transform, type TransformCallback } from "node:stream";
import { errorOf } from "../../../platform/thrown.js";
import { FeedError } from "../feed-error.js";

export interface RtspMessage {
  status: number | undefined;
  start: string;
  headers: [name: string, value: string][];
  /** The bytes of a body as characters. */
  body: string;
}

const maxHeadBytes = 16 * 1024;
/** Descriptions of streams have some kilobytes. */
const maxBodyBytes = 256 * 1024;

const dollar = 0x24;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;
/** The bytes of a frame before its payload: a dollar, a channel and the length. */
const frameHead = 4;
/** No packet of RTP or RTCP is shorter. */
const leastPayload = 8;

/**
 * Reads what a camera sends over RTSP, on the way to ffmpeg, or the other way. Frames of video pass as they come.
 * Messages are read strictly and written anew, so that the other side can read nothing else in them than what was
 * judged here.
 */
export class RtspMessages extends Transform {
  readonly #judge: (message: RtspMessage) => RtspMessage | undefined;
  /** The beginning of a message or frame whose rest has not arrived. */
  #held: Buffer = Buffer.alloc(0);
  /** The number of bytes until the end of the frame or body. */
  #left = 0;
  /** A message whose body has not arrived as a whole. */
  #unfinished: UnfinishedMessage | undefined;

  /** `judge` may change a message, withhold it by returning undefined, or fail with {@link FeedError}. */
  constructor(judge: (message: RtspMessage) => RtspMessage | undefined) {
    super();
    this.#judge = judge;
  }

  override _transform(received: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    try {
      this.#read(this.#held.length > 0 ? Buffer.concat([this.#held, received]) : received);
      callback();
    } catch (error) {
      callback(errorOf(error));
    }
  }

  #read(bytes: Buffer): void {
    this.#held = Buffer.alloc(0);
    for (let at = 0; at < bytes.length; ) {
      if (this.#unfinished) at = this.#readBody(this.#unfinished, bytes, at);
      else {
        at = this.#passFrames(bytes, at);
        if (at < bytes.length) at = this.#readMessage(bytes, at);
      }
    }
  }

  /** Passes on frames that follow each other, as one. Returns where something else begins. */
  #passFrames(bytes: Buffer, start: number): number {
    let at = start;
    while (at < bytes.length) {
      if (this.#left === 0) this.#left = frameLength(bytes, at);
      if (this.#left === 0) break;
      const end = Math.min(at + this.#left, bytes.length);
      this.#left -= end - at;
      at = end;
    }
    if (at > start) this.push(bytes.subarray(start, at));
    return at;
  }

  /** Reads what is no frame to pass on. Returns where the next one may begin. */
  #readMessage(bytes: Buffer, at: number): number {
    // Some cameras send more line ends than they count.
    if (bytes[at] === carriageReturn || bytes[at] === lineFeed) return at + 1;
    const isFrame = bytes[at] === dollar;
    const end = isFrame ? endOfFrame(bytes, at) : endOfHead(bytes, at);
    if (end === undefined) {
      this.#held = bytes.subarray(at);
      return bytes.length;
    }
    if (!isFrame) this.#begin(parseMessage(bytes.toString("latin1", at, end)));
    return end;
  }

  #begin(message: RtspMessage): void {
    this.#left = contentLength(message);
    if (this.#left > 0) this.#unfinished = { message, parts: [] };
    else this.#pass(message);
  }

  /** Reads more of a body. Returns where it ends, at most. */
  #readBody({ message, parts }: UnfinishedMessage, bytes: Buffer, start: number): number {
    const part = bytes.subarray(start, start + this.#left);
    parts.push(part);
    this.#left -= part.length;
    if (this.#left === 0) {
      this.#unfinished = undefined;
      this.#pass({ ...message, body: Buffer.concat(parts).toString("latin1") });
    }
    return start + part.length;
  }

  #pass(message: RtspMessage): void {
    const judged = this.#judge(message);
    if (judged) this.push(writtenMessage(judged));
  }
}

interface UnfinishedMessage {
  message: RtspMessage;
  parts: Buffer[];
}

export function writtenMessage({ start, headers, body }: RtspMessage): Buffer {
  const kept = headers.filter(([name]) => name.toLowerCase() !== "content-length");
  if (body !== "") kept.push(["Content-Length", String(body.length)]);
  const lines = [start, ...kept.map(([name, value]) => `${name}: ${value}`), "", body];
  return Buffer.from(lines.join("\r\n"), "latin1");
}

/** The length of the frame that begins here; 0 if none does that may be passed on. */
function frameLength(bytes: Buffer, at: number): number {
  if (bytes[at] !== dollar || at + frameHead > bytes.length) return 0;
  const payload = bytes.readUInt16BE(at + 2);
  // ffmpeg would read the payload of shorter ones as text.
  return payload < leastPayload ? 0 : frameHead + payload;
}

/** Where a frame ends that is not passed on; undefined if it has not arrived. */
function endOfFrame(bytes: Buffer, at: number): number | undefined {
  const end = at + frameHead > bytes.length ? Infinity : at + frameHead + bytes.readUInt16BE(at + 2);
  return end > bytes.length ? undefined : end;
}

/** Where the head of a message ends; undefined if it has not arrived. */
function endOfHead(bytes: Buffer, start: number): number | undefined {
  for (let at = bytes.indexOf(lineFeed, start); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    const next = bytes[at + 1] === carriageReturn ? at + 2 : at + 1;
    if (next - start > maxHeadBytes) break;
    if (bytes[next] === lineFeed) return next + 1;
  }
  if (bytes.length - start > maxHeadBytes) throw new FeedError("UNSUPPORTED");
  return undefined;
}

function parseMessage(head: string): RtspMessage {
  const [start = "", ...lines] = head.trimEnd().split(/\r?\n/);
  const [, status, reason = ""] = /^RTSP\/\d\.\d +(\d{3})(?: +(.*))?$/is.exec(start) ?? [];
  const [, method, target] = /^([A-Z_]+) +([^ ]+) +RTSP\/\d\.\d$/.exec(start) ?? [];
  // Whatever this is, it is no camera.
  if (status === undefined && method === undefined) throw new FeedError("UNSUPPORTED");
  return {
    status: status === undefined ? undefined : Number(status),
    start: printable(status === undefined ? `${method} ${target} RTSP/1.0` : `RTSP/1.0 ${status} ${reason}`),
    headers: lines.flatMap((line): [string, string][] => {
      const [, name, value = ""] = /^([\w.-]+)[ \t]*:[ \t]*(.*)$/s.exec(line) ?? [];
      return name === undefined ? [] : [[name, printable(value)]];
    }),
    body: "",
  };
}

/** Leaves no character of a line that might end it. */
const printable = (text: string) => text.replace(/[^\x20-\x7e\x80-\xff]/g, "");

function contentLength({ headers }: RtspMessage): number {
  const lengths = headers
    .filter(([name]) => name.toLowerCase() === "content-length")
    .map(([, value]) => value);
  const [length = "0"] = lengths;
  if (lengths.some((each) => each !== length) || !/^\d{1,9} *$/.test(length))
    throw new FeedError("UNSUPPORTED");
  if (Number(length) > maxBodyBytes) throw new FeedError("TOO_LARGE");
  return Number(length);
}
