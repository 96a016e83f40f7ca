import { Field, Float, ObjectType } from "type-graphql";
import { FoundBy, Node } from "../../engine/nodes/node.type.js";
import { BackedBy } from "../../engine/reading/annotations.js";
import { assignedId, chosenName } from "../../platform/input/descriptions.js";
import { DateTimeIso, Uuid } from "../../platform/input/scalars.js";
import { Contact } from "./contact.js";
import { facilities, facilityById } from "./facility.loader.js";

export const latitudeDescription = "Degrees north of the equator, -90 to 90.";
export const longitudeDescription = "Degrees east of Greenwich, -180 to 180.";

@ObjectType({ description: "A location in WGS 84 coordinates.", simpleResolvers: true })
export class GeographicCoordinates {
  @Field(() => Float, { description: latitudeDescription })
  lat!: number;

  @Field(() => Float, { description: longitudeDescription })
  lng!: number;
}

@BackedBy(() => facilities)
@FoundBy((context, selection, id) => facilityById(context, selection).load(id))
@ObjectType({
  implements: Node,
  description: "A site with cameras. It is visible to callers who hold any permission there.",
  simpleResolvers: true,
})
export class Facility {
  @Field(() => Uuid, { description: assignedId })
  id!: string;

  @Field(() => String, { description: chosenName })
  name!: string;

  @Field(() => String, { nullable: true, description: "The postal address; null if unknown." })
  address!: string | null;

  @Field(() => [Contact], { description: "Whom to call about the facility, in this order." })
  contacts!: Contact[];

  @Field(() => Uuid, { description: "The ID of the workspace, which is the caller's own." })
  workspaceId!: string;

  @Field(() => String, {
    description:
      "The IANA time zone of the facility, such as Europe/Istanbul. Local times and calendar days of the facility's alerts follow this zone.",
  })
  timeZoneId!: string;

  @Field(() => String, {
    description:
      "The time zone in use for local times and calendar days of the facility's alerts: `timeZoneId` or, if the server does not know this name, another name of the same zone, or else UTC.",
  })
  effectiveTimeZoneId!: string;

  @Field(() => DateTimeIso, {
    nullable: true,
    description: "When the facility's device last sent a heartbeat; null before the first one.",
  })
  lastHeartbeatAt!: Date | null;

  @Field(() => DateTimeIso, { description: "When the facility last changed. Heartbeats do not count." })
  updatedAt!: Date;
}
