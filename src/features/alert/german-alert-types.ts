export const germanAlertTypes: Record<string, string> = {
  MIN_WORKER_IN_CONFINED_SPACE: "Zu wenige Personen im engen Raum",
  STATIC_DELIMITATION_AREA: "Person im abgegrenzten Bereich",
  VEHICLE_IN_PEDESTRIAN_AREA: "Fahrzeug im Fußgängerbereich",
};
