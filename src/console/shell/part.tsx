import { type ComponentType, type LazyExoticComponent, lazy, useSyncExternalStore } from "react";
import { FailureKindNotice } from "../data/query.js";
import { tryAgainLater, tryAgainNow } from "../data/recovery.js";
import { useLanguage } from "../language/language.js";
import { Listeners } from "../listeners.js";

/** A part of the console is gone: the gateway has another version of the console. */
export class PartOutdatedError extends Error {
  override readonly name = "PartOutdatedError";
}

const listeners = new Listeners();
/** The number of parts that wait until the gateway is reachable. */
let waitingParts = 0;

function changeWaiting(by: number): void {
  waitingParts += by;
  listeners.notify();
}

/**
 * A component whose script is loaded on first use. Shows {@link PartLoading} meanwhile.
 */
export const part = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> => lazy(async () => ({ default: await loaded(load) }));

/** The result of a loading function, as soon as the gateway is reachable. */
async function loaded<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  // Some browsers do not repeat a failed load of a script: without a network, do not
  // start.
  if (!navigator.onLine) await reachable();
  try {
    return await load();
  } catch {
    // The load may have failed because the gateway is away, or no longer is.
    await reachable();
    return load();
  }
}

/**
 * Waits until the gateway is reachable. Throws if it has another version of the console.
 */
async function reachable(): Promise<void> {
  let page = await currentPage();
  if (page === undefined) {
    changeWaiting(1);
    while (page === undefined) {
      await new Promise<void>((resolve) => tryAgainLater(resolve));
      page = await currentPage();
    }
    changeWaiting(-1);
  }
  const script = document.querySelector("script[type=module][src]")?.getAttribute("src");
  if (script && !page.includes(script))
    throw new PartOutdatedError("The gateway has another version of the console");
}

/** The gateway's current page; undefined if the gateway does not answer. */
async function currentPage(): Promise<string | undefined> {
  try {
    const response = await fetch("/", {
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.timeout(10_000),
    });
    return response.ok ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Replaces a part while it is loaded. If the gateway is unreachable, says that the
 * console keeps trying.
 */
export function PartLoading() {
  const { messages } = useLanguage();
  const isWaiting = useSyncExternalStore(listeners.add, () => waitingParts > 0);
  return isWaiting ? (
    <FailureKindNotice kind="unreachable" onRetry={tryAgainNow} />
  ) : (
    <p className="loading">{messages.common.loading}</p>
  );
}
