import type { Reaction } from "../../../engine/events/gateway-event.js";
import { alertDeliveries, clipDeliveries } from "../alert-deliveries.js";
import type { ConfiguredChannels } from "../channels/delivery-channels.js";
import { invitationMailDelivery } from "../invitation-mails.js";
import { cameraOutage, facilityOutages } from "../outages.js";
import { streamRequestDelivery } from "../stream-request-deliveries.js";

export const outbox =
  (channels: ConfiguredChannels): Reaction =>
  (event, at) => {
    const { workspaceId, now } = at;
    switch (event.topic) {
      case "alertRaised":
        return alertDeliveries(event.subject, at, channels);
      case "alertChanged":
        return event.change === "CLIP" ? [clipDeliveries(event.ids, at)] : [];
      case "cameraStatusChanged":
        return cameraOutage(event.subject, now, channels);
      case "facilityHeartbeat":
        return event.subject.offlineToldAt
          ? facilityOutages(now, { kind: "FACILITY_BACK", workspaceId, facilityIds: event.ids }, channels)
          : [];
      case "streamRequested":
        return [streamRequestDelivery(event.subject)];
      case "userInvited":
        return channels.has("EMAIL") ? [...invitationMailDelivery(event.subject, now)] : [];
      default:
        return [];
    }
  };
