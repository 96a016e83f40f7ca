import { Field, Float, ObjectType, registerEnumType } from "type-graphql";
import { StatusSource, StreamProtocol, StreamType } from "../generated/prisma/enums.js";
import { DateTimeIso, JsonObject, Uuid } from "../platform/scalars.js";

registerEnumType(StreamType, {
  name: "StreamType",
  description: "How a camera's pictures reach the service. REST writes the values in small letters.",
});
registerEnumType(StreamProtocol, {
  name: "StreamProtocol",
  description: "The protocol of a camera's stream. REST writes the values in small letters.",
});
registerEnumType(StatusSource, { name: "StatusSource", description: "Who reported a camera's status detail." });

@ObjectType({ description: "A width and a height in pixels.", simpleResolvers: true })
export class ImageDimensions {
  @Field(() => Float)
  width!: number;

  @Field(() => Float)
  height!: number;
}

@ObjectType({ description: "A point in an image, in pixels from its upper left corner.", simpleResolvers: true })
export class Point {
  @Field(() => Float)
  x!: number;

  @Field(() => Float)
  y!: number;
}

@ObjectType({ description: "What is collected from a camera.", simpleResolvers: true })
export class DataCollectionConfig {
  @Field(() => Float, { nullable: true, description: "The least width of an object to collect, in pixels." })
  minWidth!: number | null;

  @Field(() => Float, { nullable: true, description: "The least height of an object to collect, in pixels." })
  minHeight!: number | null;

  @Field(() => Float, { nullable: true, description: "The time between two samples." })
  interval!: number | null;
}

@ObjectType({ description: "A special collection, and how readily it samples.", simpleResolvers: true })
export class CustomDataCollectionConfig {
  @Field(() => String, { description: "Such as CLEAN_PEDESTRIAN_WAYS or CLEAN_VEHICLE_ROADS." })
  type!: string;

  @Field(() => Float)
  sensitivity!: number;
}

@ObjectType({ description: "A camera of a facility.", simpleResolvers: true })
export class Camera {
  @Field(() => Uuid)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { description: "What the camera is doing, such as IDLE." })
  status!: string;

  @Field(() => String, { description: "The state last reported, such as OPERATIONAL or STREAM_ERROR." })
  statusDetail!: string;

  @Field(() => DateTimeIso)
  createdAt!: Date;

  @Field(() => DateTimeIso)
  updatedAt!: Date;

  @Field(() => Boolean)
  dataCollectionEnabled!: boolean;

  @Field(() => [String], { description: "The kinds of objects that are collected, such as PERSON." })
  dataCollectionObjects!: string[];

  @Field(() => DataCollectionConfig, { nullable: true })
  dataCollectionConfig!: DataCollectionConfig | null;

  @Field(() => [CustomDataCollectionConfig])
  customDataCollectionConfigs!: CustomDataCollectionConfig[];

  @Field(() => String, { nullable: true })
  groundTruthKey!: string | null;

  @Field(() => Uuid)
  facilityId!: string;

  @Field(() => Boolean)
  collectSampleVideos!: boolean;

  @Field(() => ImageDimensions, { nullable: true, description: "The size of the camera's pictures; null until the stream was opened." })
  imageDimensions!: ImageDimensions | null;

  @Field(() => StreamType, { nullable: true })
  streamType!: StreamType | null;

  @Field(() => StreamProtocol, { nullable: true })
  streamProtocol!: StreamProtocol | null;

  @Field(() => JsonObject, { nullable: true, description: "Free-form settings." })
  advancedSettings!: object | null;

  @Field(() => String, { nullable: true })
  proxyHost!: string | null;

  @Field(() => Uuid, { nullable: true, description: "The device at the facility that the camera is attached to." })
  facilityNodeId!: string | null;

  @Field(() => [String], { description: "Who is told of this camera's alerts, by e-mail." })
  emailAddresses!: string[];
}
