import { z } from "zod";
import type { StateFile } from "../../connector/state-file.js";
import type { StreamStatus } from "../camera-statuses.js";
import type { Review } from "../frigate-messages.js";

const awaitedClip = z.object({
  id: z.string(),
  camera: z.string(),
  start: z.number(),
  end: z.number().nullable(),
});

/** A review whose alert is to have its clip, once the review has ended. */
export type AwaitedClip = z.infer<typeof awaitedClip>;

/** What is kept over restarts. Times are in milliseconds by Frigate's clock. */
export const journalState = z.object({
  /** All that became an alert before this time is settled. */
  settledUntil: z.number(),
  /** Reviews that are settled and may be met again, with their ends. */
  settled: z.array(z.tuple([z.string(), z.number().nullable()])),
  /** The statuses that were reported to the gateway, by Frigate's and the gateway's camera. */
  statuses: z.array(z.tuple([z.string(), z.enum(["online", "offline", "disabled"])])),
  /** The reviews whose clips are awaited. */
  clips: z.array(awaitedClip).default([]),
});

export type JournalState = z.infer<typeof journalState>;

/** The number of settled reviews that are kept. The gateway knows the alerts of forgotten ones by their ids. */
const maxSettled = 2000;
/** The number of awaited clips that are kept. */
const maxClips = 500;

/** Remembers what is settled, so that a restart neither loses nor repeats it. */
export class Journal {
  /** Null for a run that leaves no trace. */
  readonly #file: StateFile<JournalState> | null;
  #settledUntil: number;
  readonly #settled: Map<string, number | null>;
  readonly #statuses: Map<string, StreamStatus>;
  readonly #clips: Map<string, AwaitedClip>;

  constructor(
    file: StateFile<JournalState> | null,
    { settledUntil, settled, statuses, clips }: JournalState,
  ) {
    this.#file = file;
    this.#settledUntil = settledUntil;
    this.#settled = new Map(settled);
    this.#statuses = new Map(statuses);
    this.#clips = new Map(clips.map((clip) => [clip.id, clip]));
  }

  get settledUntil(): number {
    return this.#settledUntil;
  }

  /** Whether a review is settled. Takes note of its end. */
  isSettled({ id, end }: Review): boolean {
    const isSettled = this.#settled.has(id);
    if (isSettled && end !== null) this.#settled.set(id, end);
    return isSettled;
  }

  /** A review is recorded, or is known never to be. */
  settle({ id, end }: Review): void {
    this.#settled.set(id, end);
    forgetOldest(this.#settled, maxSettled);
    this.save();
  }

  /** All that became an alert before a time is settled, and nothing is that did later. */
  settleUntil(time: number): void {
    if (time === this.#settledUntil) return;
    this.#settledUntil = time;
    // Frigate is asked for what ended later, or goes on.
    for (const [id, end] of this.#settled) if (end !== null && end <= time) this.#settled.delete(id);
    this.save();
  }

  awaitedClips(): AwaitedClip[] {
    return [...this.#clips.values()];
  }

  awaitedClip(id: string): AwaitedClip | undefined {
    return this.#clips.get(id);
  }

  awaitClip({ id, camera, start, end }: Review): AwaitedClip {
    const clip = { id, camera, start, end };
    this.#clips.set(id, clip);
    forgetOldest(this.#clips, maxClips);
    this.save();
    return clip;
  }

  /** The clip of a review is there, or is known never to be. */
  settleClip(id: string): void {
    this.#clips.delete(id);
    this.save();
  }

  reportedStatus(name: string, cameraId: string): StreamStatus | undefined {
    return this.#statuses.get(streamKey(name, cameraId));
  }

  recordStatus(name: string, cameraId: string, status: StreamStatus): void {
    this.#statuses.set(streamKey(name, cameraId), status);
    this.save();
  }

  save(): void {
    this.#file?.save({
      settledUntil: this.#settledUntil,
      settled: [...this.#settled],
      statuses: [...this.#statuses],
      clips: this.awaitedClips(),
    });
  }
}

function forgetOldest(kept: Map<string, unknown>, most: number): void {
  for (const [oldest] of kept) {
    if (kept.size <= most) break;
    kept.delete(oldest);
  }
}

/** A name may be mapped to another camera, of which nothing was reported. */
const streamKey = (name: string, cameraId: string): string => `${name}/${cameraId}`;
