import type {
  Alert,
  Camera,
  Facility,
  Invitation,
  Prisma,
  StreamRequest,
} from "../../generated/prisma/client.js";

/** The topics that instances accept from each other. */
export const topics = [
  "alertRaised",
  "alertChanged",
  "cameraStatusChanged",
  "facilityHeartbeat",
  "accessChanged",
] as const;

export type Topic = (typeof topics)[number];

/** What only leads to work of background workers. */
type LocalTopic = "streamRequested" | "userInvited" | "workQueued";

/** What an event is about, for those who react to it within its transaction. */
interface EventSubjects {
  alertRaised: readonly RecordedAlert[];
  cameraStatusChanged: { before: Camera; after: Camera };
  /** The facility as it was before the heartbeat. */
  facilityHeartbeat: Facility;
  streamRequested: StreamRequest;
  userInvited: Invitation;
}

/** The fields of a recorded alert that notifications need. */
export type RecordedAlert = Pick<Alert, "id" | "cameraId" | "alertRuleId" | "createdAt">;

export type DomainEvent = {
  [Each in Topic | LocalTopic]: { topic: Each } & (Each extends Topic
    ? Omit<GatewayEvent, "topic" | "workspaceId">
    : object) &
    (Each extends keyof EventSubjects ? { subject: EventSubjects[Each] } : object);
}[Topic | LocalTopic];

/** The statements that an event adds to its transaction: what they record is recorded with the event or not at all. */
export type Reaction = (
  domainEvent: DomainEvent,
  at: { workspaceId: string; now: Date },
) => readonly Prisma.Sql[];

/** The event as all instances learn of it; undefined if none does. */
export function sharedEvent(
  domainEvent: DomainEvent & { traceparent?: string },
  workspaceId: string,
): GatewayEvent | undefined {
  const { subject: _subject, ...event } = { subject: undefined, ...domainEvent };
  return "ids" in event ? { ...event, workspaceId } : undefined;
}

export const alertChanges = ["MARKED", "COMMENTED", "PICTURE", "CLIP", "DELETED"] as const;

/** The facility and the camera of an alert. */
interface EventPlace {
  facilityId: string;
  cameraId: string;
}

/** A committed event. It holds only ids: subscribers read the rows, restricted to those that their caller may see. */
export interface GatewayEvent {
  topic: Topic;
  workspaceId: string;
  facilityId?: string;
  cameraId?: string;
  /**
   * The ids of alerts, of a camera or of a facility, depending on the topic. For `accessChanged`, those of
   * users and API keys.
   */
  ids: readonly string[];
  /**
   * The place of each id, in their order, instead of one facility and camera: alerts written together stay one event.
   */
  places?: readonly EventPlace[];
  /** The kind of change; only for `alertChanged`. */
  change?: (typeof alertChanges)[number];
  /**
   * The `traceparent` header of the request that caused the event, for messages about it; only if traces are recorded.
   */
  traceparent?: string;
}

/** Selects the events of a topic, optionally of one workspace, facility or camera. */
export type EventFilter = Pick<GatewayEvent, "topic"> & {
  [Place in "workspaceId" | "facilityId" | "cameraId"]?: string | null | undefined;
};

/** Applies a filter to an event, and keeps the ids from the filter's place. Returns undefined if none match. */
export function selectedOf(event: GatewayEvent, filter: EventFilter): GatewayEvent | undefined {
  const { topic, workspaceId, ids, places } = event;
  if (topic !== filter.topic || (filter.workspaceId != null && filter.workspaceId !== workspaceId))
    return undefined;
  const isThere = (place: Partial<EventPlace> | undefined) =>
    (filter.facilityId == null || filter.facilityId === place?.facilityId) &&
    (filter.cameraId == null || filter.cameraId === place?.cameraId);
  if (!places) return isThere(event) ? event : undefined;
  const there = places.filter(isThere);
  if (there.length === places.length) return event;
  return there.length > 0
    ? { ...event, ids: ids.filter((_id, index) => isThere(places[index])), places: there }
    : undefined;
}

/**
 * PostgreSQL limits a notification to less than 8000 bytes. Besides, subscribers should not read too many rows at once.
 */
const maxIds = 150;
const maxIdsWithPlaces = 50;

/** Splits an event into parts small enough to send. A facility and camera are sent once if all ids share them. */
export function splitEvent(event: GatewayEvent): GatewayEvent[] {
  const { places, ...common } = event;
  const [first] = places ?? [];
  if (
    first &&
    places?.every(
      ({ facilityId, cameraId }) => facilityId === first.facilityId && cameraId === first.cameraId,
    )
  )
    return splitEvent({ ...common, ...first });
  const length = places ? maxIdsWithPlaces : maxIds;
  const parts: GatewayEvent[] = [];
  for (let start = 0; start < event.ids.length; start += length) {
    const end = start + length;
    parts.push({
      ...common,
      ids: event.ids.slice(start, end),
      ...(places && { places: places.slice(start, end) }),
    });
  }
  return parts;
}
