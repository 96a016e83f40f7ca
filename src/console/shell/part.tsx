import { type ComponentType, type LazyExoticComponent, lazy, useSyncExternalStore } from "react";
import { FailureKindNotice } from "../data/query-result.js";
import { tryAgainLater, tryAgainNow } from "../data/recovery.js";
import { useLanguage } from "../language/language.js";

/** A part of the console is not there any more: the gateway has another version of it. */
export class PartOutdatedError extends Error {
  override readonly name = "PartOutdatedError";
}

const listeners = new Set<() => void>();
/** How many parts wait until the gateway can be reached. */
let waitingParts = 0;

function changeWaiting(by: number): void {
  waitingParts += by;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * A component whose script is loaded when it is shown for the first time;
 * {@link PartLoading} is shown meanwhile.
 */
export const part = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> => lazy(async () => ({ default: await loaded(load) }));

/** What a function loads, as soon as the gateway can be reached. */
async function loaded<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  // Some browsers do not load again what once could not be loaded: while there is no
  // network, it is better not to begin.
  if (!navigator.onLine) await reachable();
  try {
    return await load();
  } catch {
    // What failed may have been that the gateway was away, or no longer is.
    await reachable();
    return load();
  }
}

/**
 * Waits until the gateway can be reached; throws if it has another version of the console
 * now.
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

/** The page as the gateway has it now; undefined if it does not answer. */
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
 * In place of a part that is being loaded: if the gateway cannot be reached, that it is
 * tried again.
 */
export function PartLoading() {
  const { messages } = useLanguage();
  const isWaiting = useSyncExternalStore(subscribe, () => waitingParts > 0);
  return isWaiting ? (
    <FailureKindNotice kind="unreachable" onRetry={tryAgainNow} />
  ) : (
    <p className="loading">{messages.common.loading}</p>
  );
}
