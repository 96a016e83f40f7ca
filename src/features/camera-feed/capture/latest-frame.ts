/** Hands frames over to a reader that gets the newest one, however slow it is. */
export class LatestFrame {
  #frame: Buffer | undefined;
  #end: { error: unknown } | undefined;
  #wake: (() => void) | undefined;

  /** Replaces a frame that was not taken. */
  put(frame: Buffer): void {
    this.#frame = frame;
    this.#wake?.();
  }

  /** Ends the frames: whoever waits for one gets the error. */
  fail(error: unknown): void {
    this.#end = { error };
    this.#wake?.();
  }

  /** Waits for a frame that was not taken yet; fails once there will be none. */
  async take(): Promise<Buffer> {
    while (!this.#frame && !this.#end) await new Promise<void>((resolve) => (this.#wake = resolve));
    const frame = this.#frame;
    this.#frame = undefined;
    if (frame) return frame;
    throw this.#end?.error;
  }
}
