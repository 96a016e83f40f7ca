import { Field, Float, ObjectType } from "type-graphql";
import { DateTimeIso, Uuid } from "../platform/scalars.js";

@ObjectType({ description: "A place on earth, WGS 84.", simpleResolvers: true })
export class GeographicCoordinates {
  @Field(() => Float, { description: "Degrees north of the equator, -90 to 90." })
  lat!: number;

  @Field(() => Float, { description: "Degrees east of Greenwich, -180 to 180." })
  lng!: number;
}

@ObjectType({ description: "A site with cameras. It is visible to callers who hold any permission at it.", simpleResolvers: true })
export class Facility {
  @Field(() => Uuid)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { nullable: true, description: "The postal address." })
  address!: string | null;

  @Field(() => Uuid)
  workspaceId!: string;

  @Field(() => String, { description: "The IANA time zone whose calendar the facility lives by, such as Europe/Istanbul." })
  timeZoneId!: string;

  @Field(() => DateTimeIso, { nullable: true, description: "When the facility's device last reported to be alive; null before the first time." })
  lastHeartbeatAt!: Date | null;
}
