/** How much is done in a turn, in units: rows of a list, or comparable work. */
export const unitsPerTurn = 250;
/**
 * How much is done in an iteration of the event loop without waiting for a turn: enough
 * for most answers, which are quicker for it.
 */
const unitsAtOnce = 600;
/**
 * How much of that is never refused to an owner: small answers do not wait behind large
 * ones.
 */
const smallUnits = 60;
/** For how many iterations in a row turns wait for connections to be accepted. */
const maxPostponed = 100;

interface Waiting {
  units: number;
  start: () => void;
}

/**
 * Shares out the event loop. Work that takes long is done in slices, each in an iteration
 * of the event loop of its own, so that whatever else has arrived is served in between;
 * and those who have such work, its owners, take turns.
 */
class Turns {
  /** What waits for each owner; the first owner is next. */
  readonly #waiting = new Map<unknown, Waiting[]>();
  /** The units that each owner has used in this iteration of the event loop. */
  #used = new Map<unknown, number>();
  /** The units that all owners have used in it. */
  #total = 0;
  #hasArrivals = false;
  #postponed = 0;

  /**
   * Whether work may be done in the current iteration of the event loop; counts it if so.
   */
  take(owner: unknown, units: number): boolean {
    const isSmall = (this.#used.get(owner) ?? 0) + units <= smallUnits;
    if (!isSmall && (this.#hasArrivals || this.#waiting.size > 0 || this.#total + units > unitsAtOnce))
      return false;
    this.#use(owner, units);
    return true;
  }

  /** Waits for a later iteration of the event loop, in which the work may be done. */
  next(owner: unknown, units: number): Promise<void> {
    return new Promise((start) => {
      if (this.#waiting.size === 0) setImmediate(this.#run);
      const waiting = this.#waiting.get(owner);
      if (waiting) waiting.push({ units, start });
      else this.#waiting.set(owner, [{ units, start }]);
    });
  }

  /**
   * Has turns wait for the next iteration, because a connection was accepted, of which
   * there is one in each.
   */
  postpone(): void {
    if (!this.#hasArrivals) setImmediate(this.#forgetArrivals);
    this.#hasArrivals = true;
  }

  readonly #forgetArrivals = (): void => {
    this.#hasArrivals = false;
  };

  readonly #run = (): void => {
    this.#postponed = this.#hasArrivals && this.#postponed < maxPostponed ? this.#postponed + 1 : 0;
    const started = this.#postponed > 0 ? [] : this.#nextTurn();
    // What an immediate schedules runs in the next iteration, after input and output.
    if (this.#waiting.size > 0) setImmediate(this.#run);
    for (const { start } of started) start();
  };

  /** Removes what waits and fits into a turn, owner by owner. */
  #nextTurn(): Waiting[] {
    const turn: Waiting[] = [];
    let units = 0;
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      const [owner, waiting] = next;
      const found = waiting.findIndex((each) => {
        const isTooMuch = units > 0 && units + each.units > unitsPerTurn;
        if (!isTooMuch) units += each.units;
        return isTooMuch;
      });
      const count = found < 0 ? waiting.length : found;
      if (count === 0) break;
      this.#waiting.delete(owner);
      if (count < waiting.length) this.#waiting.set(owner, waiting.slice(count));
      for (const each of waiting.slice(0, count)) this.#use(owner, each.units);
      turn.push(...waiting.slice(0, count));
    }
    return turn;
  }

  #use(owner: unknown, units: number): void {
    if (this.#used.size === 0) setImmediate(this.#reset);
    this.#used.set(owner, (this.#used.get(owner) ?? 0) + units);
    this.#total += units;
  }

  readonly #reset = (): void => {
    // When a map is cleared, V8 links its old table to the new one: a table in the old
    // generation would keep alive all later owners.
    this.#used = new Map();
    this.#total = 0;
  };
}

const turns = new Turns();

/**
 * To be called when a connection has been accepted. Node accepts one in each iteration of
 * the event loop: long ones would make all others wait that have arrived at the same
 * time. Of 100 that arrive beside an export and two large queries, the last one is
 * answered after 370 instead of 710 to 980 ms.
 */
export function expectConnections(): void {
  turns.postpone();
}

/** Work in slices: before each it yields how much that is, in units. */
export type SlicedWork<Result> = Generator<number, Result>;

/**
 * Runs work slice by slice, each as soon as it fits into an iteration of the event loop.
 */
export async function inTurns<Result>(owner: unknown, work: SlicedWork<Result>): Promise<Result> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    const turn = takeTurn(owner, step.value);
    if (turn) await turn;
  }
}

/**
 * Resolves once so much work fits into an iteration of the event loop; undefined if it
 * does at once.
 */
export function takeTurn(owner: unknown, units: number): Promise<void> | undefined {
  return turns.take(owner, units) ? undefined : turns.next(owner, units);
}

/** Runs work without waiting for turns, for when nobody else is served. */
export function runAtOnce<Result>(work: SlicedWork<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/**
 * A list whose items are dealt out in turns, for an executor, which completes an item as
 * soon as it is there. A list that fits into the current turn is returned as it is.
 * `unitsOf`: how much work an item is.
 */
export function dealOut<Item>(
  owner: unknown,
  items: Item[],
  unitsOf: (item: Item) => number,
): (Item | Promise<Item>)[] | Promise<Item[]> {
  let units = 0;
  for (const item of items) units += unitsOf(item);
  if (turns.take(owner, units)) return items;
  if (units <= unitsPerTurn) return turns.next(owner, units).then(() => items);
  const dealt: Promise<Item>[] = [];
  for (let start = 0; start < items.length; ) {
    let end = start;
    for (let units = 0; end < items.length && (end === start || units < unitsPerTurn); end += 1)
      units += unitsOf(items[end] as Item);
    const turn = turns.next(owner, unitsPerTurn);
    for (const item of items.slice(start, end)) dealt.push(turn.then(() => item));
    start = end;
  }
  return dealt;
}
