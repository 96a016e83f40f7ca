import path from "node:path";
import { claimInTurn, lockedDueRows } from "../../../engine/leases/due-rows.js";
import type { StepOutcome, Worker } from "../../../engine/leases/worker.js";
import { WorkspaceTurns } from "../../../engine/leases/workspace-turns.js";
import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import type { TemporaryFiles } from "../../../engine/storage/temporary-files.js";
import { type AlertClip, Prisma } from "../../../generated/prisma/client.js";
import { groupBy } from "../../../platform/group-by.js";
import {
  ClipUnwantedError,
  failClips,
  isOf,
  pendingClips,
  storeClip,
} from "../../alert/clips/settled-clips.js";
import type { CameraRing, ClipRange } from "./camera-ring.js";
import type { RingHolder } from "./ring-holder.js";

/** What a clip shows of the time before and after its alert, in milliseconds. */
const [beforeMs, afterMs] = [10_000, 20_000];
/** How long others leave a clip alone, and how often that is renewed. After a crash, it is failed or made by another. */
const [leaseMs, renewMs] = [20_000, 5_000];
/** The clips that an instance waits for or makes at once. */
const maxRuns = 200;

interface ClipMakerOptions {
  services: GatewayServices;
  temporary: TemporaryFiles;
  rings: Pick<RingHolder, "ringsOf">;
}

interface Run {
  workspaceId: string;
  alertId: string;
  unwanted: AbortController;
}

/** Makes the clips of alerts from the rings of this instance. */
export class ClipMaker {
  readonly #options: ClipMakerOptions;
  readonly #turns: WorkspaceTurns;
  readonly #runs = new Set<Run>();
  /** When the leases were last renewed, by `performance.now()`. */
  #renewedAt = 0;

  constructor(options: ClipMakerOptions) {
    this.#options = options;
    this.#turns = new WorkspaceTurns(options.services.database.listWorkspaces);
  }

  /** Renews the leases of clips in the making, and begins to make those of the next workspace. */
  async step(worker: Worker): Promise<StepOutcome> {
    const { database, now } = this.#options.services;
    if (performance.now() >= this.#renewedAt + renewMs) await this.#renew();
    if (this.#runs.size >= maxRuns) return { dueInMs: renewMs };
    const at = now();
    const claimed = await claimInTurn(database.prisma, this.#turns, pendingClips, at, (workspaceId) =>
      this.#claim(workspaceId, at),
    );
    for (const { clip, ring } of claimed) this.#start(clip, ring, worker);
    return claimed.length > 0 ? "more" : { dueInMs: renewMs };
  }

  async #renew(): Promise<void> {
    const { prisma } = this.#options.services.database;
    this.#renewedAt = performance.now();
    for (const [workspaceId, runs] of groupBy([...this.#runs], (run) => run.workspaceId)) {
      const pending = await prisma.$queryRaw<Run[]>(Prisma.sql`
        UPDATE "AlertClip" SET "dueAt" = ${this.#leaseEnd()}::timestamptz
        WHERE "workspaceId" = ${workspaceId}::uuid AND "state" = 'PENDING' AND "alertId" = ANY(${runs.map(({ alertId }) => alertId)}::uuid[])
        RETURNING "alertId"`);
      const ids = new Set(pending.map(({ alertId }) => alertId));
      for (const { alertId, unwanted } of runs) if (!ids.has(alertId)) unwanted.abort();
    }
  }

  #leaseEnd(): Date {
    return new Date(this.#options.services.now().getTime() + leaseMs);
  }

  async #claim(workspaceId: string, now: Date): Promise<{ clip: AlertClip; ring: CameraRing }[]> {
    const { services, rings } = this.#options;
    const held = rings.ringsOf(workspaceId);
    const rows = { ...pendingClips, where: Prisma.sql`"cameraId" = ANY(${[...held.keys()]}::uuid[])` };
    const clips = await services.database.prisma.$queryRaw<AlertClip[]>(Prisma.sql`
      UPDATE "AlertClip" SET "dueAt" = ${this.#leaseEnd()}::timestamptz
      WHERE ${lockedDueRows(rows, { workspaceId, now, limit: maxRuns - this.#runs.size })} RETURNING *`);
    return clips.flatMap((clip) => {
      const ring = held.get(clip.cameraId);
      return ring ? [{ clip, ring }] : [];
    });
  }

  #start(clip: AlertClip, ring: CameraRing, worker: Worker): void {
    const { workspaceId, alertId } = clip;
    const run: Run = { workspaceId, alertId, unwanted: new AbortController() };
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
    if (error instanceof ClipUnwantedError) return;
    if (worker.isClosed) {
      const where = { workspaceId, alertId, state: "PENDING" };
      await services.database.prisma.alertClip.updateMany({ where, data: { dueAt: services.now() } });
      return;
    }
    const failed = await failClips(services, workspaceId, isOf(alertId));
    if (failed.length > 0)
      services.log.warn(
        { err: error, workspaceId, cameraId, alertId },
        "the clip of an alert could not be made",
      );
  }
}
