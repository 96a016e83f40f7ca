/**
 * The topics of events: alerts were raised or changed, a camera's status changed, a
 * facility sent a heartbeat, a caller's access changed. Instances accept events of these
 * topics from each other.
 */
export const topics = [
  "alertRaised",
  "alertChanged",
  "cameraStatusChanged",
  "facilityHeartbeat",
  "accessChanged",
] as const;

export type Topic = (typeof topics)[number];

/** What may happen to an alert. */
export const alertChanges = ["MARKED", "COMMENTED", "DELETED"] as const;

/** The facility and the camera of an alert. */
export interface EventPlace {
  facilityId: string;
  cameraId: string;
}

/**
 * Something that happened and was committed. It holds ids only: subscribers read the rows
 * themselves, restricted to what their caller may see.
 */
export interface GatewayEvent {
  topic: Topic;
  workspaceId: string;
  facilityId?: string;
  cameraId?: string;
  /**
   * The ids of alerts, of a camera or of a facility, depending on the topic; for
   * `accessChanged`, of users and API keys.
   */
  ids: readonly string[];
  /**
   * Where each of the ids belongs, in their order, instead of one facility and camera:
   * what is written together stays together.
   */
  places?: readonly EventPlace[];
  /** What happened to the alerts; for `alertChanged` alone. */
  change?: (typeof alertChanges)[number];
  /**
   * The trace of the request that caused it, as the header of the same name, for the
   * messages about it; only where traces are recorded.
   */
  traceparent?: string;
}

/** Selects the events of a topic, optionally of one workspace, facility or camera. */
export type EventFilter = Pick<GatewayEvent, "topic"> & {
  [Place in "workspaceId" | "facilityId" | "cameraId"]?: string | null | undefined;
};

/**
 * What a filter selects of an event: with those of its ids that belong there. Undefined
 * if that is nothing.
 */
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
 * PostgreSQL limits a notification to less than 8000 bytes; and subscribers should not
 * have to read too many rows at once.
 */
const maxIds = 150;
const maxIdsWithPlaces = 50;

/**
 * Splits an event into parts that are small enough to send; a place that is the same for
 * all ids is sent once.
 */
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
