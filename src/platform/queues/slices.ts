/** The units of work in a slice: rows of a list, or comparable work. */
export const unitsPerSlice = 250;
/**
 * The units of work that an iteration of the event loop may do without waiting for a slice. Most answers need fewer.
 */
const unitsAtOnce = 600;
/** The units that each owner gets in any case: small answers do not wait behind large ones. */
const smallUnits = 60;
/** The maximum number of consecutive iterations in which slices wait for new connections. */
const maxPostponed = 100;

interface Waiting {
  units: number;
  start: () => void;
}

/**
 * Shares out the event loop. Long work runs in slices, one per iteration of the event loop, so the gateway serves other
 * arrivals in between. The owners of long work take turns.
 */
class SliceScheduler {
  /** The waiting work of each owner. The first owner is next. */
  readonly #waiting = new Map<unknown, Waiting[]>();
  /** The units that each owner has used in this iteration of the event loop. */
  #used = new Map<unknown, number>();
  #total = 0;
  #hasArrivals = false;
  #postponed = 0;

  /** Whether work may run in this iteration of the event loop. If so, counts it. */
  take(owner: unknown, units: number): boolean {
    const isSmall = (this.#used.get(owner) ?? 0) + units <= smallUnits;
    if (!isSmall && (this.#hasArrivals || this.#waiting.size > 0 || this.#total + units > unitsAtOnce))
      return false;
    this.#use(owner, units);
    return true;
  }

  /** Waits for a later iteration of the event loop with room for the work. */
  next(owner: unknown, units: number): Promise<void> {
    return new Promise((start) => {
      if (this.#waiting.size === 0) setImmediate(this.#hasArrivals ? this.#runAfterArrivals : this.#run);
      const waiting = this.#waiting.get(owner);
      if (waiting) waiting.push({ units, start });
      else this.#waiting.set(owner, [{ units, start }]);
    });
  }

  /** Delays slices to the next iteration because a connection was accepted. Each iteration accepts one. */
  postpone(): void {
    if (!this.#hasArrivals) setImmediate(this.#forgetArrivals);
    this.#hasArrivals = true;
  }

  readonly #forgetArrivals = (): void => {
    this.#hasArrivals = false;
  };

  /** This iteration's arrivals are forgotten before this runs; the next one may have others. */
  readonly #runAfterArrivals = (): void => {
    setImmediate(this.#run);
  };

  readonly #run = (): void => {
    this.#postponed = this.#hasArrivals && this.#postponed < maxPostponed ? this.#postponed + 1 : 0;
    const started = this.#postponed > 0 ? [] : this.#nextSlice();
    // Work scheduled by an immediate runs in the next iteration, after input and output.
    if (this.#waiting.size > 0) setImmediate(this.#run);
    for (const { start } of started) start();
  };

  /** Removes the waiting work that fits into a slice, owner by owner. */
  #nextSlice(): Waiting[] {
    const slice: Waiting[] = [];
    let units = 0;
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      const [owner, waiting] = next;
      const found = waiting.findIndex((each) => {
        const isTooMuch = units > 0 && units + each.units > unitsPerSlice;
        if (!isTooMuch) units += each.units;
        return isTooMuch;
      });
      const count = found < 0 ? waiting.length : found;
      if (count === 0) break;
      this.#waiting.delete(owner);
      if (count < waiting.length) this.#waiting.set(owner, waiting.slice(count));
      for (const each of waiting.slice(0, count)) this.#use(owner, each.units);
      slice.push(...waiting.slice(0, count));
    }
    return slice;
  }

  #use(owner: unknown, units: number): void {
    if (this.#used.size === 0) setImmediate(this.#reset);
    this.#used.set(owner, (this.#used.get(owner) ?? 0) + units);
    this.#total += units;
  }

  readonly #reset = (): void => {
    // Not cleared: V8 links the old table to the new one, and a table in the old generation would keep all later owners
    // alive.
    this.#used = new Map();
    this.#total = 0;
  };
}

const scheduler = new SliceScheduler();

/**
 * Call this when a connection has been accepted. Node.js accepts one per iteration of the event loop, so long
 * iterations delay all connections that arrived at the same time. Of 100 that arrive during an export and two large
 * queries, the last one gets its answer after 370 instead of 710 to 980 ms.
 */
export function expectConnections(): void {
  scheduler.postpone();
}

/** Work in slices. Yields the units of each slice before the slice runs. */
export type SlicedWork<Result> = Generator<number, Result>;

/** Runs work slice by slice. Each slice runs as soon as it fits into an iteration of the event loop. */
export async function inSlices<Result>(owner: unknown, work: SlicedWork<Result>): Promise<Result> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    const slice = takeSlice(owner, step.value);
    if (slice) await slice;
  }
}

/** Resolves once work of this size fits into an iteration of the event loop; undefined if it fits now. */
export function takeSlice(owner: unknown, units: number): Promise<void> | undefined {
  return scheduler.take(owner, units) ? undefined : scheduler.next(owner, units);
}

/** Runs all slices at once, for processes that serve nobody else. */
export function runAtOnce<Result>(work: SlicedWork<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/**
 * Resolves the items of a list in slices: the executor completes each item as soon as it arrives. Lists that fit into
 * the current slice are returned as they are. `unitsOf` returns the work of an item.
 */
export function resolveInSlices<Item>(
  owner: unknown,
  items: Item[],
  unitsOf: (item: Item) => number,
): (Item | Promise<Item>)[] | Promise<Item[]> {
  let units = 0;
  for (const item of items) units += unitsOf(item);
  if (scheduler.take(owner, units)) return items;
  if (units <= unitsPerSlice) return scheduler.next(owner, units).then(() => items);
  const sliced: Promise<Item>[] = [];
  for (let start = 0; start < items.length; ) {
    let end = start;
    for (let units = 0; end < items.length && (end === start || units < unitsPerSlice); end += 1)
      units += unitsOf(items[end] as Item);
    const slice = scheduler.next(owner, unitsPerSlice);
    for (const item of items.slice(start, end)) sliced.push(slice.then(() => item));
    start = end;
  }
  return sliced;
}
