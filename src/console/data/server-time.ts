/**
 * Within which the gateway's clock is ahead of this computer's, in milliseconds, as far
 * as its answers have told: each is dated with a second that lies between sending and
 * receiving.
 */
interface Lead {
  atLeast: number;
  atMost: number;
}

const unknown: Lead = { atLeast: Number.NEGATIVE_INFINITY, atMost: Number.POSITIVE_INFINITY };
/**
 * The `Date` of an answer is a whole second, and may be written a moment before the
 * answer.
 */
const precision = 2_000;

const listeners = new Set<() => void>();
let known = unknown;
let lead = 0;

/**
 * Notes the `Date` header of an answer, and when its request was sent and the answer
 * received by this computer's clock.
 */
export function noteServerDate(date: string | null, sentAt: number, receivedAt: number): void {
  const time = Date.parse(date ?? "");
  if (Number.isNaN(time) || receivedAt < sentAt) return;
  const noted = { atLeast: time - receivedAt, atMost: time + precision - sentAt };
  const narrowed = {
    atLeast: Math.max(known.atLeast, noted.atLeast),
    atMost: Math.min(known.atMost, noted.atMost),
  };
  // What contradicts earlier answers means that one of the clocks was set.
  known = narrowed.atLeast <= narrowed.atMost ? narrowed : noted;
  // A clock that may be right counts as right.
  const next = known.atLeast <= 0 && known.atMost >= 0 ? 0 : (known.atLeast + known.atMost) / 2;
  if (next === lead) return;
  lead = next;
  for (const listener of listeners) listener();
}

/** The time by the gateway's clock, in milliseconds since 1970. */
export const serverTime = (): number => Date.now() + lead;

/**
 * By how much the gateway's clock is ahead of this computer's, in milliseconds; 0 as long
 * as nothing else is known.
 */
export const serverLead = (): number => lead;

/**
 * Has a listener called whenever it becomes known that the gateway's clock is another
 * than was assumed, until what is returned is called.
 */
export function onServerTimeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
