/** What a message tells about one alert. */
export interface AlertNotification {
  alert: {
    id: string;
    name: string;
    severity: string | null;
    observation: boolean;
    count: number;
    createdAt: Date;
  };
  camera: { id: string; name: string };
  /** With the zone by which its local times are told. */
  facility: { id: string; name: string; timeZoneId: string };
  /** Null if the alert was raised without a rule, or if the rule was deleted. */
  alertRule: { id: string; name: string; severity: string; pretty: string | null } | null;
  /** Opens the alert in the console. */
  consoleUrl: string;
  /** The stored picture, or one elsewhere; good for 7 days. */
  pictureUrl: string | null;
  /** A test that somebody asked for, about an alert that did not happen. */
  isTest: boolean;
}

/**
 * An outage, or its end: a camera whose stream cannot be opened, a facility whose device
 * is silent.
 */
export interface OutageNotification {
  kind: "CAMERA_LOST" | "CAMERA_RECOVERED" | "FACILITY_OFFLINE" | "FACILITY_BACK";
  /** With the zone by which its local times are told. */
  facility: { id: string; name: string; timeZoneId: string };
  /** Null for facilities. */
  camera: { id: string; name: string } | null;
  /** When it happened; for FACILITY_OFFLINE the last heartbeat. */
  at: Date;
  /** Opens the camera or the facility in the console. */
  consoleUrl: string;
}
