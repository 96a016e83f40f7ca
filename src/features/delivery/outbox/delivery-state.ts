/** The state of a delivery. */
export enum DeliveryState {
  PENDING = "PENDING",
  SENT = "SENT",
  PARKED = "PARKED",
}

/** The channel of stream requests, which are no notifications. It is also their host. */
export const feedServerChannel = "FEED_SERVER";

/** The channel of a notification. */
export enum DeliveryChannel {
  WEBHOOK = "WEBHOOK",
  EMAIL = "EMAIL",
  SMS = "SMS",
}

/** The kinds of mails to a single person, who is a user or invited. They are about no facility. */
export type PersonalMailKind = "INVITATION" | "SIGN_IN_LINK" | "DIGEST";
