import { Field, Int, ObjectType } from "type-graphql";
import { StreamProtocol, StreamType } from "../generated/prisma/enums.js";
import { connectionOf } from "../platform/connection.js";
import { DateTimeIso, JsonObject, Uuid } from "../platform/scalars.js";

@ObjectType({ description: "One attempt to open a camera's stream, and what the feed server reported of it.", simpleResolvers: true })
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

  @Field(() => DateTimeIso, { description: "Until when the feed server may report." })
  expiresAt!: Date;

  @Field(() => DateTimeIso, { nullable: true, description: "When a newer request took its place; null while it is the newest." })
  supersededAt!: Date | null;

  @Field(() => String, { nullable: true, description: "The picture that the feed server reported." })
  thumbnailUrl!: string | null;

  @Field(() => JsonObject, { nullable: true, description: "The stream metadata that the feed server reported." })
  metadata!: object | null;

  @Field(() => String, { nullable: true, description: "What the feed server was doing when it failed." })
  errorOperation!: string | null;

  @Field(() => String, { nullable: true, description: "Why it failed." })
  errorMessage!: string | null;

  @Field(() => DateTimeIso, { nullable: true, description: "When the feed server last reported." })
  lastCallbackAt!: Date | null;

  @Field(() => Int, { description: "How often the feed server was asked; 0 also where none is configured." })
  deliveryCount!: number;

  @Field(() => DateTimeIso, { nullable: true, description: "When the feed server took the request; null while it has not." })
  deliveredAt!: Date | null;

  @Field(() => String, { nullable: true, description: "Why the feed server did not take the request when it was last asked." })
  deliveryError!: string | null;

  @Field(() => DateTimeIso, { nullable: true, description: "When the feed server is asked again; null when it is not, or not any more." })
  nextDeliveryAt!: Date | null;
}

export const StreamRequestConnection = connectionOf(StreamRequest, "StreamRequest", "a camera's stream requests");
