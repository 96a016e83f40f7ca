import { useSyncExternalStore } from "react";
import type { Operation } from "urql";
import { currentQuery, useQuery as useAddress } from "../navigation/location.js";
import { viewOf } from "../views.js";

/** So many operations that have ended are remembered. */
const mostEnded = 50;

/** An operation with the name of the view in which it was started. */
interface Tracked {
  operation: Operation;
  view: string;
}

/** What components show the results of, by the key of each operation. */
const active = new Map<number, Tracked>();
const ended = new Map<number, Tracked>();
const listeners = new Set<() => void>();
let snapshot: { active: Tracked[]; ended: Tracked[] } = { active: [], ended: [] };

function publish(): void {
  snapshot = { active: [...active.values()], ended: [...ended.values()].reverse() };
  for (const listener of listeners) listener();
}

/**
 * Remembers a query or subscription as it was before the cache has added to it. Mutations
 * are not remembered.
 */
export function trackOperation(operation: Operation): void {
  const { key, kind } = operation;
  if (kind === "mutation" || (kind !== "teardown" && active.has(key))) return;
  if (kind === "teardown") end(key);
  else active.set(key, { operation, view: viewOf(currentQuery()) });
  publish();
}

function end(key: number): void {
  const tracked = active.get(key);
  if (!tracked) return;
  active.delete(key);
  ended.delete(key);
  ended.set(key, tracked);
  const [oldest] = ended.keys();
  if (ended.size > mostEnded && oldest !== undefined) ended.delete(oldest);
}

/** Forgets all operations, as those of a session that has ended. */
export function forgetOperations(): void {
  active.clear();
  ended.clear();
  publish();
}

/** The queries of which results are shown at this moment. */
export const activeQueries = (): Operation[] =>
  [...active.values()].map(({ operation }) => operation).filter(({ kind }) => kind === "query");

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * The queries and subscriptions that the present view has run: first those of which
 * results are shown, then those that have ended, the latest first.
 */
export function useOperationsOfView(): readonly Operation[] {
  const current = viewOf(useAddress());
  const { active, ended } = useSyncExternalStore(subscribe, () => snapshot);
  return [...active, ...ended.filter(({ view }) => view === current)].map(({ operation }) => operation);
}
