import path from "node:path";
import type { StepOutcome, Worker } from "../../../engine/leases/worker.js";
import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import type { TemporaryFiles } from "../../../engine/storage/temporary-files.js";
import { type AlertClip, Prisma } from "../../../generated/prisma/client.js";
import { groupBy } from "../../../platform/group-by.js";
import { later } from "../../../platform/time.js";
import { ClipUnwantedError, failClips, isOf, storeClip } from "../../alert/clips/settled-clips.js";
import type { CameraRing, ClipRange } from "./camera-ring.js";
import type { RingHolder } from "./ring-holder.js";

/** What a clip shows of the time before and after its alert, in milliseconds. */
const [beforeMs, afterMs] = [10_000, 20_000];
/** How long nobody gives up a clip, and how often that is renewed. */
const [leaseMs, renewMs] = [20_000, 5_000];
/** How often events may have clips looked for. */
const minLookMs = 500;
/** The clips that an instance waits for or makes at once. */
const maxRuns = 200;

interface ClipMakerOptions {
  services: GatewayServices;
  temporary: TemporaryFiles;
  rings: Pick<RingHolder, "held" | "find">;
}

const alertsOf = (clips: readonly Pick<AlertClip, "alertId">[]) =>
  new Set(clips.map(({ alertId }) => alertId));

type Run = Pick<AlertClip, "workspaceId" | "cameraId" | "alertId"> & { unwanted: AbortController };

/** Makes the clips of alerts from the rings of this instance, which has a camera's clips to itself as its ring. */
export class ClipMaker {
  readonly #options: ClipMakerOptions;
  readonly #runs = new Set<Run>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ClipMakerOptions) {
    this.#options = options;
  }

  /** Begins to make the clips that are pending, and ends what is not wanted any more. */
  async step(worker: Worker): Promise<StepOutcome> {
    const { services, rings } = this.#options;
    const next = this.#lookedAt + minLookMs - performance.now();
    if (next > 0) return { dueInMs: next };
    this.#lookedAt = performance.now();
    for (const [workspaceId, cameras] of groupBy(
      [...rings.held, ...this.#runs],
      (each) => each.workspaceId,
    )) {
      const now = services.now();
      const runs = [...this.#runs].filter((run) => run.workspaceId === workspaceId);
      const areMeant = Prisma.sql`"workspaceId" = ${workspaceId}::uuid AND "dueAt" IS NOT NULL
        AND "cameraId" = ANY(${cameras.map(({ cameraId }) => cameraId)}::uuid[])`;
      const clips = await services.database.prisma.$queryRaw<AlertClip[]>(Prisma.sql`
        WITH renewed AS (
          UPDATE "AlertClip" SET "dueAt" = ${later(now, leaseMs)}::timestamptz
          WHERE ${areMeant} AND "dueAt" NOT BETWEEN ${later(now, leaseMs - renewMs)}::timestamptz AND ${later(now, leaseMs)}::timestamptz
        )
        SELECT * FROM "AlertClip" WHERE ${areMeant}`);
      const [pending, begun] = [alertsOf(clips), alertsOf(runs)];
      for (const { alertId, unwanted } of runs) if (!pending.has(alertId)) unwanted.abort();
      for (const clip of clips) {
        const ring = rings.find(clip);
        if (ring && !begun.has(clip.alertId) && this.#runs.size < maxRuns) this.#start(clip, ring, worker);
      }
    }
    return { dueInMs: renewMs };
  }

  #start(clip: AlertClip, ring: CameraRing, worker: Worker): void {
    const run: Run = { ...clip, unwanted: new AbortController() };
    this.#runs.add(run);
    worker.start((closing) =>
      this.#make(clip, ring, AbortSignal.any([closing, run.unwanted.signal]))
        .catch((error) => this.#giveUp(clip, error, worker))
        .finally(() => this.#runs.delete(run)),
    );
  }

  #make(clip: AlertClip, ring: CameraRing, signal: AbortSignal): Promise<void> {
    const { services, temporary } = this.#options;
    return temporary.withDirectory(async (directory) => {
      const file = path.join(directory, "clip.mp4");
      const facts = await ring.recordClip(this.#rangeOf(clip), file, signal);
      signal.throwIfAborted();
      await storeClip(services, clip, file, facts);
    });
  }

  /** The time of a clip by the clock of this machine, which is that of rings. */
  #rangeOf({ alertCreatedAt }: AlertClip): ClipRange {
    const at = alertCreatedAt.getTime() - this.#options.services.now().getTime() + Date.now();
    return { from: new Date(at - beforeMs), until: new Date(at + afterMs) };
  }

  /** Lets a clip fail, or, when this instance ends, leaves it to whoever takes over the camera. */
  async #giveUp(
    { workspaceId, alertId, cameraId }: AlertClip,
    error: unknown,
    worker: Worker,
  ): Promise<void> {
    const { services } = this.#options;
    if (error instanceof ClipUnwantedError || worker.isClosed) return;
    const failed = await failClips(services, workspaceId, isOf(alertId));
    if (failed.length > 0)
      services.log.warn(
        { err: error, workspaceId, cameraId, alertId },
        "the clip of an alert could not be made",
      );
  }
}
