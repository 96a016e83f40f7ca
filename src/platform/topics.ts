/** What is announced: alerts were raised, a camera's status changed, a facility reported, what somebody may do changed. */
export type Topic = "alertRaised" | "cameraStatusChanged" | "facilityHeartbeat" | "accessChanged";

/**
 * Something that happened and is committed. It says where, and names what it is about; whoever wants to know more reads it,
 * as the caller who asks may see it.
 */
export interface GatewayEvent {
  topic: Topic;
  workspaceId: string;
  facilityId?: string;
  cameraId?: string;
  /** Alerts, the camera or the facility, by topic; of `accessChanged`, the users and API keys. */
  ids: readonly string[];
}

/** Which events are wanted: those of a topic, in one place if it is named. */
export type Route = Pick<GatewayEvent, "topic" | "facilityId" | "cameraId"> & { workspaceId?: string };

/** Whether an event is one of those that are wanted. */
export function isOnRoute(event: GatewayEvent, route: Route): boolean {
  const fits = (name: "workspaceId" | "facilityId" | "cameraId") => route[name] === undefined || route[name] === event[name];
  return event.topic === route.topic && fits("workspaceId") && fits("facilityId") && fits("cameraId");
}

/** PostgreSQL sends no message of 8000 bytes or more; and whoever reads what an event names should do so in bearable pieces. */
const mostIds = 150;

/** The same event in pieces that can be sent. */
export function inPieces(event: GatewayEvent): GatewayEvent[] {
  const pieces: GatewayEvent[] = [];
  for (let start = 0; start < event.ids.length; start += mostIds) pieces.push({ ...event, ids: event.ids.slice(start, start + mostIds) });
  return pieces;
}
