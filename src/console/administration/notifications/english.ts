import { statesInEnglish } from "../../../features/camera/status/states-in-english.js";
import type { DeliveryChannel } from "../../../generated/console.js";
import { byName } from "../../../platform/text/by-name.js";
export const english = {
  empty: "Nothing was sent yet",
  emptyText: "Emails, text messages and webhooks about alerts and outages are listed here, and invitations.",
  noMatch: "No notification matches.",
  channel: "Channel",
  state: "State",
  all: "All",
  states: byName({ PENDING: "Waiting", SENT: "Sent", PARKED: "Given up" }),
  kinds: byName({
    ALERT: "Alert",
    CLIP: "Clip",
    CAMERA_LOST: statesInEnglish.NO_STREAM,
    CAMERA_RECOVERED: "Working again",
    FACILITY_BACK: "Facility back",
    FACILITY_OFFLINE: statesInEnglish.FACILITY_OFFLINE,
    INVITATION: "Invitation",
    DIGEST: "Daily digest",
    TEST: "Test",
  }),
  attempts: (attempts: number) => (attempts === 1 ? "1 attempt" : `${attempts} attempts`),
  resend: "Send again",
  resendAll: (count: number) =>
    count === 1 ? "Send the one that was given up again" : `Send all ${count} that were given up again`,
  resendTitle: (count: number) =>
    count === 1 ? "Send 1 notification again?" : `Send ${count} notifications again?`,
  resendText:
    "Each goes to its target again, even if what it is about is long past. This cannot be taken back.",
  resendCut: "More match: these are the newest ones.",
  resendRefused: (count: number) =>
    `${count} more are left out, because you may not change rules at their facilities.`,
  resendRest: (count: number) => `Send the other ${count} again`,
  resendProgress: "Notifications that are sent again",
  resentSoFar: (sent: number, count: number) => `${sent} of ${count}`,
  resent: (count: number) => (count === 1 ? "It is sent again." : `${count} are sent again.`),
  channels: "Channels of this gateway",
  setUp: "Set up",
  missing: {
    EMAIL: "Not set up: the operator sets SMTP_URL and MAIL_FROM.",
    SMS: "Not set up: the operator sets TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM.",
    WEBHOOK: "Not set up.",
  } satisfies Record<DeliveryChannel, string>,
};
