import pLimit from "p-limit";
import type { StepOutcome, Worker } from "../../../engine/leases/worker.js";
import { WorkspaceTurns } from "../../../engine/leases/workspace-turns.js";
import { later } from "../../../platform/time.js";
import {
  claimQueues,
  type DueQueue,
  dueQueues,
  nextAvailability,
  workspaceWithDeliveries,
} from "./delivery-queue.js";
import { DeliveryRun, maxRunMs } from "./delivery-run.js";
import { DeliverySlots } from "./delivery-slots.js";
import { feedServerChannel } from "./delivery-state.js";
import type { DispatcherOptions } from "./dispatcher-options.js";

/** The number of queues to claim per slot at most. */
const maxQueuesPerRun = 16;
/** Reserved for recording the results. */
const claimReserveMs = 5_000;
/** Polling finds work that no event of another instance announced. */
const pollIntervalMs = 10_000;
/** The maximum number of concurrent statements of the dispatcher. The pool's other connections are for requests. */
const maxStatements = 3;

/**
 * Sends pending deliveries. Claims queues of several workspaces in turns, and sends from many queues at
 * once, from each in its order.
 */
export class DeliveryDispatcher {
  readonly #options: DispatcherOptions;
  readonly #slots = new DeliverySlots();
  readonly #turns: WorkspaceTurns;
  readonly #statement = pLimit(maxStatements);
  /** The workspaces without due deliveries or without a free slot, and the time of the next question to each. */
  readonly #waiting = new Map<string, { until: number; hasNoSlot: boolean }>();
  /** The workspace of the current query; undefined once something may be due there that the query does not know of. */
  #asked: string | undefined;
  /** How many runs have given their slot back. */
  #freed = 0;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#turns = new WorkspaceTurns(options.listWorkspaces);
  }

  /** Notes that a workspace may have due deliveries. */
  mayHaveWork(workspaceId: string): void {
    this.#waiting.delete(workspaceId);
    if (this.#asked === workspaceId) this.#asked = undefined;
  }

  async step(worker: Worker): Promise<StepOutcome> {
    if (this.#slots.areFull) return "nothing";
    const { read, now } = this.#options;
    const startedAt = now().getTime();
    // None waits longer: the clock has been set back.
    for (const [workspaceId, { until }] of this.#waiting)
      if (until <= startedAt || until > startedAt + pollIntervalMs) this.#waiting.delete(workspaceId);
    let found: object | null = null;
    const claimed = await this.#turns.claim(
      async (following) => {
        const workspace = await workspaceWithDeliveries(read, following, [...this.#waiting.keys()]);
        found = workspace;
        return workspace;
      },
      (workspaceId) => this.#claimUnlessWaiting(workspaceId, worker),
    );
    for (const run of claimed) worker.start((signal) => this.#send(run, worker, signal));
    // If a workspace was found but nothing was claimed, the maximum number of tries was reached, and work may be left.
    if (claimed.length > 0 || found) return "more";
    const next = Math.min(
      startedAt + pollIntervalMs,
      ...Array.from(this.#waiting.values(), ({ until }) => until),
    );
    return { dueInMs: Math.max(0, next - now().getTime()) };
  }

  /** Skips waiting workspaces, as one step may try all workspaces. A workspace that cannot be reached waits as well. */
  async #claimUnlessWaiting(workspaceId: string, worker: Worker): Promise<DeliveryRun[]> {
    if (this.#waiting.has(workspaceId)) return [];
    try {
      return await this.#claim(workspaceId, worker);
    } catch (error) {
      this.#waiting.set(workspaceId, {
        until: this.#options.now().getTime() + pollIntervalMs,
        hasNoSlot: false,
      });
      throw error;
    }
  }

  /** Takes slots for due queues of a workspace, and claims the queues. Queues of one host share its slots. */
  async #claim(workspaceId: string, worker: Worker): Promise<DeliveryRun[]> {
    const { prisma, now } = this.#options;
    const at = now();
    this.#asked = workspaceId;
    const freed = this.#freed;
    const { fullHosts } = this.#slots;
    // An instance without a feed server leaves its deliveries to those that have one.
    const withoutHosts = this.#options.senders[feedServerChannel]
      ? fullHosts
      : [...fullHosts, feedServerChannel];
    const limit = Math.max(0, this.#slots.leftFor(workspaceId)) * maxQueuesPerRun;
    const due = limit > 0 ? await dueQueues(prisma, { workspaceId, now: at, withoutHosts, limit }) : [];
    const shares = this.#share(due);
    const claimed = await claimQueues(prisma, shares.flat(), at, (queue) =>
      this.#endOfClaim(queue, at),
    ).catch((error) => {
      for (const [queue] of shares) if (queue) this.#slots.free(queue);
      throw error;
    });
    const byId = new Map(claimed.map((queue) => [queue.id, queue]));
    const runs = shares.flatMap((share) => {
      const queues = share.flatMap(({ id }) => byId.get(id) ?? []);
      if (queues.length > 0) return [new DeliveryRun(queues, this.#options, this.#statement)];
      if (share[0]) this.#slots.free(share[0]);
      return [];
    });
    if (runs.length > 0) return runs;
    const hasNoSlot = limit <= 0 || fullHosts.length > 0;
    const latest = at.getTime() + pollIntervalMs;
    const next = await nextAvailability(prisma, workspaceId, at);
    // It is this workspace's turn, so a slot that became free meanwhile is not for the next one.
    if (hasNoSlot && freed !== this.#freed && !worker.isClosed) return this.#claim(workspaceId, worker);
    if (this.#asked === workspaceId)
      this.#waiting.set(workspaceId, {
        until: Math.min(next?.getTime() ?? latest, latest),
        hasNoSlot,
      });
    return runs;
  }

  /**
   * The end of a claim. An instance that crashes blocks its claimed queues until then. The claim also covers
   * the pause between messages.
   */
  #endOfClaim({ channel }: DueQueue, at: Date): Date {
    const { maxSendMs = 0, pauseMs = 0 } = this.#options.senders[channel] ?? {};
    return later(at, Math.max(maxRunMs + maxSendMs + claimReserveMs, pauseMs));
  }

  /** Takes as many slots as each host has left, and deals its queues out to them. */
  #share(due: readonly DueQueue[]): DueQueue[][] {
    const shares = new Map<string, DueQueue[][]>();
    const turns = new Map<string, number>();
    for (const queue of due) {
      const ofHost = shares.get(queue.host) ?? [];
      shares.set(queue.host, ofHost);
      if (this.#slots.take(queue)) {
        ofHost.push([queue]);
        continue;
      }
      const turn = turns.get(queue.host) ?? 0;
      turns.set(queue.host, turn + 1);
      const share = ofHost[turn % ofHost.length];
      const { queuesPerRun = maxQueuesPerRun } = this.#options.senders[queue.channel] ?? {};
      if (share && share.length < queuesPerRun) share.push(queue);
    }
    return [...shares.values()].flat();
  }

  async #send(run: DeliveryRun, worker: Worker, signal: AbortSignal): Promise<void> {
    try {
      await run.send({
        isClosing: () => worker.isClosed,
        signal,
        onResult: (isFailure) => this.#slots.recordResult(run.host, isFailure),
      });
    } finally {
      this.#slots.free(run);
      this.#freed += 1;
      this.mayHaveWork(run.workspaceId);
      for (const [workspaceId, { hasNoSlot }] of this.#waiting) if (hasNoSlot) this.mayHaveWork(workspaceId);
    }
  }
}
