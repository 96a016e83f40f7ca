import { Field, Float, ObjectType, registerEnumType } from "type-graphql";
import { FoundBy, Node } from "../../engine/nodes/node.type.js";
import { BackedBy } from "../../engine/reading/annotations.js";
import { connectionOf } from "../../engine/reading/connection.js";
import { byName } from "../../engine/reading/list-order.js";
import {
  assignedId,
  chosenName,
  pixelsFromLeft,
  pixelsFromTop,
  readOnly,
} from "../../platform/input/descriptions.js";
import { DateTimeIso, JsonObject, Uuid } from "../../platform/input/scalars.js";
import { Contact } from "../facility/contact.js";
import { cameraById, cameras } from "./camera.loader.js";
import { StatusSource } from "./status/status-source.js";
import { StreamProtocol, StreamType } from "./stream-type.js";

registerEnumType(StreamType, {
  name: "StreamType",
  description: "How a camera's pictures reach the service. The REST API uses lowercase values.",
  valuesConfig: {
    DIRECT: { description: "The camera's URL is opened directly." },
    PROXY: { description: "The stream is opened through a proxy, see `Camera.proxyHost`." },
    ALTPROXY: { description: "The stream is opened through a proxy of another kind than PROXY." },
    HOSTEDSERVER: { description: "The stream is read from a hosted server." },
    VPN: { description: "The camera's URL is opened through a virtual private network." },
    CLIENT: { description: "There is no stream: a client uploads pictures, as with `createClientCamera`." },
  },
});
registerEnumType(StreamProtocol, {
  name: "StreamProtocol",
  description: "The protocol of a camera's stream. The REST API uses lowercase values.",
  valuesConfig: {
    RTSP: { description: "Real-Time Streaming Protocol, which most cameras speak." },
    RTMP: { description: "Real-Time Messaging Protocol." },
    RTMPS: { description: "Real-Time Messaging Protocol over TLS." },
    HLS: { description: "HTTP Live Streaming: segments that are fetched over HTTP." },
  },
});
registerEnumType(StatusSource, {
  name: "StatusSource",
  description: "Who reported a camera's status detail. The gateway does not verify the given source.",
  valuesConfig: {
    TRACKER: { description: "The service that analyzes the pictures." },
    DASHBOARD: { description: "A person, in a user interface." },
    CLIENT: { description: "An application of the customer." },
    ON_PREMISE_FACILITY: { description: "A device at the facility." },
    FEED: { description: "Whoever opens the camera's stream: the gateway itself, or the feed server." },
  },
});

@ObjectType({ description: "A width and a height in pixels.", simpleResolvers: true })
export class ImageDimensions {
  @Field(() => Float, { description: "In pixels, greater than 0." })
  width!: number;

  @Field(() => Float, { description: "In pixels, greater than 0." })
  height!: number;
}

@ObjectType({
  description: "A point in an image, in pixels from its top left corner.",
  simpleResolvers: true,
})
export class Point {
  @Field(() => Float, { description: pixelsFromLeft })
  x!: number;

  @Field(() => Float, { description: pixelsFromTop })
  y!: number;
}

@ObjectType({
  description: "The settings for collecting objects from a camera's pictures.",
  simpleResolvers: true,
})
class DataCollectionConfig {
  @Field(() => Float, {
    nullable: true,
    description: "The minimum width of objects to collect, in pixels; null for no minimum.",
  })
  minWidth!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "The minimum height of objects to collect, in pixels; null for no minimum.",
  })
  minHeight!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "The time between two samples, in the unit of the analysis; null if not set.",
  })
  interval!: number | null;
}

@ObjectType({ description: "A custom data collection and its sensitivity.", simpleResolvers: true })
class CustomDataCollectionConfig {
  @Field(() => String, {
    description: "The type of collection: CLEAN_PEDESTRIAN_WAYS, CLEAN_VEHICLE_ROADS; others may occur.",
  })
  type!: string;

  @Field(() => Float, {
    description: "The sensitivity of the collection on the scale of the analysis, such as 0.6.",
  })
  sensitivity!: number;
}

@BackedBy(() => cameras)
@FoundBy((context, selection, id) => cameraById(context, selection).load(id))
@ObjectType({ implements: Node, description: "A camera at a facility.", simpleResolvers: true })
export class Camera {
  @Field(() => Uuid, { description: assignedId })
  id!: string;

  @Field(() => String, { description: chosenName })
  name!: string;

  @Field(() => String, {
    description: "The activity of the camera: IDLE, as for a new camera; others may occur.",
  })
  status!: string;

  @Field(() => String, {
    description:
      "The status that was last reported: OPERATIONAL (also for a new camera), STREAM_ERROR if the stream cannot be opened, or any other text of 1 to 100 characters.",
  })
  statusDetail!: string;

  @Field(() => DateTimeIso, {
    nullable: true,
    description:
      "When `statusDetail` last changed; null if it never did, or not since version 0.3 of the gateway.",
  })
  statusDetailChangedAt!: Date | null;

  @Field(() => DateTimeIso, {
    nullable: true,
    description:
      "When the picture at `imageLink` was taken: by the gateway, or when it was uploaded, or when the feed server last reported it. Null if there is no picture, or if it is from before version 0.3 of the gateway.",
  })
  pictureAt!: Date | null;

  @Field(() => DateTimeIso, { description: "When the camera was added." })
  createdAt!: Date;

  @Field(() => DateTimeIso, {
    description:
      "When the camera, its status detail or its picture last changed. A new picture at the same URL, or of the stream that the gateway opens, does not count.",
  })
  updatedAt!: Date;

  @Field(() => Boolean, {
    description: `Whether data is collected from the camera's pictures, as configured in the \`dataCollection…\` fields. ${readOnly}`,
  })
  dataCollectionEnabled!: boolean;

  @Field(() => [String], {
    description: "The types of objects to collect: PERSON, VEHICLE; others may occur.",
  })
  dataCollectionObjects!: string[];

  @Field(() => DataCollectionConfig, {
    nullable: true,
    description: `The minimum size of objects, and the time between two samples; null if not configured. ${readOnly}`,
  })
  dataCollectionConfig!: DataCollectionConfig | null;

  @Field(() => [CustomDataCollectionConfig], {
    description: `Collections for a special purpose, in addition to the collection of objects. ${readOnly}`,
  })
  customDataCollectionConfigs!: CustomDataCollectionConfig[];

  @Field(() => String, {
    nullable: true,
    description: `The key of the reference data with which the analysis is compared; null if there is none. ${readOnly}`,
  })
  groundTruthKey!: string | null;

  @Field(() => [Contact], {
    description: "Whom to call about the camera, in this order, before those of its facility.",
  })
  contacts!: Contact[];

  @Field(() => String, {
    nullable: true,
    description: "What people noted about the camera; null if nothing.",
  })
  note!: string | null;

  @Field(() => Uuid, { description: "The ID of the facility that the camera belongs to." })
  facilityId!: string;

  @Field(() => Boolean, { description: `Whether sample videos of the camera are kept. ${readOnly}` })
  collectSampleVideos!: boolean;

  @Field(() => Boolean, {
    description:
      "Whether the gateway stays connected to the camera to keep its last seconds for clips, as it does for cameras with active rules that it evaluates.",
  })
  keepClips!: boolean;

  @Field(() => ImageDimensions, {
    nullable: true,
    description:
      "The size of the camera's pictures; null until the stream is opened or somebody sets the size.",
  })
  imageDimensions!: ImageDimensions | null;

  @Field(() => StreamType, {
    nullable: true,
    description:
      "How the camera's pictures reach the service: CLIENT for a camera that was added with an uploaded picture; null if unknown.",
  })
  streamType!: StreamType | null;

  @Field(() => StreamProtocol, {
    nullable: true,
    description: "The protocol of the stream; null if there is no stream or its protocol was not given.",
  })
  streamProtocol!: StreamProtocol | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "Free-form settings; null if there are none. `metadata` among them was sent with an uploaded picture; the other settings are set outside of this API.",
  })
  advancedSettings!: object | null;

  @Field(() => String, {
    nullable: true,
    description: `The host of the proxy through which the stream is opened; null if there is none. ${readOnly}`,
  })
  proxyHost!: string | null;

  @Field(() => Uuid, {
    nullable: true,
    description: "The ID of the device at the facility to which the camera is connected; null if unknown.",
  })
  facilityNodeId!: string | null;

  @Field(() => [String], {
    description:
      "The email addresses to which the gateway mails the camera's alerts, except observations, and outages of the camera and its facility. Used only if `Workspace.deliveryChannels` lists EMAIL.",
  })
  emailAddresses!: string[];
}

export const CameraConnection = connectionOf(Camera, "Camera", "cameras", byName);
