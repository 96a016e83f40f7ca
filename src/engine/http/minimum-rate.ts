import type { Socket } from "node:net";

/** The bytes that pass between the gateway and one client. */
export interface Flow {
  /** The bytes so far. */
  passed: () => number;
  /** Whether the client is the one to act. Other time does not count. */
  isWaiting: () => boolean;
}

/** The lowest average rate of a client over a window. */
export interface LeastRate {
  bytesPerSecond: number;
  windowMs: number;
}

const defaultRate: LeastRate = { bytesPerSecond: 1024, windowMs: 60_000 };
/** The checks of a client in a window. A client that need not act at one of these moments begins a new window. */
const checksPerWindow = 12;

/** Reports once when a client falls below the rate in a window throughout which it was the one to act. */
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

/** The bytes that a client reads from its connection. */
export function readingOf(socket: Socket): Flow {
  return {
    // `bytesWritten` counts all of a large write; only the handle knows the rest that is still to be sent.
    passed: () => {
      const { _handle: handle } = socket as Socket & {
        _handle?: { bytesWritten: number; writeQueueSize: number } | null;
      };
      return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten;
    },
    isWaiting: () => socket.writableLength > 0,
  };
}
