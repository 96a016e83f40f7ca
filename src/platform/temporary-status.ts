/**
 * The statuses below 500 after which the same request may succeed later: time-out, too
 * early, too many.
 */
export const temporaryStatuses: readonly number[] = [408, 425, 429];
