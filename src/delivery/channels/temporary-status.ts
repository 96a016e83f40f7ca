/** Statuses below 500 that invite a retry: time-out, too early, too many requests. */
export const temporaryStatuses: readonly number[] = [408, 425, 429];
