/** What ends a wait, and work that has not begun. */
export interface Cancellation {
  readonly signal?: AbortSignal | undefined;
  /** As the signal's, for those who make that only when it is asked for. */
  throwIfAborted?(): void;
}

/** Throws the reason of a cancellation if there was one. */
export function throwIfCancelled(cancellation: Cancellation): void {
  if (cancellation.throwIfAborted) cancellation.throwIfAborted();
  else cancellation.signal?.throwIfAborted();
}
