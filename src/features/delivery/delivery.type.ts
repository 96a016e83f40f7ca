import { Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { FoundBy, Node } from "../../engine/nodes/node.type.js";
import { BackedBy } from "../../engine/reading/annotations.js";
import { connectionOf } from "../../engine/reading/connection.js";
import { DateTimeIso, Uuid } from "../../platform/input/scalars.js";
import { channelNames, deliveryChannels } from "./channels/delivery-channels.js";
import { deliveries, deliveryById } from "./delivery.loader.js";
import { DeliveryChannel, DeliveryState } from "./outbox/delivery-state.js";

/** The subject of a delivery. */
enum DeliveryKind {
  ALERT = "ALERT",
  CLIP = "CLIP",
  TEST = "TEST",
  CAMERA_LOST = "CAMERA_LOST",
  CAMERA_RECOVERED = "CAMERA_RECOVERED",
  FACILITY_OFFLINE = "FACILITY_OFFLINE",
  FACILITY_BACK = "FACILITY_BACK",
  INVITATION = "INVITATION",
  DIGEST = "DIGEST",
}

registerEnumType(DeliveryKind, {
  name: "DeliveryKind",
  description: "The kind of event that a delivery is about.",
  valuesConfig: {
    ALERT: { description: "An alert was recorded." },
    CLIP: { description: "The clip of an alert is READY or FAILED. Told to webhooks alone." },
    TEST: { description: "Somebody requested a test with `sendTestDelivery`." },
    CAMERA_LOST: { description: "The stream of a camera could not be opened." },
    CAMERA_RECOVERED: { description: "The stream of a camera works again." },
    FACILITY_OFFLINE: { description: "The device of a facility has been silent for some time." },
    FACILITY_BACK: { description: "The device of a facility reports again." },
    DIGEST: {
      description: "The daily digest of a user. Sent again later than an hour after its time, it is dropped.",
    },
    INVITATION: { description: "Somebody was invited to become a user of the workspace." },
  },
});
registerEnumType(DeliveryChannel, {
  name: "DeliveryChannel",
  description: "How a notification is sent.",
  valuesConfig: Object.fromEntries(
    channelNames.map((channel) => [channel, { description: deliveryChannels[channel].words }]),
  ),
});
registerEnumType(DeliveryState, {
  name: "DeliveryState",
  description: "The state of a delivery.",
  valuesConfig: {
    PENDING: { description: "The delivery waits to be sent, or to be sent again after a failure." },
    SENT: { description: "The target accepted it." },
    PARKED: {
      description: "The gateway gave the delivery up; `lastError` says why. `redeliver` queues it again.",
    },
  },
});

@BackedBy(() => deliveries)
@FoundBy((context, selection, id) => deliveryById(context, selection).load(id))
@ObjectType({
  implements: Node,
  description:
    "A notification to one target: a webhook, an email address or a phone number. The gateway sends it at least once, and keeps it for 30 days after sending. The gateway drops an unsent notification when its alert is deleted, when its rule or camera no longer names the target, or when its invitation is no longer open or is resent.",
  simpleResolvers: true,
})
export class Delivery {
  @Field(() => Uuid, {
    description:
      "Assigned by the gateway; it never changes. A webhook gets the ID as `webhook-id`, the same in each repetition.",
  })
  id!: string;

  @Field(() => DeliveryKind, { description: "The kind of event that the notification is about." })
  kind!: DeliveryKind;

  @Field(() => DeliveryChannel, { description: "The channel through which the notification is sent." })
  channel!: DeliveryChannel;

  @Field(() => DeliveryState, { description: "Whether the notification is waiting, sent or given up." })
  state!: DeliveryState;

  @Field(() => Int, {
    description:
      "The number of attempts to send the notification, since it was queued or `redeliver` queued it again.",
  })
  attempts!: number;

  @Field(() => DateTimeIso, {
    nullable: true,
    description:
      "The earliest time to send the notification, after earlier ones to the same target; in the past if it may be sent now. After a failure, the gateway waits before it tries the target again: longer after each failure, an hour at most. Null unless the notification is PENDING.",
  })
  nextAttemptAt!: Date | null;

  @Field(() => DateTimeIso, {
    nullable: true,
    description: "When the target accepted the notification; null unless it is SENT.",
  })
  sentAt!: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Why the target did not accept the notification the last time, such as the status of the response, or why the gateway gave it up; null if nothing failed.",
  })
  lastError!: string | null;

  @Field(() => DateTimeIso, {
    description:
      "When the event was recorded that the notification is about. Lists are ordered by this time.",
  })
  createdAt!: Date;
}

export const DeliveryConnection = connectionOf(Delivery, "Delivery", "deliveries");
