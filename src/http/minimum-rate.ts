import type { Socket } from "node:net";

/** The bytes that pass between the gateway and one client. */
export interface Flow {
  /** How many bytes have passed so far. */
  passed: () => number;
  /**
   * Whether the client is what is being waited for: time in which it is not does not
   * count.
   */
  isWaiting: () => boolean;
}

/** The slowest that a client may be, on average over a window. */
export interface LeastRate {
  bytesPerSecond: number;
  windowMs: number;
}

const defaultRate: LeastRate = { bytesPerSecond: 1024, windowMs: 60_000 };
/**
 * How often a client is looked at during a window: one that is not being waited for at
 * one of these moments begins a new window.
 */
const checksPerWindow = 12;

/**
 * Watches a flow, and reports once when the client was waited for during a whole window
 * in which fewer bytes passed than the rate asks for.
 */
export class MinimumRate {
  readonly #flow: Flow;
  readonly #leastRate: LeastRate;
  readonly #onTooSlow: () => void;
  readonly #timer: NodeJS.Timeout;
  #checks = 0;
  #passedBefore = 0;

  constructor(flow: Flow, onTooSlow: () => void, leastRate: LeastRate = defaultRate) {
    this.#flow = flow;
    this.#leastRate = leastRate;
    this.#onTooSlow = onTooSlow;
    this.#beginWindow();
    this.#timer = setInterval(() => this.#check(), leastRate.windowMs / checksPerWindow).unref();
  }

  /** Ends the watch. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #beginWindow(): void {
    this.#checks = 0;
    this.#passedBefore = this.#flow.passed();
  }

  #check(): void {
    this.#checks += 1;
    const isWaiting = this.#flow.isWaiting();
    if (isWaiting && this.#checks < checksPerWindow) return;
    const { bytesPerSecond, windowMs } = this.#leastRate;
    const isTooSlow =
      isWaiting && this.#flow.passed() - this.#passedBefore < (bytesPerSecond * windowMs) / 1000;
    this.#beginWindow();
    if (!isTooSlow) return;
    this.stop();
    this.#onTooSlow();
  }
}

/** What a client reads from its connection. */
export function readingOf(socket: Socket): Flow {
  return {
    // A large body is one write, of which only the handle knows how much is still to be
    // sent: `bytesWritten` counts all of it.
    passed: () => {
      const { _handle: handle } = socket as Socket & {
        _handle?: { bytesWritten: number; writeQueueSize: number } | null;
      };
      return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten;
    },
    isWaiting: () => socket.writableLength > 0,
  };
}
