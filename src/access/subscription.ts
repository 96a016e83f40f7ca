import type { EventFeed } from "../events/event-hub.js";
import type { Topic } from "../platform/topics.js";
import type { RequestContext } from "./request-context.js";

/** What a subscription's resolver is given for each thing that an event names. */
export interface Announced {
  id: string;
}

/** The events of a topic in the caller's workspace, of one facility or camera if it is given. Whether the caller sees what they name is found out for each. */
export function eventsFor(
  context: RequestContext,
  topic: Topic,
  place: { facilityId?: string | null | undefined; cameraId?: string | null | undefined } = {},
): EventFeed {
  const { facilityId, cameraId } = place;
  return context.services.events.feed({
    topic,
    workspaceId: context.caller.workspaceId,
    ...(facilityId != null && { facilityId }),
    ...(cameraId != null && { cameraId }),
  });
}
