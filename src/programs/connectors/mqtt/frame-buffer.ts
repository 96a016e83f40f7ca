import { defined } from "../../../platform/defined.js";
export interface BufferedFrame {
  /** What the source calls the camera. */
  camera: string;
  /** The frame without the id of its camera, as JSON: that takes a fraction of the memory. */
  text: string;
  /** The number of values in it, which is limited for a request. */
  values: number;
  /** The number of objects in it, limited likewise. */
  objects: number;
}

interface Limits {
  frames: number;
  bytes: number;
}

/** A request of the gateway may have 1000 frames, 5000 objects, 150,000 values and 4 MiB. */
const maxBatch = { frames: 1000, objects: 5000, values: 140_000, bytes: 3 * 1024 * 1024 };
/** What a frame takes besides its text. */
const overhead = 150;

/** Frames in the order in which they came. Beyond its limits, it drops the oldest. */
export class FrameBuffer {
  #frames: (BufferedFrame | undefined)[] = [];
  /** The position of the oldest frame; those before are gone. */
  #start = 0;
  #bytes = 0;
  readonly #limits: Limits;
  readonly #onDropped: (count: number) => void;
  #arrived: () => void = () => {};

  constructor(limits: Limits, onDropped: (count: number) => void) {
    this.#limits = limits;
    this.#onDropped = onDropped;
  }

  get length(): number {
    return this.#frames.length - this.#start;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(frame: BufferedFrame): void {
    this.#frames.push(frame);
    this.#bytes += sizeOf(frame);
    this.#drop();
    this.#arrived();
  }

  async filled(signal: AbortSignal): Promise<void> {
    if (this.length > 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        signal.removeEventListener("abort", end);
        this.#arrived = () => {};
        resolve();
      };
      signal.addEventListener("abort", end);
      this.#arrived = end;
    });
  }

  /** Whether there is as much as fits into a request. */
  get hasBatch(): boolean {
    return this.length >= maxBatch.frames || this.#bytes >= maxBatch.bytes;
  }

  /** Takes the oldest frames that fit into a request. */
  take(): BufferedFrame[] {
    const batch: BufferedFrame[] = [];
    let bytes = 0;
    let values = 0;
    let objects = 0;
    while (this.length > 0 && batch.length < maxBatch.frames) {
      const frame = defined(this.#frames[this.#start]);
      bytes += sizeOf(frame);
      values += frame.values;
      objects += frame.objects;
      const isFull = bytes > maxBatch.bytes || values > maxBatch.values || objects > maxBatch.objects;
      if (batch.length > 0 && isFull) break;
      batch.push(frame);
      this.#removeFirst();
    }
    return batch;
  }

  takeAll(): BufferedFrame[] {
    const all = this.#frames.slice(this.#start) as BufferedFrame[];
    this.#frames = [];
    this.#start = 0;
    this.#bytes = 0;
    return all;
  }

  /** Puts frames back that were taken and not sent. */
  restore(frames: readonly BufferedFrame[]): void {
    this.#frames = [...frames, ...this.#frames.slice(this.#start)];
    this.#start = 0;
    for (const frame of frames) this.#bytes += sizeOf(frame);
    this.#drop();
  }

  #drop(): void {
    let count = 0;
    for (; this.length > this.#limits.frames || this.#bytes > this.#limits.bytes; count += 1)
      this.#removeFirst();
    if (count > 0) this.#onDropped(count);
  }

  #removeFirst(): void {
    this.#bytes -= sizeOf(defined(this.#frames[this.#start]));
    this.#frames[this.#start] = undefined;
    this.#start += 1;
    if (this.#start < 1000 || this.#start * 2 < this.#frames.length) return;
    this.#frames = this.#frames.slice(this.#start);
    this.#start = 0;
  }
}

const sizeOf = ({ camera, text }: BufferedFrame) => camera.length + text.length + overhead;
