/** Ends waiting, and cancels work that has not begun. */
export interface Cancellation {
  readonly signal?: AbortSignal | undefined;
  /** Like the signal's method, for owners that create the signal only on demand. */
  throwIfAborted?(): void;
}

/** Throws the reason of the cancellation, if there was one. */
export function throwIfCancelled(cancellation: Cancellation): void {
  if (cancellation.throwIfAborted) cancellation.throwIfAborted();
  else cancellation.signal?.throwIfAborted();
}
