import { EventEmitter, once } from "node:events";
import { closeSync, copyFileSync, openSync, readSync, rmSync, writeFileSync, writevSync } from "node:fs";
import path from "node:path";
import pLimit from "p-limit";
import { defined } from "../../../platform/defined.js";
import { rewriteMp4 } from "../../../platform/media/rewrite-mp4.js";
import type { CapturedPicture, StreamCapture } from "../capture/stream-capture.js";
import { FeedError } from "../feed-error.js";
import type { ClipRange, RecordedClip, RingLimits, RingStatus } from "./camera-ring.js";
import { type PacketFragment, PacketFragments, PacketStart } from "./packet-fragments.js";

/** How long a segment of several groups of pictures is, at most, in milliseconds. It has less if it has its share of the bytes. */
const segmentMs = 2_000;
const segmentShare = 1 / 8;
/** A stream whose parameters change more often is given up. */
const steadyMs = 10_000;
/** How far the times of frames may be from those of their arrival. HTTP brings segments as a whole. */
const [maxOffMs, maxOffOverHttpMs] = [1_000, 15_000];
/** How much of a stream's beginning may come in a burst, and how much faster than it was filmed that is. */
const [maxBurstMs, burstSpeed] = [20_000, 8];
/** More fragments in a time are no video, and would keep other rings waiting. */
const [countedMs, maxCounted] = [10_000, 2_000];
/** How long a clip waits for the end of its last group of pictures, in milliseconds. Longer ones are cut. */
const lastGroupMs = 10_000;
/** How often the gateway is told what is kept. */
const tellingMs = 1_000;
/** What is read of a file at once. */
const maxReadBytes = 1024 * 1024;

/** The clips that a process writes at once. Those that wait for their end do not count. */
const writings = pLimit(2);

const clipCodecs: ReadonlySet<string> = new Set(["h264", "hevc", "av1"]);

/** A group of pictures. Times are by `performance.now()`, which nobody sets. */
interface Group {
  segment: Segment;
  startsAt: number;
  /** The time of its first frame in the file, in seconds. */
  seconds: number;
  offset: number;
  /** The length of the fragment with its key frame. */
  keyBytes: number;
}

/** A file of whole groups of pictures. */
interface Segment {
  file: string;
  bytes: number;
  startsAt: number;
  endsAt: number;
  groups: Group[];
  /** Whether clips alone need it. */
  isHeld: boolean;
}

/** What a clip needs. */
interface Hold {
  from: number;
  until: number;
  /** Whether all of it is there. It may still wait for others to be written. */
  isComplete: boolean;
  isWriting: boolean;
}

interface StreamRingOptions {
  capture: StreamCapture;
  url: string;
  limits: RingLimits;
  onChange: (status: RingStatus) => void;
}

/** The ring of one stream. */
export class StreamRing {
  readonly #options: StreamRingOptions;
  /** Emits `change` when something has arrived, and at any end. */
  readonly #events = new EventEmitter().setMaxListeners(0);
  readonly #holds = new Set<Hold>();
  #segments: Segment[] = [];
  /** The file of the last segment. */
  #descriptor: number | undefined;
  #fileCount = 0;
  #start: PacketStart | undefined;
  #parameterSets: Buffer = Buffer.alloc(0);
  #failure: unknown;
  #beganAt = 0;
  /** When the last fragment ended, and its end in the file, in ticks. */
  #endedAt = 0;
  #ticks = 0;
  #counted = { since: 0, fragments: 0 };
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(options: StreamRingOptions) {
    this.#options = options;
  }

  /** Keeps the last seconds until the signal is aborted. Fails once the stream has ended and the last clip is written. */
  async run(signal: AbortSignal): Promise<never> {
    const { capture, url } = this.#options;
    const holds = (isAny: boolean) => [...this.#holds].some(({ isComplete }) => isAny || isComplete);
    try {
      for (;;) {
        const openedAt = performance.now();
        const fragments = new PacketFragments();
        const take = (piece: Buffer) => fragments.read(piece).every((part) => this.#take(part));
        await capture.copyPackets(url, signal, take);
        while (holds(false)) await once(this.#events, "change");
        this.#forget();
        if (performance.now() - openedAt < steadyMs) throw new FeedError("UNSUPPORTED");
      }
    } catch (error) {
      this.#failure = error;
      this.#events.emit("change");
      while (holds(true)) await once(this.#events, "change");
      this.#forget();
      throw error;
    }
  }

  async takePicture(at: Date | undefined, signal: AbortSignal): Promise<CapturedPicture> {
    const groups = await this.#groups(signal);
    const time = at ? timeOf(at) : this.#endedAt;
    const distance = ({ startsAt }: Group) => Math.abs(startsAt - time);
    const nearest = defined(groups.sort((one, other) => distance(one) - distance(other))[0]);
    const picture = await this.#options.capture.takePicture(this.#keyFrame(nearest), signal);
    return { ...picture, takenAt: dateOf(nearest.startsAt) };
  }

  async probe(signal: AbortSignal): Promise<Record<string, unknown>> {
    const newest = defined((await this.#groups(signal)).at(-1));
    const metadata = await this.#options.capture.probe(this.#keyFrame(newest), signal);
    // These tell of the packets that were read, not of the stream.
    const { duration, duration_ts, bit_rate, nb_frames, ...lasting } = metadata;
    return lasting;
  }

  readFrames(signal: AbortSignal): AsyncIterable<Buffer> {
    const { capture, url } = this.#options;
    return capture.readFrames(this.#follow(signal), signal, url.startsWith("http"));
  }

  async recordClip(range: ClipRange, file: string, signal: AbortSignal): Promise<RecordedClip> {
    const [from, until] = [timeOf(range.from), timeOf(range.until)];
    const hold: Hold = { from, until, isComplete: false, isWriting: false };
    this.#holds.add(hold);
    const change = () => void this.#events.emit("change");
    const timer = setTimeout(change, hold.until + lastGroupMs - performance.now());
    try {
      while (!this.#isComplete(hold)) await once(this.#events, "change", { signal });
      hold.isComplete = true;
      return await writings(() => {
        signal.throwIfAborted();
        hold.isWriting = true;
        return this.#writeClip(hold, file, signal);
      });
    } finally {
      clearTimeout(timer);
      this.#holds.delete(hold);
      this.#dropUnwanted();
      change();
    }
  }

  #isComplete({ until }: Hold): boolean {
    const newest = this.#segments.at(-1)?.groups.at(-1)?.startsAt ?? 0;
    return this.#failure !== undefined || newest >= until || performance.now() >= until + lastGroupMs;
  }

  async #writeClip(hold: Hold, file: string, signal: AbortSignal): Promise<RecordedClip> {
    const segments = this.#segments.filter((segment) => isWanted(segment, hold));
    const groups = segments.flatMap((segment) => segment.groups);
    const from = groups.findLastIndex(({ startsAt }) => startsAt <= hold.from);
    const last = groups.findLastIndex(({ startsAt }) => startsAt < hold.until);
    const first = groups[Math.max(from, 0)];
    if (this.#start && !clipCodecs.has(this.#start.codec)) throw new FeedError("UNSUPPORTED");
    if (!first) throw new FeedError("TIMEOUT");
    // Frames are shown later than they are decoded, but in the same half of their group.
    const middle = (index: number) =>
      ((groups[index]?.seconds ?? 0) + (groups[index + 1]?.seconds ?? Number.POSITIVE_INFINITY)) / 2;
    // The last segment may be written to meanwhile.
    const files = [this.#startFile, ...segments.map((segment) => segment.file)];
    const copy = this.#newFile();
    copyFileSync(defined(files.pop()), copy);
    try {
      const range = { from: middle(Math.max(from, 0)), until: middle(last) };
      const clip = await rewriteMp4([...files, copy], file, range, signal);
      return { ...clip, startsAt: dateOf(first.startsAt) };
    } finally {
      rmSync(copy, { force: true });
    }
  }

  /** Takes what has arrived. Returns false if the stream is to be opened anew. */
  #take(part: PacketStart | PacketFragment): boolean {
    if (part instanceof PacketStart) {
      this.#start = part;
      this.#parameterSets = Buffer.alloc(0);
      this.#ticks = 0;
      writeFileSync(this.#startFile, part.bytes);
      return true;
    }
    const { codec, timescale } = defined(this.#start);
    const sets = part.isKey ? part.parameterSets(codec) : Buffer.alloc(0);
    if (sets.length > 0) {
      if (this.#parameterSets.length > 0 && !sets.equals(this.#parameterSets)) return false;
      this.#parameterSets = sets;
    }
    const now = performance.now();
    if (now >= this.#counted.since + countedMs) this.#counted = { since: now, fragments: 0 };
    this.#counted.fragments += 1;
    if (this.#counted.fragments > maxCounted) throw new FeedError("TOO_LARGE");
    this.#keep(part, this.#timeAt(part, now, 1000 / timescale), part.moveTo(this.#ticks) / timescale);
    this.#ticks += part.duration;
    return true;
  }

  /** Returns when a fragment began. Corrects its duration if the camera's clock has jumped, or goes wrong. */
  #timeAt(part: PacketFragment, now: number, tickMs: number): number {
    const declared = part.duration * tickMs;
    if (this.#ticks === 0) this.#beganAt = this.#endedAt = now - Math.min(declared, maxBurstMs);
    const elapsed = now - this.#endedAt;
    const behind = now - declared - (this.#beganAt + this.#ticks * tickMs);
    // At first, what ffmpeg or the camera has held back arrives at once.
    const isBurst =
      this.#ticks * tickMs < maxBurstMs && declared < maxOffMs && elapsed * burstSpeed < declared;
    if (isBurst && behind < 0) this.#beginEarlier(-behind);
    // A fragment is written when the frame behind it has arrived.
    const startsAt = Math.min(this.#endedAt, this.#beganAt + this.#ticks * tickMs);
    const maxOff = this.#options.url.startsWith("http") ? maxOffOverHttpMs : maxOffMs;
    if (behind > maxOff) part.spread((declared + behind) / tickMs);
    else if (behind < -maxOff && !isBurst) part.spread(elapsed / tickMs);
    this.#endedAt = now;
    return startsAt;
  }

  #beginEarlier(milliseconds: number): void {
    this.#beganAt -= milliseconds;
    for (const segment of this.#segments)
      for (const each of [segment, ...segment.groups]) each.startsAt -= milliseconds;
  }

  #keep(part: PacketFragment, startsAt: number, seconds: number): void {
    const { limits } = this.#options;
    const last = this.#segments.at(-1);
    // Another group of pictures is probably as long as the one before.
    const groupMs = startsAt - (last?.groups.at(-1)?.startsAt ?? startsAt);
    const isEnough =
      !last || startsAt + groupMs - last.startsAt > segmentMs || last.bytes >= limits.maxBytes * segmentShare;
    const segment = part.isKey && isEnough ? this.#begin(startsAt) : defined(last);
    if (part.isKey)
      segment.groups.push({ segment, startsAt, seconds, offset: segment.bytes, keyBytes: part.length });
    this.#write(segment, part);
    segment.bytes += part.length;
    segment.endsAt = this.#endedAt;
    this.#limit();
    this.#tell();
    this.#events.emit("change");
  }

  #begin(startsAt: number): Segment {
    const segment = {
      file: this.#newFile(),
      bytes: 0,
      startsAt,
      endsAt: startsAt,
      groups: [],
      isHeld: false,
    };
    this.#closeFile();
    this.#segments.push(segment);
    return segment;
  }

  /** Writes at the end of the last segment. While the disk is full, the oldest ones go. */
  #write({ file, bytes }: Segment, part: PacketFragment): void {
    for (;;) {
      try {
        this.#descriptor ??= openSync(file, "w");
        if (writevSync(this.#descriptor, part.parts, bytes) === part.length) return;
      } catch {
        // As if it had written less.
      }
      const [oldest, next] = this.#segments;
      if (!oldest || !next) throw new FeedError("UNKNOWN");
      this.#remove(oldest);
    }
  }

  #limit(): void {
    const { seconds, maxBytes } = this.#options.limits;
    for (;;) {
      const kept = this.#segments.filter(({ isHeld }) => !isHeld);
      const [oldest, next] = kept;
      const isFull = bytesOf(kept) > maxBytes;
      if (!oldest || !(isFull || (next && next.startsAt <= this.#endedAt - seconds * 1000))) break;
      if (!next) throw new FeedError("TOO_LARGE");
      const held = bytesOf(this.#segments) - bytesOf(kept) + oldest.bytes;
      for (const hold of this.#holds)
        if (held > maxBytes && !hold.isWriting && isWanted(oldest, hold)) hold.until = oldest.startsAt;
      oldest.isHeld = true;
    }
    this.#dropUnwanted();
  }

  #dropUnwanted(): void {
    for (const segment of this.#segments)
      if (segment.isHeld && ![...this.#holds].some((hold) => isWanted(segment, hold))) this.#remove(segment);
  }

  #remove(segment: Segment): void {
    this.#segments = this.#segments.filter((each) => each !== segment);
    rmSync(segment.file, { force: true });
  }

  #forget(): void {
    this.#closeFile();
    for (const segment of this.#segments) this.#remove(segment);
    this.#toldAt = Number.NEGATIVE_INFINITY;
    this.#tell();
    this.#events.emit("change");
  }

  #newFile(): string {
    this.#fileCount += 1;
    return path.join(this.#options.limits.directory, `${this.#fileCount}.mp4`);
  }

  #closeFile(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #tell(): void {
    if (!this.#start || performance.now() < this.#toldAt + tellingMs) return;
    this.#toldAt = performance.now();
    const first = this.#segments.find(({ isHeld }) => !isHeld);
    const span = first && { startsAt: dateOf(first.startsAt), endsAt: dateOf(this.#endedAt) };
    this.#options.onChange({ codec: this.#start.codec, span });
  }

  get #startFile(): string {
    return path.join(this.#options.limits.directory, "start.mp4");
  }

  /** Waits for the first group of pictures. Fails once the ring has ended. */
  async #groups(signal: AbortSignal): Promise<Group[]> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      const groups = this.#segments.flatMap((segment) => segment.groups);
      if (groups.length > 0) return groups;
      await once(this.#events, "change", { signal });
    }
  }

  #keyFrame({ segment, offset, keyBytes }: Group): Buffer[] {
    return [defined(this.#start).bytes, readBytes(segment.file, offset, keyBytes)];
  }

  /** The packets from the last key frame on. A reader that is too slow misses some segments. */
  async *#follow(signal: AbortSignal): AsyncGenerator<Buffer> {
    let { segment, offset } = defined((await this.#groups(signal)).at(-1));
    const start = defined(this.#start);
    yield start.bytes;
    while (this.#failure === undefined && this.#start === start) {
      if (this.#segments.includes(segment) && offset < segment.bytes) {
        const bytes = readBytes(segment.file, offset, Math.min(segment.bytes - offset, maxReadBytes));
        offset += bytes.length;
        yield bytes;
      } else {
        const newest = this.#segments.at(-1);
        if (newest && newest !== segment) [segment, offset] = [newest, 0];
        else await once(this.#events, "change", { signal });
      }
    }
  }
}

const dateOf = (time: number) => new Date(Date.now() - performance.now() + time);
const timeOf = (date: Date) => date.getTime() - Date.now() + performance.now();

const isWanted = ({ startsAt, endsAt }: Segment, { from, until }: Hold) => startsAt < until && endsAt > from;

const bytesOf = (segments: readonly Segment[]) => segments.reduce((sum, { bytes }) => sum + bytes, 0);

function readBytes(file: string, offset: number, length: number): Buffer {
  const descriptor = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(length);
    readSync(descriptor, bytes, 0, length, offset);
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}
