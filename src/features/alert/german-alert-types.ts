export const germanAlertTypes: Record<string, string> = {
  BLOCKED_EXIT: "Ausgang versperrt",
  LOITERING: "Zu langer Aufenthalt",
  MAX_PEOPLE: "Zu viele Personen",
  MIN_WORKER_IN_CONFINED_SPACE: "Zu wenige Personen im engen Raum",
  NO_HELMET: "Kein Helm",
  NO_SAFETY_VEST: "Keine Warnweste",
  STATIC_DELIMITATION_AREA: "Person im abgegrenzten Bereich",
  VEHICLE_IN_PEDESTRIAN_AREA: "Fahrzeug im Fußgängerbereich",
};
