export const englishAlertTypes: Record<string, string> = {
  BLOCKED_EXIT: "Blocked exit",
  LOITERING: "Stays too long",
  MAX_PEOPLE: "Too many people",
  MIN_WORKER_IN_CONFINED_SPACE: "Too few workers in a confined space",
  NO_HELMET: "No helmet",
  NO_SAFETY_VEST: "No safety vest",
  STATIC_DELIMITATION_AREA: "Person in a forbidden area",
  VEHICLE_IN_PEDESTRIAN_AREA: "Vehicle in a pedestrian area",
};
