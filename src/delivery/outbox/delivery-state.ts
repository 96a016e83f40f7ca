/** What has become of a delivery. */
export enum DeliveryState {
  PENDING = "PENDING",
  SENT = "SENT",
  PARKED = "PARKED",
}

/** How a notification is sent. */
export enum DeliveryChannel {
  WEBHOOK = "WEBHOOK",
  EMAIL = "EMAIL",
  SMS = "SMS",
}
