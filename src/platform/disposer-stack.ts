/** Closes opened resources in reverse order. Stands in for `AsyncDisposableStack`, which Node.js 20 lacks. */
export class DisposerStack {
  readonly #disposers: (() => unknown)[] = [];

  /** Registers how to close a newly opened resource. */
  defer(dispose: () => unknown): void {
    this.#disposers.push(dispose);
  }

  /** Closes everything, the latest first. A failure does not stop the rest; it is thrown at the end. */
  async dispose(): Promise<void> {
    const errors: unknown[] = [];
    for (let dispose = this.#disposers.pop(); dispose; dispose = this.#disposers.pop()) {
      try {
        await dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, "Several resources could not be closed");
  }
}
