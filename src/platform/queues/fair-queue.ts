import { ServiceError } from "../errors/errors.js";
import { countRefusal } from "../telemetry/refusals.js";
import { type Cancellation, throwIfCancelled } from "./cancellation.js";

/** The holder of a share of the slots: a caller of a workspace. */
export interface ShareHolder {
  readonly id: string;
  readonly workspaceId: string;
}

/** Limits in total, per workspace and per caller. */
export interface SharedLimit {
  total: number;
  perWorkspace: number;
  perCaller: number;
}

export interface FairQueueLimits {
  /** The subject of error messages, such as "uploads". */
  what: string;
  /** The maximum number of tasks in progress. */
  slots: SharedLimit;
  /** The maximum number of tasks that wait for a slot. */
  waiting: SharedLimit;
  maxWaitMs: number;
}

interface WaitingWork {
  start(): void;
}

/** The share of everybody, of a workspace, or of a caller. */
class Share {
  readonly #limits: FairQueueLimits;
  readonly #whole: Share | undefined;
  readonly #id: string;
  active = 0;
  waiting = 0;
  /**
   * In the share of a caller, its waiting work. In other shares, the inner shares with work that may start,
   * in the order in which they start.
   */
  readonly turns = new Set<Share | WaitingWork>();
  readonly #parts = new Map<string, Share>();

  constructor(
    readonly level: keyof SharedLimit,
    limits: FairQueueLimits,
    whole?: Share,
    id = "",
  ) {
    this.#limits = limits;
    this.#whole = whole;
    this.#id = id;
  }

  part(level: keyof SharedLimit, id: string): Share {
    let part = this.#parts.get(id);
    if (!part) {
      part = new Share(level, this.#limits, this, id);
      this.#parts.set(id, part);
    }
    return part;
  }

  /** The innermost share without a free slot, from this one outwards. */
  get full(): Share | undefined {
    return this.#isFull ? this : this.#whole?.full;
  }

  /** The innermost share with more waiting work than its limit. */
  get overcrowded(): Share | undefined {
    return this.waiting > this.#limits.waiting[this.level] ? this : this.#whole?.overcrowded;
  }

  /** Changes a count of this share and of all shares around it. Drops shares that are no longer in use. */
  count(what: "active" | "waiting", change: 1 | -1): void {
    this[what] += change;
    if (!this.#whole) return;
    this.#whole.count(what, change);
    if (this.active + this.waiting === 0) this.#whole.#parts.delete(this.#id);
  }

  /** Enters or leaves the turns, depending on whether work here may start. After its turn, a share is the last one. */
  updateTurn(wasTaken = false): void {
    const whole = this.#whole;
    if (!whole) return;
    const hasTurn = this.turns.size > 0 && !this.#isFull;
    if (wasTaken || !hasTurn) whole.turns.delete(this);
    if (hasTurn) whole.turns.add(this);
    whole.updateTurn(wasTaken);
  }

  get #isFull(): boolean {
    return this.active >= this.#limits.slots[this.level];
  }
}

/**
 * Hands out a limited number of slots in turns: workspaces alternate, the callers of a workspace alternate, and the
 * work of a caller starts in order of arrival. Neither a caller nor a workspace can take all slots, or all room for
 * waiting.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #all: Share;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
    this.#all = new Share("total", limits);
  }

  get usage(): { active: number; waiting: number } {
    const { active, waiting } = this.#all;
    return { active, waiting };
  }

  /**
   * Runs work in a slot. Waits for a free slot unless cancelled. Throws RATE_LIMITED if the caller or the workspace has
   * too much work of its own, UNAVAILABLE if all of them together do. The work must not wait for a second slot.
   */
  async run<Result>(
    holder: ShareHolder,
    work: () => Promise<Result>,
    cancellation: Cancellation = {},
  ): Promise<Result> {
    throwIfCancelled(cancellation);
    const caller = this.#all.part("perWorkspace", holder.workspaceId).part("perCaller", holder.id);
    // If a slot is free for this caller, nobody waits for it.
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

  /** Resolves once the caller has a slot. */
  #turnOf(caller: Share, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        caller.turns.delete(work);
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
      const work = { start };
      caller.turns.add(work);
      caller.updateTurn();
    });
  }

  #startNext(): void {
    let next: Share | WaitingWork | undefined = this.#all.full ? undefined : this.#all;
    while (next instanceof Share) [next] = next.turns;
    next?.start();
  }

  #refusal(limiting: Share | undefined): ServiceError {
    const { what, maxWaitMs } = this.#limits;
    return refusal(what, limiting?.level ?? "total", maxWaitMs / 1000);
  }
}

const refusals = {
  perCaller: ["caller", "RATE_LIMITED", "You have", "try again later"],
  perWorkspace: ["workspace", "RATE_LIMITED", "Your workspace has", "try again later"],
  total: ["total", "UNAVAILABLE", "There are", "it is safe to retry"],
} as const;

/** The error for what a limit refuses, after counting it. */
export function refusal(
  what: string,
  level: keyof SharedLimit,
  retryAfter: number,
  limit = what.replaceAll(" ", "_"),
): ServiceError {
  const [scope, code, whose, advice] = refusals[level];
  countRefusal(limit, scope);
  return new ServiceError(code, `${whose} too many ${what} at once; ${advice}`, { retryAfter });
}
