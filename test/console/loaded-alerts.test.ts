// Needs no gateway.

import fc from "fast-check";
import { LoadedAlerts } from "../../src/console/alerts/list/loaded-alerts.js";
import type { AlertItemFragment } from "../../src/generated/console.js";
import { listOf } from "../support/list-of.js";
import { alertOf, CountedAlerts, cursorOf, idOf, SortedAlerts } from "./alert-lists.js";

describe("a change of an alert", () => {
  const searches = [
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "indexOf",
    "lastIndexOf",
    "includes",
    "some",
    "every",
    "filter",
    "map",
  ] as const;

  /**
   * A long list with pages in several positions, and a counter of accesses to their alerts
   * while a function runs.
   */
  function loaded(total: number) {
    let looks = 0;
    const watched = (alert: AlertItemFragment) =>
      Object.defineProperty({ ...alert }, "createdAt", {
        get: () => {
          looks += 1;
          return alert.createdAt;
        },
      });
    const list = new CountedAlerts(total);
    const alerts = new LoadedAlerts(() => false);
    alerts.reset(total);
    for (const first of [0, 100, 5_000, 9_000])
      alerts.put(
        first,
        listOf(100, (index) => list.at(first + index)).map((alert) => ({
          cursor: cursorOf(alert),
          node: watched(alert),
        })),
      );
    const looksOf = (run: () => void) => {
      looks = 0;
      run();
      return looks;
    };
    return { alerts, looksOf };
  }

  test("of which nothing is there, is not searched for", () => {
    const { alerts } = loaded(10_000_000);
    const spies = searches.map((name) => vi.spyOn(Array.prototype, name));
    const marks = { id: idOf(5_000_000), bookmark: true, falsePositive: false, acknowledgedAt: null };
    const isKnown = [alerts.remove(marks.id), alerts.change(marks)];
    let calls = 0;
    for (const spy of spies) {
      calls += spy.mock.calls.length;
      spy.mockRestore();
    }
    expect(isKnown).toEqual([false, false]);
    expect(calls).toBe(0);
    expect(alerts.total).toBe(10_000_000);
  });

  test("costs the same in a long list and in a short one", () => {
    const costs = [10_000, 10_000_000].map((total) => {
      const { alerts, looksOf } = loaded(total);
      return [
        looksOf(() => alerts.insert(alertOf(total, total))),
        looksOf(() => alerts.insert(alertOf(total + 1, total - 5_050))),
        looksOf(() => alerts.insert(alertOf(total + 2, 1))),
        looksOf(() => alerts.remove(idOf(total - 50))),
        alerts.positionOf(idOf(total - 5_001)),
        alerts.total - total,
      ];
    });
    expect(costs[0]?.slice(-2)).toEqual([5_000, 2]);
    expect(costs[1]).toEqual(costs[0]);
  });
});

const edgesOf = (alerts: readonly AlertItemFragment[]) =>
  alerts.map((node) => ({ cursor: cursorOf(node), node }));

/** A list with pages, and a slot for each alert with the expected content. */
class Slots {
  readonly loaded = new LoadedAlerts(() => false);
  readonly #truth = new SortedAlerts();
  #slots: (AlertItemFragment | undefined)[];
  #added: number;

  constructor(length: number) {
    this.loaded.reset(length);
    this.#slots = Array.from({ length });
    this.#truth.alerts = listOf(length, (position) => alertOf(length - position, 2 * (length - position)));
    this.#added = length;
  }

  put(first: number, count: number): void {
    const nodes = this.#truth.alerts.slice(first, first + count);
    this.loaded.put(first, edgesOf(nodes));
    this.#slots.splice(first, nodes.length, ...nodes);
  }

  insert(second: number): void {
    this.#added += 1;
    const alert = alertOf(this.#added, 2 * second + 1);
    let position = this.#truth.upTo(cursorOf(alert));
    const isThere = (neighbour: number) =>
      neighbour < 0 || neighbour >= this.#slots.length || this.#slots[neighbour] !== undefined;
    const isKnown = isThere(position - 1) && isThere(position);
    this.#truth.add(alert);
    expect(this.loaded.insert(alert)).toBe(isKnown);
    // In a gap it counts as the last one.
    while (!isKnown && !isThere(position)) position += 1;
    this.#slots.splice(position, 0, isKnown ? alert : undefined);
  }

  remove(position: number): void {
    const alert = this.#truth.alerts[position];
    if (!alert) return;
    const isThere = this.#slots[position] !== undefined;
    expect(this.loaded.remove(alert.id)).toBe(isThere);
    // Otherwise it is unknown whether the alert is in the list.
    if (!isThere) return;
    this.#slots.splice(position, 1);
    this.#truth.alerts.splice(position, 1);
  }

  endAt(length: number): void {
    this.loaded.endAt(Math.min(length, this.#slots.length));
    this.#slots = this.#slots.slice(0, length);
    this.#truth.alerts = this.#truth.alerts.slice(0, length);
  }

  compare(): void {
    expect(this.loaded.total).toBe(this.#slots.length);
    expect(this.loaded.size).toBe(this.#slots.filter(Boolean).length);
    for (const [position, slot] of this.#slots.entries()) {
      if (this.loaded.at(position)?.id !== slot?.id)
        throw new Error(`Another alert is in position ${position}`);
      if (slot && this.loaded.positionOf(slot.id) !== position)
        throw new Error(`${slot.id} is not in position ${position}`);
    }
  }

  /** Puts alerts in wrong positions, and checks that contradicting ones are gone. */
  contradict(): void {
    const nodes = this.#truth.alerts.slice(100, 150);
    this.loaded.put(110, edgesOf(nodes));
    const ids = listOf(this.loaded.total, (position) => this.loaded.at(position)?.id);
    expect(ids.slice(110, 110 + nodes.length)).toEqual(nodes.map(({ id }) => id));
    const present = ids.filter(Boolean);
    expect([present.length, new Set(present).size]).toEqual([this.loaded.size, this.loaded.size]);
  }
}

test("the loaded alerts are the same as with a slot for each alert, whatever is put, inserted and removed", () => {
  const story = fc.array(
    fc.tuple(fc.constantFrom("put", "insert", "remove", "endAt"), fc.nat(600), fc.nat(250)),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(story, (operations) => {
      const slots = new Slots(600);
      for (const [name, position, count] of operations) {
        slots[name](position, count);
        slots.compare();
      }
      slots.contradict();
    }),
    { seed: 20_261_125, numRuns: 500 },
  );
});
