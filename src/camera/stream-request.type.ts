import { Field, Int, ObjectType } from "type-graphql";
import { DateTimeIso, JsonObject, Uuid } from "../platform/scalars.js";
import { BackedBy } from "../reading/annotations.js";
import { connectionOf } from "../reading/connection.js";
import { streamRequests } from "./stream-request.loader.js";
import { StreamProtocol, StreamType } from "./stream-type.js";

@BackedBy(() => streamRequests)
@ObjectType({ description: "An attempt to open a camera's stream, and what the feed server reported about it.", simpleResolvers: true })
export class StreamRequest {
  @Field(() => Uuid)
  id!: string;

  @Field(() => Uuid)
  cameraId!: string;

  @Field(() => StreamType, { nullable: true })
  streamType!: StreamType | null;

  @Field(() => StreamProtocol, { nullable: true })
  streamProtocol!: StreamProtocol | null;

  @Field(() => DateTimeIso)
  createdAt!: Date;

  @Field(() => DateTimeIso, { description: "When the feed server can no longer report on this request." })
  expiresAt!: Date;

  @Field(() => DateTimeIso, { nullable: true, description: "When a newer request replaced this one; null while it is the newest." })
  supersededAt!: Date | null;

  @Field(() => String, { nullable: true, description: "The URL of the thumbnail that the feed server reported." })
  thumbnailUrl!: string | null;

  @Field(() => JsonObject, { nullable: true, description: "The stream metadata reported by the feed server." })
  metadata!: object | null;

  @Field(() => String, { nullable: true, description: "The operation that failed, as reported by the feed server." })
  errorOperation!: string | null;

  @Field(() => String, { nullable: true, description: "Why the operation failed, as reported by the feed server." })
  errorMessage!: string | null;

  @Field(() => DateTimeIso, { nullable: true, description: "When the feed server last reported." })
  lastCallbackAt!: Date | null;

  @Field(() => Int, { description: "How many times the request was sent to the feed server; 0 if none is configured." })
  deliveryCount!: number;

  @Field(() => DateTimeIso, { nullable: true, description: "When the feed server accepted the request; null until then." })
  deliveredAt!: Date | null;

  @Field(() => String, { nullable: true, description: "Why the feed server did not accept the request the last time it was sent." })
  deliveryError!: string | null;

  @Field(() => DateTimeIso, { nullable: true, description: "When the request is sent next; null if it is not sent again." })
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

export const StreamRequestConnection = connectionOf(StreamRequest, "StreamRequest", "a camera's stream requests");
