import type { Notifications } from "../../operation/notifications.js";
import { type ConfiguredChannels, queueAlertDeliveries } from "../alert-deliveries.js";
import { queueInvitationMail } from "../invitation-mails.js";
import { queueCameraOutage, queueFacilityOutages } from "../outages.js";
import { queueStreamRequest } from "../stream-request-deliveries.js";

/** Queues the deliveries of events, for the channels that are set up. */
export const outbox = (channels: ConfiguredChannels): Notifications => ({
  alertsRecorded: (write, alerts) => queueAlertDeliveries(write, alerts, channels),
  cameraStatusChanged: (write, before, after) => queueCameraOutage(write, { before, after }, channels),
  facilityBack: (write, { workspaceId, id }) =>
    queueFacilityOutages(write, { kind: "FACILITY_BACK", workspaceId, facilityIds: [id] }, channels),
  streamRequested: ({ transaction }, { workspaceId, id }) => queueStreamRequest(transaction, workspaceId, id),
  userInvited: async ({ transaction, now }, invitation) => {
    if (channels.email) await queueInvitationMail(transaction, invitation, now);
  },
});
