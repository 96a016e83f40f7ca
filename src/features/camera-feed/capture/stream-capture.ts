import path from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Size } from "../../../platform/geometry.js";
import { FeedError } from "../feed-error.js";
import {
  copyParameters,
  liveParameters,
  maxFrameBytes,
  maxPixelRatio,
  packetInput,
  pictureParameters,
  probeParameters,
  scriptInput,
} from "../relays/media-parameters.js";
import type { RelayedStream, StreamRelays } from "../relays/stream-relay.js";
import { failureCode } from "./failure-code.js";
import { LatestFrame } from "./latest-frame.js";
import { type Command, MediaProgram } from "./media-program.js";
import { MultipartFrames } from "./multipart-frames.js";
import { streamOptions } from "./stream-options.js";

/** A time limit that can begin anew. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(milliseconds: number) {
    this.#timer = setTimeout(() => this.#controller.abort(), milliseconds);
  }

  /** Aborted once the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    this.#timer.refresh();
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

/**
 * A script for ffmpeg's demuxer `concat` that opens one URL with options. It is read from standard input, so that no
 * list of processes shows the URL's password.
 */
export function concatScript(url: string, options: Readonly<Record<string, string>>): string {
  // Between quotes, everything but a quote is literal.
  const quoted = url.replaceAll("'", "%27");
  const values = Object.entries(options);
  if ([url, ...values.flat()].some((text) => /[\0\r\n]/.test(text)))
    throw new Error("A script for ffmpeg cannot hold line ends");
  return [
    "ffconcat version 1.0",
    `file '${quoted}'`,
    ...values.map(([name, value]) => `option ${name} '${value.replaceAll("'", "'\\''")}'`),
    "",
  ].join("\n");
}

const scriptFor = ({ url, options }: RelayedStream, silence: number) =>
  concatScript(url, { ...streamOptions(url, silence), ...options });

/** The width and height of a JPEG, from the segment that begins its frame. */
export function jpegSize(jpeg: Buffer): Size {
  // Each segment has a marker and its length. ffmpeg writes frames of the first three kinds.
  for (let at = 2; at + 9 <= jpeg.length && jpeg[at] === 0xff; at += 2 + jpeg.readUInt16BE(at + 2)) {
    const marker = jpeg.readUInt8(at + 1);
    if (marker >= 0xc0 && marker <= 0xc2)
      return { width: jpeg.readUInt16BE(at + 7), height: jpeg.readUInt16BE(at + 5) };
  }
  throw new Error("ffmpeg wrote a frame without a size");
}

export interface CapturedPicture {
  jpeg: Buffer;
  width: number;
  height: number;
  takenAt: Date;
}

/** Times in milliseconds. */
export interface CaptureTimes {
  /** The wall time of a probe or a picture, and that in which a live view needs a frame. */
  limit: number;
  /** The time for which a camera may send nothing before ffmpeg gives it up. */
  silence: number;
}

const defaultTimes: CaptureTimes = { limit: 20_000, silence: 10_000 };
const maxPixels = 50_000_000;
const maxMetadataBytes = 64 * 1024;
/** The least time between two frames of a live view. */
const frameInterval = 200;
/** Decoders give way to the gateway and to what copies, and live views, which decode all the time, to pictures. */
const [pictureNiceness, liveNiceness] = [10, 19];
/** The niceness of what copies packets. */
export const copyNiceness = 5;

/** A stream by its URL, or packets of one as {@link StreamCapture.copyPackets} gives them. */
type MediaSource = string | Iterable<Buffer> | AsyncIterable<Buffer>;

const inputFor = (source: MediaSource) => (typeof source === "string" ? scriptInput : packetInput);

/**
 * Reads streams with ffmpeg: a process for each probe, picture, live view or copy, which ends in time. Fails with
 * {@link FeedError}, or with the reason of an aborted signal.
 */
export class StreamCapture {
  readonly #ffmpegPath: string;
  readonly #relays: StreamRelays;
  readonly #times: CaptureTimes;

  /** ffprobe lies beside ffmpeg. */
  constructor(options: { ffmpegPath: string; relays: StreamRelays; times?: Partial<CaptureTimes> }) {
    this.#ffmpegPath = options.ffmpegPath;
    this.#relays = options.relays;
    this.#times = { ...defaultTimes, ...options.times };
  }

  probe(source: MediaSource, signal: AbortSignal): Promise<Record<string, unknown>> {
    const ffprobe = path.join(path.dirname(this.#ffmpegPath), "ffprobe");
    return this.#read(source, signal, [ffprobe, ...probeParameters(inputFor(source))], async (output) => {
      const streams = readStreams(await readText(output));
      if (streams?.length === 0) throw new FeedError("NO_VIDEO");
      const [video] = streams ?? [];
      if (!video || !(video.width > 0 && video.height > 0)) return undefined;
      const {
        sample_aspect_ratio: _ratio,
        side_data_list: _sides,
        ...metadata
      } = { ...video, ...shownSize(video) };
      assertAllowedSize(metadata);
      return metadata;
    });
  }

  /** Takes the first key frame: a picture that needs none before it. */
  takePicture(source: MediaSource, signal: AbortSignal): Promise<CapturedPicture> {
    const command: Command = [this.#ffmpegPath, ...pictureParameters(inputFor(source))];
    return this.#read(source, signal, command, async (output) => {
      for await (const jpeg of framesOf(output)) {
        const size = jpegSize(jpeg);
        assertAllowedSize(size);
        return { jpeg, ...size, takenAt: new Date() };
      }
      return undefined;
    });
  }

  /**
   * Reads JPEG frames, at most 5 a second and at most 1280 pixels wide, until the signal is aborted. A slow
   * reader gets the newest frame. Fails once the stream ends. What arrives in bursts is to be paced.
   */
  async *readFrames(
    source: MediaSource,
    signal: AbortSignal,
    isPaced = typeof source === "string" && source.startsWith("http"),
  ): AsyncGenerator<Buffer, void, undefined> {
    const left = new AbortController();
    const latest = new LatestFrame();
    const reading = this.#read<never>(
      source,
      AbortSignal.any([signal, left.signal]),
      [this.#ffmpegPath, ...liveParameters(inputFor(source), isPaced)],
      async (output, deadline) => {
        for await (const frame of framesOf(output)) {
          latest.put(frame);
          deadline.restart();
        }
        return undefined;
      },
      liveNiceness,
    ).catch((error) => latest.fail(error));
    try {
      for (;;) {
        const frame = await latest.take();
        const next = sleep(frameInterval, undefined, { signal });
        // The reader may leave before it asks again.
        next.catch(() => {});
        yield frame;
        await next;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      left.abort();
      await reading;
    }
  }

  /**
   * Gives a stream's packets to a function as they come, as fragmented MP4, until that returns false. Fails once the
   * stream ends.
   */
  async copyPackets(url: string, signal: AbortSignal, take: (piece: Buffer) => boolean): Promise<void> {
    const command: Command = [this.#ffmpegPath, ...copyParameters];
    const copy = async (output: Readable, deadline: Deadline) => {
      for await (const piece of output) {
        if (!take(piece)) return true;
        deadline.restart();
      }
      return undefined;
    };
    await this.#read(url, signal, command, copy, copyNiceness);
  }

  /**
   * Runs a program on a stream. `find` finds the result in what the program writes; where it finds none, the stream
   * failed, whatever the program's exit code is.
   */
  async #read<Result>(
    source: MediaSource,
    signal: AbortSignal,
    command: Command,
    find: (output: Readable, deadline: Deadline) => Promise<Result | undefined>,
    niceness = pictureNiceness,
  ): Promise<Result> {
    signal.throwIfAborted();
    const deadline = new Deadline(this.#times.limit);
    const { silence } = this.#times;
    try {
      const stream = typeof source === "string" ? await this.#relays.open(source) : undefined;
      try {
        const startedAt = performance.now();
        const program = new MediaProgram(command, stream ? scriptFor(stream, silence) : source, niceness);
        const found = await finish(program, signal, deadline, (output) => find(output, deadline));
        if ("result" in found) return found.result;
        const wasSilent =
          deadline.signal.aborted || stream?.isWaiting || performance.now() - startedAt >= silence;
        throw new FeedError(failureCode(found.errors, wasSilent));
      } catch (error) {
        // The program misses what the relay refused, or was refused, and does not know why.
        const isMissing = error instanceof FeedError && error.code !== "TOO_LARGE";
        throw isMissing && stream?.failure ? new FeedError(stream.failure) : error;
      } finally {
        await stream?.close();
      }
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      deadline.clear();
    }
  }
}

/** What a function found in a program's output; otherwise, the program's errors. */
type Found<Result> = { result: Result } | { errors: string };

/** Lets a function read a program's output, and ends the program, in time. */
async function finish<Result>(
  program: MediaProgram,
  signal: AbortSignal,
  deadline: Deadline,
  find: (output: Readable) => Promise<Result | undefined>,
): Promise<Found<Result>> {
  const stop = () => program.stop();
  const kill = () => program.kill();
  signal.addEventListener("abort", stop);
  deadline.signal.addEventListener("abort", kill);
  if (signal.aborted) stop();
  if (deadline.signal.aborted) kill();
  try {
    const result = await find(program.output);
    return result === undefined ? { errors: await program.ended } : { result };
  } finally {
    stop();
    await program.ended.finally(() => {
      signal.removeEventListener("abort", stop);
      deadline.signal.removeEventListener("abort", kill);
    });
  }
}

function assertAllowedSize({ width, height }: Size): void {
  if (width * height > maxPixels) throw new FeedError("TOO_LARGE");
}

async function* framesOf(output: Readable): AsyncGenerator<Buffer> {
  const frames = new MultipartFrames(maxFrameBytes);
  for await (const piece of output) yield* frames.read(piece);
}

/** A stream in the output of ffprobe. */
interface ProbedStream extends Record<string, unknown> {
  width: number;
  height: number;
  display_aspect_ratio?: string;
  sample_aspect_ratio?: string;
  side_data_list?: { rotation?: number }[];
}

/** A stream's size as its pictures have it: upright, and of square pixels. */
function shownSize(stream: ProbedStream): Size & { display_aspect_ratio?: string } {
  const { width, height, display_aspect_ratio = "", sample_aspect_ratio = "", side_data_list = [] } = stream;
  const isRotated = side_data_list.some(({ rotation = 0 }) => Math.abs(rotation) % 180 === 90);
  const rotated = <Value>(pair: Value[]) => (isRotated ? pair.reverse() : pair);
  const [columns, lines] = isRotated ? [height, width] : [width, height];
  const [across, down] = rotated(sample_aspect_ratio.split(":").map(Number));
  const ratio = across && down ? across / down : 1;
  const isBelieved = ratio >= 1 / maxPixelRatio && ratio <= maxPixelRatio;
  return {
    width: isBelieved ? Math.max(1, Math.round(columns * ratio)) : columns,
    height: lines,
    ...(display_aspect_ratio && { display_aspect_ratio: rotated(display_aspect_ratio.split(":")).join(":") }),
  };
}

/** The streams that ffprobe tells; undefined if it could not open any, or was ended. */
function readStreams(text: string): ProbedStream[] | undefined {
  try {
    return JSON.parse(text).streams;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function readText(output: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of output) {
    size += piece.length;
    if (size > maxMetadataBytes) throw new FeedError("TOO_LARGE");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
