import { ServiceError } from "../errors.js";
import { countRefusal } from "../telemetry/refusals.js";
import { type Cancellation, throwIfCancelled } from "./cancellation.js";
import { type Link, LinkedList } from "./linked-list.js";

/** Whose share a place is taken from: a caller of a workspace. */
export interface ShareHolder {
  readonly id: string;
  readonly workspaceId: string;
}

/** How much there may be in all, of one workspace, and of one caller. */
export interface SharedLimit {
  total: number;
  perWorkspace: number;
  perCaller: number;
}

/** Limits of a {@link FairQueue}. */
export interface FairQueueLimits {
  /** What there are places for, such as "uploads"; for error messages. */
  what: string;
  /** How much work may be in progress. */
  places: SharedLimit;
  /** How much work may wait for a place. */
  waiting: SharedLimit;
  /** How long it may wait. */
  maxWaitMs: number;
}

const scopeOfLevel = { total: "total", perWorkspace: "workspace", perCaller: "caller" } as const;

/** Work that waits for a place. */
interface WaitingWork {
  start(): void;
}

/** The share of everybody, of a workspace, or of a caller. */
class Share {
  active = 0;
  waiting = 0;
  /**
   * Of a caller, the work that waits; otherwise the shares below this one with work that
   * may start here, in the order of their turns.
   */
  readonly turns = new LinkedList<Share | WaitingWork>();
  readonly #parts = new Map<string, Share>();
  #turn: Link<Share | WaitingWork> | undefined;

  constructor(
    readonly level: keyof SharedLimit,
    private readonly limits: FairQueueLimits,
    private readonly whole?: Share,
    private readonly id = "",
  ) {}

  part(level: keyof SharedLimit, id: string): Share {
    let part = this.#parts.get(id);
    if (!part) {
      part = new Share(level, this.limits, this, id);
      this.#parts.set(id, part);
    }
    return part;
  }

  /** The innermost share, from this one outwards, that has no place left. */
  get full(): Share | undefined {
    return this.#isFull ? this : this.whole?.full;
  }

  /** The innermost share with more waiting work than there may be. */
  get overcrowded(): Share | undefined {
    return this.waiting > this.limits.waiting[this.level] ? this : this.whole?.overcrowded;
  }

  /**
   * Changes a count of this share and of those that it is part of. A share that is not in
   * use is forgotten.
   */
  count(what: "active" | "waiting", change: 1 | -1): void {
    this[what] += change;
    if (!this.whole) return;
    this.whole.count(what, change);
    if (this.active + this.waiting === 0) this.whole.#parts.delete(this.id);
  }

  /**
   * Enters the turns, or leaves them, depending on whether there is work here that may
   * start; if the turn was taken, behind all others.
   */
  updateTurn(wasTaken = false): void {
    const { whole } = this;
    if (!whole) return;
    const hasTurn = this.turns.first !== undefined && !this.#isFull;
    if (this.#turn && (wasTaken || !hasTurn)) {
      whole.turns.remove(this.#turn);
      this.#turn = undefined;
    }
    if (hasTurn) this.#turn ??= whole.turns.push(this);
    whole.updateTurn(wasTaken);
  }

  get #isFull(): boolean {
    return this.active >= this.limits.places[this.level];
  }
}

/**
 * Hands out a limited number of places for something scarce in turns: to one workspace
 * after the other, within a workspace to one caller after the other, and to the work of
 * one caller in the order in which it came. Neither a caller nor a workspace can take all
 * places, nor all the room for waiting. Each step takes constant time.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #all: Share;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
    this.#all = new Share("total", limits);
  }

  /** How much work is in progress, and how much waits for a place. */
  get usage(): { active: number; waiting: number } {
    const { active, waiting } = this.#all;
    return { active, waiting };
  }

  /**
   * Runs work in a place, for which it waits if it has to, unless it is cancelled before.
   * RATE_LIMITED where the caller or the workspace has too much work of its own,
   * UNAVAILABLE where all together have. The work must not wait for a second place.
   */
  async run<Result>(
    holder: ShareHolder,
    work: () => Promise<Result>,
    cancellation: Cancellation = {},
  ): Promise<Result> {
    throwIfCancelled(cancellation);
    const caller = this.#all.part("perWorkspace", holder.workspaceId).part("perCaller", holder.id);
    // While there is a place that may be taken, nothing waits for it.
    if (caller.full) await this.#wait(caller, cancellation.signal);
    else caller.count("active", 1);
    try {
      return await work();
    } finally {
      caller.count("active", -1);
      caller.updateTurn();
      this.#startNext();
    }
  }

  async #wait(caller: Share, signal: AbortSignal | undefined): Promise<void> {
    caller.count("waiting", 1);
    try {
      if (caller.overcrowded) throw this.#refusal(caller.overcrowded);
      await this.#turnOf(caller, signal);
    } finally {
      caller.count("waiting", -1);
    }
  }

  /** Resolves once a place has been taken. */
  #turnOf(caller: Share, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        caller.turns.remove(link);
      };
      const leave = (error: unknown) => {
        end();
        caller.updateTurn();
        reject(error);
      };
      const abort = () => leave(signal?.reason);
      const start = () => {
        end();
        caller.count("active", 1);
        caller.updateTurn(true);
        resolve();
      };
      const timer = setTimeout(() => leave(this.#refusal(caller.full)), this.#limits.maxWaitMs);
      signal?.addEventListener("abort", abort);
      const link = caller.turns.push({ start });
      caller.updateTurn();
    });
  }

  #startNext(): void {
    let next: Share | WaitingWork | undefined = this.#all.full ? undefined : this.#all;
    while (next instanceof Share) next = next.turns.first;
    next?.start();
  }

  /** The error for work that finds no place, because of the limit of this share. */
  #refusal(limiting: Share | undefined): ServiceError {
    const { what, maxWaitMs } = this.#limits;
    countRefusal(what.replaceAll(" ", "_"), scopeOfLevel[limiting?.level ?? "total"]);
    const retry = { retryAfter: maxWaitMs / 1000 };
    if (limiting?.level === "perCaller")
      return new ServiceError("RATE_LIMITED", `You have too many ${what} at once; try again later`, retry);
    if (limiting?.level === "perWorkspace")
      return new ServiceError(
        "RATE_LIMITED",
        `Your workspace has too many ${what} at once; try again later`,
        retry,
      );
    return new ServiceError("UNAVAILABLE", `There are too many ${what} at once; it is safe to retry`, retry);
  }
}
