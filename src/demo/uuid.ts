import type { SeededRandom } from "./seeded-random.js";

/**
 * A version 7 UUID (ordered by time) with the given timestamp. Reproducible, because its
 * random bits come from `random`.
 */
export function seededUuidV7(timestamp: Date, random: SeededRandom): string {
  const time = timestamp.getTime().toString(16).padStart(12, "0");
  const digits = (count: number) =>
    Array.from({ length: count }, () => random.integer(0, 15).toString(16)).join("");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digits(3)}-${random.pick(["8", "9", "a", "b"])}${digits(3)}-${digits(12)}`;
}
