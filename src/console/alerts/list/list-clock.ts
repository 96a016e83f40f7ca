import { createContext } from "react";
import { readersTimeZone } from "../../language/time-zones.js";

/**
 * The time zone of a list's days and times: that of its facilities if they share one, or else the reader's. Undefined
 * outside of lists, where each alert goes by the clock of its facility.
 */
export const ListClock = createContext<string | undefined>(undefined);

/** The time zone for a list of alerts of some facilities. */
export function listZoneOf(facilities: readonly { timeZoneId: string }[]): string {
  const [zone, ...others] = new Set(facilities.map(({ timeZoneId }) => timeZoneId));
  return zone !== undefined && others.length === 0 ? zone : readersTimeZone;
}
