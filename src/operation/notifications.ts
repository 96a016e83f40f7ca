import type { Camera, Facility, Invitation, StreamRequest } from "../generated/prisma/client.js";
import type { WriteAccess } from "./write.js";

/** The fields of a recorded alert that notifications need. */
export interface RecordedAlert {
  id: string;
  cameraId: string;
  alertRuleId: string | null;
  createdAt: Date;
}

/** A write that may record events: that of a caller or of the feed server. */
export type EventWrite = Pick<WriteAccess, "transaction" | "now">;

/**
 * Receives events within the transaction that records them. Notifications are therefore
 * recorded together with their events, or not at all.
 */
export interface Notifications {
  /** Alerts were recorded, in this order. Their cameras are locked against changes. */
  alertsRecorded(write: WriteAccess, alerts: readonly RecordedAlert[]): void;
  /** The status detail of a locked camera changed. */
  cameraStatusChanged(write: EventWrite, before: Camera, after: Camera): Promise<void>;
  /** A facility marked as offline sent a heartbeat. The facility is locked. */
  facilityBack(write: EventWrite, facility: Facility): Promise<void>;
  /** A stream was requested of the feed server. */
  streamRequested(write: EventWrite, request: StreamRequest): Promise<void>;
  /** Somebody was invited, or invited again. The invitation is new, or locked. */
  userInvited(write: EventWrite, invitation: Invitation): Promise<void>;
}
