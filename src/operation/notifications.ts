import type { Camera, Facility } from "../generated/prisma/client.js";
import type { RawWriteAccess, WriteAccess } from "./write.js";

/** What is known of an alert that was just recorded. */
export interface RecordedAlert {
  id: string;
  cameraId: string;
  alertRuleId: string | null;
  createdAt: Date;
}

/** What events may be recorded in: a write of a caller or of the feed server. */
export type EventWrite = Pick<WriteAccess, "transaction" | "now">;

/**
 * Told of events in the transaction that records them, so that whoever has to be notified
 * is recorded with them, or not at all.
 */
export interface Notifications {
  /** Alerts were recorded, in this order; their cameras are locked against changes. */
  alertsRecorded(write: RawWriteAccess, alerts: readonly RecordedAlert[]): void;
  /** The status detail of a camera, which is locked, became another. */
  cameraStatusChanged(write: EventWrite, before: Camera, after: Camera): Promise<void>;
  /** A facility that was marked as offline sent a heartbeat; it is locked. */
  facilityBack(write: EventWrite, facility: Facility): Promise<void>;
}
