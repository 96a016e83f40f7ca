import { Listeners } from "../listeners.js";

/**
 * The range of the gateway's lead over this computer's clock, in milliseconds: the `Date` of each answer lies between
 * sending the request and receiving the answer.
 */
interface Lead {
  atLeast: number;
  atMost: number;
}

const unknown: Lead = { atLeast: Number.NEGATIVE_INFINITY, atMost: Number.POSITIVE_INFINITY };
/** The `Date` header has whole seconds, and may be written shortly before the response. */
const precision = 2_000;

const listeners = new Listeners();
let known = unknown;
let lead = 0;

/** Notes the `Date` header of an answer, with the times of sending and receiving by this computer's clock. */
export function noteServerDate(date: string | null, sentAt: number, receivedAt: number): void {
  const time = Date.parse(date ?? "");
  if (Number.isNaN(time) || receivedAt < sentAt) return;
  const noted = { atLeast: time - receivedAt, atMost: time + precision - sentAt };
  const narrowed = {
    atLeast: Math.max(known.atLeast, noted.atLeast),
    atMost: Math.min(known.atMost, noted.atMost),
  };
  // A contradiction to earlier answers means that somebody set one of the clocks.
  known = narrowed.atLeast <= narrowed.atMost ? narrowed : noted;
  // If the clocks may agree, assume that they do.
  const next = known.atLeast <= 0 && known.atMost >= 0 ? 0 : (known.atLeast + known.atMost) / 2;
  if (next === lead) return;
  lead = next;
  listeners.notify();
}

/** The time by the gateway's clock, in milliseconds since 1970. */
export const serverTime = (): number => Date.now() + lead;

/** The gateway's lead over this computer's clock, in milliseconds; 0 until answers show another lead. */
export const serverLead = (): number => lead;

/**
 * Calls a listener whenever answers show that the assumed lead of the gateway's clock was wrong, until the
 * returned function is called.
 */
export const onServerTimeChange = listeners.add;
