import { Field, Int, ObjectType } from "type-graphql";
import { FoundBy, Node } from "../../../engine/nodes/node.type.js";
import { BackedBy } from "../../../engine/reading/annotations.js";
import { connectionOf } from "../../../engine/reading/connection.js";
import { DateTimeIso, JsonObject, Uuid } from "../../../platform/input/scalars.js";
import { StreamProtocol, StreamType } from "../stream-type.js";
import { streamRequestById, streamRequests } from "./stream-request.loader.js";

@BackedBy(() => streamRequests)
@FoundBy((context, selection, id) => streamRequestById(context, selection).load(id))
@ObjectType({
  implements: Node,
  description:
    "An attempt to open a camera's stream, by the gateway or the feed server, and the reports about it.",
  simpleResolvers: true,
})
export class StreamRequest {
  @Field(() => Uuid, {
    description:
      "Assigned by the gateway; it never changes. Unlike the secret `requestId`, it grants no access.",
  })
  id!: string;

  @Field(() => Uuid, { description: "The ID of the camera whose stream is requested." })
  cameraId!: string;

  @Field(() => StreamType, {
    nullable: true,
    description: "The camera's stream type at that time; null if unknown.",
  })
  streamType!: StreamType | null;

  @Field(() => StreamProtocol, {
    nullable: true,
    description: "The camera's stream protocol at that time; null if the camera had none.",
  })
  streamProtocol!: StreamProtocol | null;

  @Field(() => DateTimeIso, {
    description:
      "When the stream was requested: the camera was added, its URL changed, or `requestStreamProbe` was called; or its type changed to one that the gateway opens itself.",
  })
  createdAt!: Date;

  @Field(() => DateTimeIso, {
    description:
      "The time from which the feed server can no longer report on this request: a day after `createdAt`, unless the gateway is configured otherwise.",
  })
  expiresAt!: Date;

  @Field(() => DateTimeIso, {
    nullable: true,
    description: "When a newer request replaced this one; null while it is the newest.",
  })
  supersededAt!: Date | null;

  @Field(() => String, {
    nullable: true,
    description: "The URL of the thumbnail that the feed server reported last; null before its first report.",
  })
  thumbnailUrl!: string | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "The stream metadata that were reported last, under the names of ffprobe, such as codec_name; null before the first report.",
  })
  metadata!: object | null;

  @Field(() => DateTimeIso, {
    nullable: true,
    description:
      "When the feed server last reported, or the gateway metadata or an error; null before the first report.",
  })
  lastCallbackAt!: Date | null;

  @Field(() => Int, {
    description:
      "The number of times that the request was sent to the feed server; 0 if no feed server is configured.",
  })
  deliveryCount!: number;

  @Field(() => DateTimeIso, {
    nullable: true,
    description: "When the feed server accepted the request; null until then.",
  })
  deliveredAt!: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Why the feed server did not accept the request the last time it was sent; null if the feed server accepted it, or if it was not sent yet.",
  })
  deliveryError!: string | null;

  @Field(() => DateTimeIso, {
    nullable: true,
    description: "When the request is sent next; null if it is not sent again.",
  })
  nextDeliveryAt!: Date | null;
}

/** The description of `requestId` in the payloads that contain it. */
export const requestIdDescription =
  "The ID in the feed server's callback URLs, which grants access to them. It is returned only here: keep it secret.";

@ObjectType({ description: "The stream request that was created.", simpleResolvers: true })
export class StreamProbePayload {
  @Field(() => StreamRequest, { description: "The new stream request." })
  streamRequest!: StreamRequest;
}

export const StreamRequestConnection = connectionOf(
  StreamRequest,
  "StreamRequest",
  "a camera's stream requests",
);
