/** A queue of limited capacity between producers and one reader, which takes the items in order, at its own pace. */
export class BoundedQueue<Item> implements AsyncGenerator<Item, void, undefined> {
  readonly #items: Item[] = [];
  readonly #capacity: number;
  readonly #onEnd: () => void;
  #reader:
    | { resolve: (result: IteratorResult<Item, void>) => void; reject: (error: unknown) => void }
    | undefined;
  #failure: unknown;
  #state: "open" | "failed" | "ended" = "open";

  /** Calls `onEnd` once, when the queue accepts no more items. */
  constructor(capacity: number, onEnd: () => void) {
    this.#capacity = capacity;
    this.#onEnd = onEnd;
  }

  /** Adds an item. Returns false if the queue is full. Ignores items after the end. */
  push(item: Item): boolean {
    if (this.#state !== "open") return true;
    if (this.#reader) {
      this.#reader.resolve({ value: item, done: false });
      this.#reader = undefined;
    } else {
      if (this.#items.length >= this.#capacity) return false;
      this.#items.push(item);
    }
    return true;
  }

  /** Ends the queue with an error. The reader gets the error next; queued items are dropped. */
  fail(error: unknown): void {
    if (this.#state !== "open") return;
    this.#end(this.#reader ? "ended" : "failed");
    this.#failure = error;
    this.#reader?.reject(error);
    this.#reader = undefined;
  }

  async next(): Promise<IteratorResult<Item, void>> {
    if (this.#state === "failed") {
      this.#state = "ended";
      throw this.#failure;
    }
    if (this.#items.length > 0) return { value: this.#items.shift() as Item, done: false };
    if (this.#state === "ended") return { value: undefined, done: true };
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  async return(): Promise<IteratorResult<Item, void>> {
    if (this.#state === "open") this.#end("ended");
    this.#reader?.resolve({ value: undefined, done: true });
    this.#reader = undefined;
    return { value: undefined, done: true };
  }

  async throw(error: unknown): Promise<IteratorResult<Item, void>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #end(state: "failed" | "ended"): void {
    this.#state = state;
    this.#items.length = 0;
    this.#onEnd();
  }
}
