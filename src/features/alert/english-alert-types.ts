export const englishAlertTypes: Record<string, string> = {
  MIN_WORKER_IN_CONFINED_SPACE: "Too few workers in a confined space",
  STATIC_DELIMITATION_AREA: "Person in a forbidden area",
  VEHICLE_IN_PEDESTRIAN_AREA: "Vehicle in a pedestrian area",
};
