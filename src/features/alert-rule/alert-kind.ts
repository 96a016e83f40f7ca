// The well-known types and severities. Both are free texts, so others may occur.

/** The types that say what is there, how many or for how long; the meaning of others only their detector knows. */
export const knownTypes: readonly string[] = [
  "STATIC_DELIMITATION_AREA",
  "VEHICLE_IN_PEDESTRIAN_AREA",
  "NO_HELMET",
  "NO_SAFETY_VEST",
  "LOITERING",
  "MAX_PEOPLE",
  "MIN_WORKER_IN_CONFINED_SPACE",
  "BLOCKED_EXIT",
];

export const knownSeverities: readonly string[] = ["CRITICAL", "HIGH", "MEDIUM", "LOW"];

/** The position of a severity in a list: the gravest first, unknown ones and none at the end. */
export function severityRank(severity: string | null | undefined): number {
  if (severity === null || severity === undefined) return knownSeverities.length + 1;
  const known = knownSeverities.indexOf(severity.toUpperCase());
  return known === -1 ? knownSeverities.length : known;
}

export const alertTypes =
  "such as STATIC_DELIMITATION_AREA or MIN_WORKER_IN_CONFINED_SPACE; others may occur";

export const severities = "such as LOW, MEDIUM or HIGH; others may occur";
