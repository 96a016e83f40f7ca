import type { SeededRandom } from "./random.js";

/** A UUID of version 7 for a moment: ordered by time, and the same for the same random numbers. */
export function timeOrderedId(moment: Date, random: SeededRandom): string {
  const time = moment.getTime().toString(16).padStart(12, "0");
  const digits = (count: number) => Array.from({ length: count }, () => random.integer(0, 15).toString(16)).join("");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digits(3)}-${random.pick(["8", "9", "a", "b"])}${digits(3)}-${digits(12)}`;
}
