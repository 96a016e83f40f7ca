import type { AlertItemFragment, AlertMarksFragment } from "../../../generated/console.js";
import { defined } from "../../../platform/defined.js";

/** The maximum number of alerts in a page. A larger page is divided. */
const largestPage = 200;
/** The number of alerts around the shown ones that are kept before others are forgotten. */
const mostKept = 3_000;

interface LoadedAlert {
  alert: AlertItemFragment;
  /** Absent for an alert from an event. */
  cursor?: string | undefined;
  insertedAt?: number;
  /** Absent if the position of the alert is unknown. */
  page?: Page | undefined;
}

/** Consecutive alerts. Keeps only the first position: an alert that is added above changes one number per page. */
interface Page {
  first: number;
  alerts: LoadedAlert[];
}

/** Consecutive positions, excluding the end. */
interface PositionRange {
  start: number;
  end: number;
}

const endOf = ({ first, alerts }: Page) => first + alerts.length;

/** Whether an alert comes before another one in the order of the API. */
function precedes(alert: AlertItemFragment, other: AlertItemFragment) {
  const later = Date.parse(alert.createdAt) - Date.parse(other.createdAt);
  return later > 0 || (later === 0 && alert.id > other.id);
}

/**
 * A list of alerts, newest first, with only some of its pages. Memory and the work for each change depend on the number
 * of loaded alerts, not on the length of the list.
 */
export class LoadedAlerts {
  readonly #alerts = new Map<string, LoadedAlert>();
  /** In the order of the list. Pages neither overlap nor are empty. */
  #pages: Page[] = [];
  readonly #retains: (id: string) => boolean;
  #total = 0;

  /** Alerts for which `retains` returns true are never forgotten. */
  constructor(retains: (id: string) => boolean) {
    this.#retains = retains;
  }

  get total(): number {
    return this.#total;
  }

  get size(): number {
    return this.#alerts.size;
  }

  /** The number of loaded alerts with known positions that satisfy a condition. */
  count(isCounted: (alert: AlertItemFragment) => boolean): number {
    return this.#pages.reduce(
      (sum, { alerts }) => sum + alerts.filter(({ alert }) => isCounted(alert)).length,
      0,
    );
  }

  get(id: string): AlertItemFragment | undefined {
    return this.#alerts.get(id)?.alert;
  }

  at(position: number): AlertItemFragment | undefined {
    const page = this.#pageAt(position);
    return page?.alerts[position - page.first]?.alert;
  }

  /** The position of an alert; -1 if unknown. */
  positionOf(id: string): number {
    const loaded = this.#alerts.get(id);
    return loaded?.page ? loaded.page.first + loaded.page.alerts.indexOf(loaded) : -1;
  }

  /** The loaded alerts from one position to another, both inclusive. */
  *between(first: number, last: number): Generator<AlertItemFragment> {
    for (const page of this.#pages)
      for (const { alert } of page.alerts.slice(
        Math.max(0, first - page.first),
        Math.max(0, last + 1 - page.first),
      ))
        yield alert;
  }

  /** The first position without a loaded alert, from one position to another, both inclusive. */
  firstMissing(first: number, last: number): number | undefined {
    let position = Math.max(0, first);
    for (let page = this.#pageAt(position); page; page = this.#pageAt(position)) position = endOf(page);
    return position <= Math.min(last, this.#total - 1) ? position : undefined;
  }

  /** The consecutive positions without loaded alerts around one of them. */
  gapAround(position: number): PositionRange {
    const above = this.#pages.findLast(({ first }) => first <= position);
    const below = this.#pages.find(({ first }) => first > position);
    return { start: above ? endOf(above) : 0, end: below?.first ?? this.#total };
  }

  /** The cursor of the alert at a position; undefined if it has none. */
  cursorAt(position: number): string | undefined {
    const page = this.#pageAt(position);
    return page?.alerts[position - page.first]?.cursor;
  }

  /** The cursor of the nearest alert above a position that has one, and the number of positions in between. */
  anchorAbove(position: number): { cursor: string; distance: number } | undefined {
    for (const page of this.#pages.filter(({ first }) => first < position).reverse()) {
      const index = page.alerts.findLastIndex(
        ({ cursor }, index) => cursor !== undefined && page.first + index < position,
      );
      const cursor = page.alerts[index]?.cursor;
      if (cursor !== undefined) return { cursor, distance: position - page.first - index - 1 };
    }
    return undefined;
  }

  /** Starts a new list without loaded pages. Retained alerts stay, but without their positions. */
  reset(total: number): void {
    this.#keep(() => false);
    this.#total = total;
  }

  add(alert: AlertItemFragment): void {
    if (!this.#alerts.has(alert.id)) this.#alerts.set(alert.id, { alert });
  }

  /** Replaces the marks of an alert. Returns whether the alert is loaded. */
  change(marks: AlertMarksFragment): boolean {
    const loaded = this.#alerts.get(marks.id);
    if (loaded) loaded.alert = { ...loaded.alert, ...marks };
    return loaded !== undefined;
  }

  /** Puts alerts that were read at the positions from `first` on. Removes loaded alerts that contradict them. */
  put(first: number, edges: readonly { cursor: string; node: AlertItemFragment }[]): void {
    for (const [index, { node }] of edges.entries()) {
      const present = this.#pageAt(first + index);
      if (present && present.alerts[first + index - present.first]?.alert.id !== node.id) this.#drop(present);
      const elsewhere = this.#alerts.get(node.id)?.page;
      if (elsewhere && this.positionOf(node.id) !== first + index) this.#drop(elsewhere);
    }
    let page: Page | undefined;
    for (const [index, { cursor, node }] of edges.entries()) {
      const present = this.#alerts.get(node.id);
      if (present?.page) {
        Object.assign(present, { alert: node, cursor });
        page = undefined;
        continue;
      }
      page ??= this.#startPage(first + index);
      const loaded = { alert: node, cursor, page };
      page.alerts.push(loaded);
      this.#alerts.set(node.id, loaded);
    }
    this.#pages.sort((one, other) => one.first - other.first);
    if (edges.length > 0) this.#total = Math.max(this.#total, first + edges.length);
  }

  /**
   * Inserts an alert by its time, and returns whether it is loaded now. Without a loaded neighbour, its position is
   * unknown, and only the total increases.
   */
  insert(alert: AlertItemFragment): boolean {
    const found = this.#pages.findIndex(({ alerts }) => precedes(alert, defined(alerts.at(-1)).alert));
    const below = this.#pages[found];
    const above = this.#pages[(below ? found : this.#pages.length) - 1];
    const index = below
      ? below.alerts.findIndex((each) => precedes(alert, each.alert))
      : (above?.alerts.length ?? 0);
    const position = below ? below.first + index : this.#total;
    const isKnown = (below && index > 0) || (above ? endOf(above) : 0) === position;
    this.#shift(position, 1);
    if (!isKnown) return false;
    const page = below ?? above ?? this.#startPage(0);
    // An alert before the first one of a page takes that one's position.
    if (below && index === 0) page.first = position;
    const loaded = { alert, page, insertedAt: performance.now() };
    page.alerts.splice(index, 0, loaded);
    this.#alerts.set(alert.id, loaded);
    this.#divide(page);
    return true;
  }

  /** Removes an alert. Returns whether its position was known: otherwise it may or may not have been in the list. */
  remove(id: string): boolean {
    const position = this.positionOf(id);
    const page = this.#alerts.get(id)?.page;
    this.#alerts.delete(id);
    if (!page) return false;
    page.alerts.splice(position - page.first, 1);
    if (page.alerts.length === 0) this.#pages.splice(this.#pages.indexOf(page), 1);
    this.#shift(position + 1, -1);
    return true;
  }

  endAt(total: number): void {
    this.#total = total;
    this.#keep((position) => position < total);
  }

  /** Sets the length if the number of alerts between the pages is uncertain. Keeps pages connected with the top. */
  recount(total: number): void {
    const connected = this.connected;
    this.#keep((position) => position < connected);
    this.#total = Math.max(total, connected);
  }

  /** The number of loaded alerts from the top down to the first gap. */
  get connected(): number {
    return this.firstMissing(0, this.#total) ?? this.#total;
  }

  /** Forgets alerts far from the shown ones, so that reading on does not take more memory. */
  forgetAround(first: number, last: number): void {
    if (this.#alerts.size <= mostKept) return;
    const margin = mostKept / 4;
    this.#keep(
      (position, id) => (position >= first - margin && position <= last + margin) || this.#retains(id),
    );
    for (const [id, { page }] of this.#alerts) if (!page && !this.#retains(id)) this.#alerts.delete(id);
  }

  /** The time at which an event brought an alert, by `performance.now()`; undefined if no event did. */
  insertedAt(id: string): number | undefined {
    return this.#alerts.get(id)?.insertedAt;
  }

  #pageAt(position: number) {
    const page = this.#pages.findLast(({ first }) => first <= position);
    return page && position < endOf(page) ? page : undefined;
  }

  /** Moves the pages from a position on, after alerts were added or removed there. */
  #shift(position: number, by: number) {
    this.#total += by;
    for (const page of this.#pages) if (page.first >= position) page.first += by;
  }

  #startPage(first: number) {
    const page: Page = { first, alerts: [] };
    this.#pages.push(page);
    return page;
  }

  #divide(page: Page) {
    if (page.alerts.length <= largestPage) return;
    const half = largestPage / 2;
    const second: Page = { first: page.first + half, alerts: page.alerts.splice(half) };
    for (const loaded of second.alerts) loaded.page = second;
    this.#pages.splice(this.#pages.indexOf(page) + 1, 0, second);
  }

  #keep(isKept: (position: number, id: string) => boolean) {
    const pages = this.#pages;
    this.#pages = [];
    for (const { first, alerts } of pages) {
      let page: Page | undefined;
      for (const [index, loaded] of alerts.entries()) {
        if (!isKept(first + index, loaded.alert.id)) {
          this.#vacate(loaded);
          page = undefined;
          continue;
        }
        page ??= this.#startPage(first + index);
        page.alerts.push(loaded);
        loaded.page = page;
      }
    }
  }

  #drop(page: Page) {
    this.#pages.splice(this.#pages.indexOf(page), 1);
    for (const loaded of page.alerts) this.#vacate(loaded);
  }

  #vacate(loaded: LoadedAlert) {
    loaded.page = undefined;
    if (!this.#retains(loaded.alert.id)) this.#alerts.delete(loaded.alert.id);
  }
}
