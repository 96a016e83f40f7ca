import type { Contact } from "../../facility/contact.js";

export interface AlertNotification {
  alert: {
    id: string;
    name: string;
    /** The rule's own name. */
    alertRuleName: string | null;
    severity: string | null;
    observation: boolean;
    count: number;
    createdAt: Date;
  };
  camera: { id: string; name: string };
  facility: { id: string; name: string; timeZoneId: string };
  /** Null if the alert was raised without a rule, or if someone deleted the rule. */
  alertRule: { id: string; name: string; severity: string; pretty: string | null } | null;
  consoleUrl: string;
  /** A link to the stored or an external picture. It stays valid for 7 days. */
  pictureUrl: string | null;
  /** A link to the clip, if it is ready by now. It stays valid for 7 days. */
  clipUrl: string | null;
  isTest: boolean;
  /** The time zone of the reader, or of the facility if that is not known. */
  readersTimeZone: string;
}

/** An outage or its end: a camera without a working stream, or a facility with a silent device. */
export interface OutageNotification {
  kind: "CAMERA_LOST" | "CAMERA_RECOVERED" | "FACILITY_OFFLINE" | "FACILITY_BACK";
  facility: { id: string; name: string; timeZoneId: string };
  /** Null for outages of facilities. */
  camera: { id: string; name: string } | null;
  /** Whom to call, those of the camera first, and what people noted about it. */
  contacts: readonly Contact[];
  note: string | null;
  /** The time of the event; for FACILITY_OFFLINE, that of the last heartbeat. */
  at: Date;
  consoleUrl: string;
  /** The time zone of the reader, or of the facility if that is not known. */
  readersTimeZone: string;
}
