import { Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { DateTimeIso, Uuid } from "../platform/scalars.js";
import { BackedBy } from "../reading/annotations.js";
import { connectionOf } from "../reading/connection.js";
import { FoundBy, Node } from "../relay/node.type.js";
import { deliveries, deliveryById } from "./delivery.loader.js";
import { DeliveryChannel, DeliveryState } from "./outbox/delivery-state.js";

/** The subject of a delivery. */
export enum DeliveryKind {
  ALERT = "ALERT",
  TEST = "TEST",
  CAMERA_LOST = "CAMERA_LOST",
  CAMERA_RECOVERED = "CAMERA_RECOVERED",
  FACILITY_OFFLINE = "FACILITY_OFFLINE",
  FACILITY_BACK = "FACILITY_BACK",
}

registerEnumType(DeliveryKind, {
  name: "DeliveryKind",
  description: "What a delivery tells about.",
  valuesConfig: {
    ALERT: { description: "An alert was recorded." },
    TEST: { description: "Somebody asked for a test with `sendTestDelivery`." },
    CAMERA_LOST: { description: "The stream of a camera could not be opened." },
    CAMERA_RECOVERED: { description: "The stream of a camera works again." },
    FACILITY_OFFLINE: { description: "The device of a facility has been silent for some time." },
    FACILITY_BACK: { description: "The device of a facility reports again." },
  },
});
registerEnumType(DeliveryChannel, {
  name: "DeliveryChannel",
  description: "How a notification is sent.",
  valuesConfig: {
    WEBHOOK: {
      description: "An HTTP request to the URL in `AlertRule.apiNotification`, signed if there is a secret.",
    },
    EMAIL: { description: "An email to an address in `AlertRule.emails` or `Camera.emailAddresses`." },
    SMS: { description: "A text message to a number in `AlertRule.phoneNumbers`." },
  },
});
registerEnumType(DeliveryState, {
  name: "DeliveryState",
  description: "What has become of a delivery.",
  valuesConfig: {
    PENDING: { description: "It waits to be sent, or to be sent again after a failure." },
    SENT: { description: "The target accepted it." },
    PARKED: { description: "It was given up, as `lastError` says. `redeliver` tries again." },
  },
});

@BackedBy(() => deliveries)
@FoundBy((context, selection, id) => deliveryById(context, selection).load(id))
@ObjectType({
  implements: Node,
  description:
    "A notification to one target: a webhook, an email address or a phone number. It is sent at least once. Sent ones are kept for 30 days. Those that have not been sent are dropped when their alert is deleted, or their rule or camera no longer names the target.",
  simpleResolvers: true,
})
export class Delivery {
  @Field(() => Uuid, {
    description:
      "Assigned by the gateway; it never changes. A webhook gets it as `webhook-id`, the same for each repetition.",
  })
  id!: string;

  @Field(() => DeliveryKind, { description: "What it tells about." })
  kind!: DeliveryKind;

  @Field(() => DeliveryChannel, { description: "How it is sent." })
  channel!: DeliveryChannel;

  @Field(() => DeliveryState, { description: "What has become of it." })
  state!: DeliveryState;

  @Field(() => Int, {
    description:
      "How many times it was tried to send it, since it was queued or `redeliver` queued it again.",
  })
  attempts!: number;

  @Field(() => DateTimeIso, {
    nullable: true,
    description:
      "From when on it may be sent, after those before it to the same target; in the past if that is now. A target that fails is left alone for a while, longer after each failure, for an hour at most. Null unless it is PENDING.",
  })
  nextAttemptAt!: Date | null;

  @Field(() => DateTimeIso, {
    nullable: true,
    description: "When the target accepted it; null unless it is SENT.",
  })
  sentAt!: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Why it was not accepted the last time, such as the status of the response, or why it was given up; null if nothing failed.",
  })
  lastError!: string | null;

  @Field(() => DateTimeIso, {
    description: "When what it tells about was recorded. Lists are ordered by it.",
  })
  createdAt!: Date;
}

export const DeliveryConnection = connectionOf(Delivery, "Delivery", "deliveries");
