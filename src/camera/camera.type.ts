import { Field, Float, ObjectType, registerEnumType } from "type-graphql";
import { DateTimeIso, JsonObject, Uuid } from "../platform/scalars.js";
import { BackedBy } from "../reading/annotations.js";
import { cameras } from "./camera.loader.js";
import { StatusSource } from "./status-source.js";
import { StreamProtocol, StreamType } from "./stream-type.js";

registerEnumType(StreamType, {
  name: "StreamType",
  description: "How a camera's pictures reach the service. The REST API uses lowercase values.",
});
registerEnumType(StreamProtocol, {
  name: "StreamProtocol",
  description: "The protocol of a camera's stream. The REST API uses lowercase values.",
});
registerEnumType(StatusSource, { name: "StatusSource", description: "The source of a camera's status detail." });

@ObjectType({ description: "A width and a height in pixels.", simpleResolvers: true })
export class ImageDimensions {
  @Field(() => Float)
  width!: number;

  @Field(() => Float)
  height!: number;
}

@ObjectType({ description: "A point in an image, in pixels from its top left corner.", simpleResolvers: true })
export class Point {
  @Field(() => Float)
  x!: number;

  @Field(() => Float)
  y!: number;
}

@ObjectType({ description: "Which data is collected from a camera.", simpleResolvers: true })
export class DataCollectionConfig {
  @Field(() => Float, { nullable: true, description: "The minimum width of objects to collect, in pixels." })
  minWidth!: number | null;

  @Field(() => Float, { nullable: true, description: "The minimum height of objects to collect, in pixels." })
  minHeight!: number | null;

  @Field(() => Float, { nullable: true, description: "The time between two samples." })
  interval!: number | null;
}

@ObjectType({ description: "A custom data collection and its sensitivity.", simpleResolvers: true })
export class CustomDataCollectionConfig {
  @Field(() => String, { description: "The type of collection, such as CLEAN_PEDESTRIAN_WAYS or CLEAN_VEHICLE_ROADS." })
  type!: string;

  @Field(() => Float)
  sensitivity!: number;
}

@BackedBy(() => cameras)
@ObjectType({ description: "A camera at a facility.", simpleResolvers: true })
export class Camera {
  @Field(() => Uuid)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { description: "The activity of the camera, such as IDLE." })
  status!: string;

  @Field(() => String, { description: "The status that was last reported, such as OPERATIONAL or STREAM_ERROR." })
  statusDetail!: string;

  @Field(() => DateTimeIso)
  createdAt!: Date;

  @Field(() => DateTimeIso)
  updatedAt!: Date;

  @Field(() => Boolean)
  dataCollectionEnabled!: boolean;

  @Field(() => [String], { description: "The types of objects to collect, such as PERSON." })
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

  @Field(() => ImageDimensions, { nullable: true, description: "The size of the camera's pictures; null until the stream has been opened." })
  imageDimensions!: ImageDimensions | null;

  @Field(() => StreamType, { nullable: true })
  streamType!: StreamType | null;

  @Field(() => StreamProtocol, { nullable: true })
  streamProtocol!: StreamProtocol | null;

  @Field(() => JsonObject, { nullable: true, description: "Free-form settings." })
  advancedSettings!: object | null;

  @Field(() => String, { nullable: true })
  proxyHost!: string | null;

  @Field(() => Uuid, { nullable: true, description: "The device at the facility to which the camera is connected." })
  facilityNodeId!: string | null;

  @Field(() => [String], { description: "The addresses that are notified of this camera's alerts by email." })
  emailAddresses!: string[];
}
