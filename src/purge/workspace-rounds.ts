import type { PrismaClient } from "../generated/prisma/client.js";
import type { StepOutcome } from "../platform/workers/worker.js";

const intervalMs = 15 * 60_000;
/**
 * The first round comes early, so that data that expired while no gateway ran is purged
 * soon, even if the gateway does not run for long.
 */
const firstRoundMs = 30_000;

/** Purges a batch of a workspace's expired rows. Returns whether there may be more. */
export type PurgeBatch = (workspaceId: string, now: Date) => Promise<boolean>;

/**
 * Checks every workspace for expired rows now and then, by an index of the workspace.
 * This saves maintaining an index over all workspaces for each row. Workspaces with more
 * than one batch take turns until nothing is left.
 */
export class WorkspaceRounds {
  readonly #prisma: PrismaClient;
  readonly #purgeBatch: PurgeBatch;
  readonly #now: () => Date;
  #nextRoundAt: number;
  /** The last workspace checked in this round; "all" after the last one. */
  #seen: { upTo: string } | "none" | "all" = "none";
  /** The workspaces with more to purge in this round. */
  readonly #unfinished: string[] = [];

  constructor(prisma: PrismaClient, now: () => Date, purgeBatch: PurgeBatch) {
    this.#prisma = prisma;
    this.#now = now;
    this.#purgeBatch = purgeBatch;
    this.#nextRoundAt = now().getTime() + firstRoundMs;
  }

  /** Purges a batch of the next workspace. */
  async step(): Promise<StepOutcome> {
    const now = this.#now();
    const dueInMs = this.#nextRoundAt - now.getTime();
    // No round is further ahead than that: the clock has been set back.
    if (dueInMs > 0 && dueInMs <= intervalMs) return { dueInMs };
    const workspaceId = await this.#nextWorkspace();
    if (workspaceId === undefined) {
      this.#seen = "none";
      this.#nextRoundAt = now.getTime() + intervalMs;
    } else if (await this.#purgeBatch(workspaceId, now)) {
      this.#unfinished.push(workspaceId);
    }
    return "more";
  }

  /** Undefined at the end of a round. */
  async #nextWorkspace(): Promise<string | undefined> {
    if (this.#seen !== "all") {
      const where = this.#seen === "none" ? {} : { id: { gt: this.#seen.upTo } };
      const next = await this.#prisma.workspace.findFirst({
        where,
        orderBy: { id: "asc" },
        select: { id: true },
      });
      this.#seen = next ? { upTo: next.id } : "all";
      if (next) return next.id;
    }
    return this.#unfinished.shift();
  }
}
