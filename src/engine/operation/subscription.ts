import type { EventStream } from "../events/event-hub.js";
import type { EventFilter, GatewayEvent, Topic } from "../events/gateway-event.js";
import type { RequestContext } from "./request-context.js";

/** The root value of a subscription's resolver, one for each record of an event. */
export interface EventRoot extends Omit<GatewayEvent, "ids" | "places"> {
  id: string;
}

/** The events of a topic in the workspace, or of one facility or camera. Each event's visibility is checked. */
export function eventsFor(
  context: RequestContext,
  topic: Topic,
  place: Pick<EventFilter, "facilityId" | "cameraId"> = {},
): EventStream {
  return context.services.events.stream({ topic, workspaceId: context.caller.workspaceId, ...place });
}
