import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { ServiceError } from "../errors/errors.js";
import type { Size } from "../geometry.js";
import { builtFile } from "../project-files.js";
import { codeOf } from "../thrown.js";
import { checkMp4, unsupportedMp4 } from "./mp4-boxes.js";

const program = builtFile("src/platform/media/rewrite-thread.js", "dist/media/rewrite-thread.js");
const timeoutMs = 60_000;
const maxHeapMb = 128;

/** What of an MP4 to keep, in seconds by the timestamps of its frames, and how much that may be. */
export interface Mp4Range {
  from?: number;
  until?: number;
  maxSeconds?: number;
}

/** An MP4 as it was written, with the size in which it is shown. */
export interface RewrittenMp4 extends Size {
  /** ffmpeg's name of the codec. */
  codec: "h264" | "hevc" | "av1";
  /** In seconds. */
  duration: number;
  /** The timestamp that its first frame had in the source, in seconds. In the file, it is 0. */
  firstTimestamp: number;
  /** In bytes. */
  size: number;
}

const tooSlow = () =>
  new ServiceError("UNAVAILABLE", "Reading the clip took too long; it is safe to retry", { retryAfter: 5 });

type Outcome = RewrittenMp4 | { refusal: "too long" | "unreadable" };

/**
 * Writes the H.264, H.265 or AV1 video of an MP4, fragmented or not, to a file that plays while it loads: whole groups
 * of pictures as they are, without sound and metadata. The sources are read as if they were one file, such as the first
 * boxes of a stream and fragments from anywhere in it. UNSUPPORTED_MEDIA_TYPE for anything else, PAYLOAD_TOO_LARGE for
 * what is too long. Whatever the content, it takes bounded memory and time.
 */
export async function rewriteMp4(
  sources: readonly string[],
  target: string,
  range: Mp4Range = {},
  signal = new AbortController().signal,
): Promise<RewrittenMp4> {
  const samples = await checkMp4(sources);
  const thread = new Worker(program, {
    workerData: { sources, target, samples, ...range },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  });
  try {
    const ending = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const message = once(thread, "message", { signal: ending }) as Promise<[Outcome]>;
    const [outcome] = await message.catch((error) => {
      if (codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY") throw unsupportedMp4("its video cannot be read");
      throw ending.aborted && !signal.aborted ? tooSlow() : error;
    });
    if (!("refusal" in outcome)) return outcome;
    throw outcome.refusal === "too long"
      ? new ServiceError("PAYLOAD_TOO_LARGE", `The clip is longer than ${range.maxSeconds} seconds`)
      : unsupportedMp4("its video cannot be read");
  } finally {
    await thread.terminate();
  }
}
