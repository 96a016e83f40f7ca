/**
 * The topics of events: alerts were raised, a camera's status changed, a facility sent a heartbeat, a caller's access changed.
 * Instances accept events of these topics from each other.
 */
export const topics = ["alertRaised", "cameraStatusChanged", "facilityHeartbeat", "accessChanged"] as const;

export type Topic = (typeof topics)[number];

/**
 * Something that happened and was committed. It holds ids only: subscribers read the rows themselves, restricted to what their
 * caller may see.
 */
export interface GatewayEvent {
  topic: Topic;
  workspaceId: string;
  facilityId?: string;
  cameraId?: string;
  /** The ids of alerts, of a camera or of a facility, depending on the topic; for `accessChanged`, of users and API keys. */
  ids: readonly string[];
}

/** Selects the events of a topic, optionally of one workspace, facility or camera. */
export type EventFilter = Pick<GatewayEvent, "topic"> & { [Place in "workspaceId" | "facilityId" | "cameraId"]?: string | null | undefined };

/** Whether an event is selected by a filter. */
export function matches(event: GatewayEvent, filter: EventFilter): boolean {
  const isMatch = (name: "workspaceId" | "facilityId" | "cameraId") => filter[name] == null || filter[name] === event[name];
  return event.topic === filter.topic && isMatch("workspaceId") && isMatch("facilityId") && isMatch("cameraId");
}

/** PostgreSQL limits a notification to less than 8000 bytes; and subscribers should not have to read too many rows at once. */
const maxIds = 150;

/** Splits an event into parts that are small enough to send. */
export function splitEvent(event: GatewayEvent): GatewayEvent[] {
  const parts: GatewayEvent[] = [];
  for (let start = 0; start < event.ids.length; start += maxIds) parts.push({ ...event, ids: event.ids.slice(start, start + maxIds) });
  return parts;
}
