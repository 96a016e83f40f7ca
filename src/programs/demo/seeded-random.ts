/** A seeded generator (mulberry32): the same seed gives the same sequence, so all demo databases are alike. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
    // Discard the first numbers, which are similar for adjacent seeds.
    for (let round = 0; round < 3; round += 1) this.next();
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** A number from `from` (inclusive) to `to` (exclusive). */
  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  /** A whole number from `minimum` to `maximum`, both inclusive. */
  integer(minimum: number, maximum: number): number {
    return minimum + Math.floor(this.next() * (maximum - minimum + 1));
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError("Cannot pick from an empty list");
    return items[this.integer(0, items.length - 1)] as T;
  }

  /** One of the items, with probabilities proportional to the weights. */
  weighted<T>(choices: readonly (readonly [item: T, weight: number])[]): T {
    const total = choices.reduce((sum, [, weight]) => sum + weight, 0);
    let remaining = this.next() * total;
    for (const [item, weight] of choices) {
      remaining -= weight;
      if (remaining < 0) return item;
    }
    const last = choices.at(-1);
    if (last === undefined) throw new RangeError("Cannot pick from an empty list");
    return last[0];
  }

  shuffled<T>(items: readonly T[]): T[] {
    const result = [...items];
    for (let index = result.length - 1; index > 0; index -= 1) {
      const other = this.integer(0, index);
      [result[index], result[other]] = [result[other] as T, result[index] as T];
    }
    return result;
  }
}
