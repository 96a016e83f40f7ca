import type { SeededRandom } from "../../src/programs/demo/seeded-random.js";
import type { World } from "./world.js";

/** A generated request or conversation. */
export interface FuzzCase {
  /** The printed form of a failing case. */
  text: string;
  /** Sends the case. Returns the faults of the answer. */
  run(url: string): Promise<string | undefined>;
}

/** Generates the cases of one kind. */
export type FuzzGenerator = (random: SeededRandom, world: World) => FuzzCase;

/** No client may wait longer for an answer or for more of it. */
export const answerTimeoutMs = 10_000;

/** The fault of an HTTP answer, whatever the request; undefined if there is none. */
export function faultOf({ status, text }: { status: number; text: string }): string | undefined {
  if (status === 503 && text.includes('"UNAVAILABLE"')) return undefined;
  if (status >= 500 || /"code": ?"INTERNAL"/.test(text)) return `${status}: ${text.slice(0, 500)}`;
  return undefined;
}
