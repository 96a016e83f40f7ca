import { Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { Uuid } from "../../../platform/input/scalars.js";
import { CameraState } from "./camera-state.js";

registerEnumType(CameraState, {
  name: "CameraState",
  description:
    "Whether a camera works and, if it does not, why: the first of these states that applies, since they are ordered from worst to best.",
  valuesConfig: {
    FACILITY_OFFLINE: {
      description: "The facility is `monitored` and not `online`, so nothing more is known of the camera.",
    },
    NO_STREAM: { description: "`statusDetail` is STREAM_ERROR: the stream could not be opened." },
    FAULT_REPORTED: { description: "`statusDetail` is neither OPERATIONAL nor STREAM_ERROR." },
    NEVER_CONNECTED: { description: "The camera never had a picture." },
    PICTURE_OLD: {
      description:
        "The latest picture of the stream is older than twice the time between two pictures (ten minutes, unless the gateway is configured otherwise), or it is not known how old it is.",
    },
    WORKING: {
      description:
        "The latest picture of the stream is not older than twice the time between two pictures, or a picture was uploaded.",
    },
  },
});

@ObjectType({ description: "The number of cameras of a facility in a state.", simpleResolvers: true })
export class CameraStateCount {
  @Field(() => Uuid, { description: "The ID of the facility." })
  facilityId!: string;

  @Field(() => CameraState, { description: "The state of the cameras." })
  state!: CameraState;

  @Field(() => Int, { description: "The number of cameras, at least 1." })
  count!: number;
}
