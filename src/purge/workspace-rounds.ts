import type { PrismaClient } from "../generated/prisma/client.js";
import type { StepOutcome } from "../platform/workers/worker.js";

const intervalMs = 15 * 60_000;
/**
 * What has become too old while no gateway ran goes soon, also where one does not run for
 * long.
 */
const firstRoundMs = 30_000;

/**
 * Purges a batch of the rows of a workspace that are old by now, and returns whether
 * there may be more.
 */
export type PurgeBatch = (workspaceId: string, now: Date) => Promise<boolean>;

/**
 * Looks into every workspace now and then for rows that have become too old, where an
 * index leads to them: no index of all workspaces has to be kept up to date for each row.
 * Workspaces with more than one batch take turns until nothing is left.
 */
export class WorkspaceRounds {
  readonly #prisma: PrismaClient;
  readonly #purgeBatch: PurgeBatch;
  readonly #now: () => Date;
  #nextRoundAt: number;
  /**
   * The workspace that was looked into last in this round; "all" once it was the last
   * one.
   */
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
    if (now.getTime() < this.#nextRoundAt) return { dueInMs: this.#nextRoundAt - now.getTime() };
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
