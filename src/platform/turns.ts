/** How much is done in a turn, in units: rows of a list, or comparable work. */
const unitsPerTurn = 250;
/** How much is done at once, without waiting for a turn: enough for most answers, which are quicker for it. */
const unitsAtOnce = 600;

interface Waiting {
  units: number;
  start: () => void;
}

/**
 * Shares out the event loop. Work that takes long is done in slices, each in an iteration of the event loop of its own, so that
 * whatever else has arrived is served in between; and those who have such work, its owners, take turns.
 */
class Turns {
  /** What waits for each owner; the first owner is next. */
  readonly #waiting = new Map<object, Waiting[]>();
  /** The units that owners have used in this iteration of the event loop. */
  readonly #used = new Map<object, number>();

  /** Whether work may be done in the current iteration of the event loop; counts it if so. */
  take(owner: object, units: number): boolean {
    const used = (this.#used.get(owner) ?? 0) + units;
    if (used > unitsAtOnce || this.#waiting.has(owner)) return false;
    this.#use(owner, used);
    return true;
  }

  /** Waits for a later iteration of the event loop, in which the work may be done. */
  next(owner: object, units = unitsPerTurn): Promise<void> {
    return new Promise((start) => {
      if (this.#waiting.size === 0) setImmediate(this.#run);
      const waiting = this.#waiting.get(owner);
      if (waiting) waiting.push({ units, start });
      else this.#waiting.set(owner, [{ units, start }]);
    });
  }

  /** Starts what waits for the owner whose turn it is, as far as it fits into the turn. */
  readonly #run = (): void => {
    const [next] = this.#waiting;
    if (!next) return;
    const [owner, waiting] = next;
    let units = 0;
    let count = 0;
    for (const each of waiting) {
      if (count > 0 && units + each.units > unitsPerTurn) break;
      units += each.units;
      count += 1;
    }
    this.#waiting.delete(owner);
    if (count < waiting.length) this.#waiting.set(owner, waiting.slice(count));
    // What an immediate schedules runs in the next iteration, after input and output.
    if (this.#waiting.size > 0) setImmediate(this.#run);
    this.#use(owner, units);
    for (const { start } of waiting.slice(0, count)) start();
  };

  #use(owner: object, units: number): void {
    if (this.#used.size === 0) setImmediate(() => this.#used.clear());
    this.#used.set(owner, units);
  }
}

const turns = new Turns();

/** Runs work that yields whenever it has done as much as fits into a turn. Work that never yields is done at once. */
export async function inTurns<Result>(owner: object, work: Generator<void, Result>): Promise<Result> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    await turns.next(owner);
  }
}

/**
 * A list whose items are dealt out in turns, for an executor, which completes an item as soon as it is there. A list that fits into
 * the current turn is returned as it is. `unitsOf`: how much work an item is.
 */
export function dealOut<Item>(owner: object, items: Item[], unitsOf: (item: Item) => number): (Item | Promise<Item>)[] | Promise<Item[]> {
  let units = 0;
  for (const item of items) units += unitsOf(item);
  if (turns.take(owner, units)) return items;
  if (units <= unitsPerTurn) return turns.next(owner, units).then(() => items);
  const dealt: Promise<Item>[] = [];
  for (let start = 0; start < items.length; ) {
    let end = start;
    for (let units = 0; end < items.length && (end === start || units < unitsPerTurn); end += 1) units += unitsOf(items[end] as Item);
    const turn = turns.next(owner);
    for (const item of items.slice(start, end)) dealt.push(turn.then(() => item));
    start = end;
  }
  return dealt;
}
