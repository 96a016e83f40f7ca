import { useSyncExternalStore } from "react";
import type { Operation } from "urql";
import { Listeners } from "../listeners.js";
import { currentQuery, useAddress } from "../navigation/location.js";
import { pageOf } from "../views.js";

/** The maximum number of remembered operations that have ended. */
const mostEnded = 50;

interface Tracked {
  operation: Operation;
  view: string;
}

/** The operations whose results components show, by their keys. */
const active = new Map<number, Tracked>();
const ended = new Map<number, Tracked>();
const listeners = new Listeners();
let snapshot: { active: Tracked[]; ended: Tracked[] } = { active: [], ended: [] };

function publish() {
  snapshot = { active: [...active.values()], ended: [...ended.values()].reverse() };
  listeners.notify();
}

/** Remembers a query or subscription as it is before the cache adds to it. Ignores mutations. */
export function trackOperation(operation: Operation): void {
  const { key, kind } = operation;
  if (kind === "mutation" || (kind !== "teardown" && active.has(key))) return;
  if (kind === "teardown") end(key);
  else active.set(key, { operation, view: pageOf(currentQuery()) });
  publish();
}

function end(key: number) {
  const tracked = active.get(key);
  if (!tracked) return;
  active.delete(key);
  ended.delete(key);
  ended.set(key, tracked);
  const [oldest] = ended.keys();
  if (ended.size > mostEnded && oldest !== undefined) ended.delete(oldest);
}

/** Forgets all operations at the end of a session. */
export function forgetOperations(): void {
  active.clear();
  ended.clear();
  publish();
}

/** The queries whose results are shown now. */
export const activeQueries = (): Operation[] =>
  [...active.values()].map(({ operation }) => operation).filter(({ kind }) => kind === "query");

/** The operations of the current view: first those with shown results, then those that have ended, latest first. */
export function useOperationsOfView(): readonly Operation[] {
  const current = pageOf(useAddress());
  const { active, ended } = useSyncExternalStore(listeners.add, () => snapshot);
  return [...active, ...ended.filter(({ view }) => view === current)].map(({ operation }) => operation);
}
