import type { EventFeed } from "../events/event-hub.js";
import type { EventFilter, GatewayEvent, Topic } from "../events/gateway-event.js";
import type { RequestContext } from "./request-context.js";

/** The root value of a subscription's resolver, for each record that an event names. */
export interface EventRoot extends Omit<GatewayEvent, "ids" | "places"> {
  id: string;
}

/**
 * The events of a topic in the caller's workspace, of one facility or camera if it is
 * given. Whether the caller sees the records they name is decided for each event.
 */
export function eventsFor(
  context: RequestContext,
  topic: Topic,
  place: Pick<EventFilter, "facilityId" | "cameraId"> = {},
): EventFeed {
  return context.services.events.feed({ topic, workspaceId: context.caller.workspaceId, ...place });
}
