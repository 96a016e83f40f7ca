import { Field, Float, ObjectType } from "type-graphql";
import { DateTimeIso, Uuid } from "../platform/scalars.js";
import { BackedBy } from "../reading/annotations.js";
import { facilities } from "./facility.loader.js";

@ObjectType({ description: "A location in WGS 84 coordinates.", simpleResolvers: true })
export class GeographicCoordinates {
  @Field(() => Float, { description: "Degrees north of the equator, -90 to 90." })
  lat!: number;

  @Field(() => Float, { description: "Degrees east of Greenwich, -180 to 180." })
  lng!: number;
}

@BackedBy(() => facilities)
@ObjectType({ description: "A site with cameras. It is visible to callers who hold any permission there.", simpleResolvers: true })
export class Facility {
  @Field(() => Uuid)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { nullable: true, description: "The postal address." })
  address!: string | null;

  @Field(() => Uuid)
  workspaceId!: string;

  @Field(() => String, { description: "The IANA time zone of the facility, such as Europe/Istanbul." })
  timeZoneId!: string;

  @Field(() => DateTimeIso, { nullable: true, description: "When the facility's device last sent a heartbeat; null before the first one." })
  lastHeartbeatAt!: Date | null;
}
