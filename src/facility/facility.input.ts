import { Field, Float, InputType } from "type-graphql";
import { z } from "zod";
import { optionalText, resourceName } from "../platform/text-rules.js";
import { isTimeZone } from "../platform/time.js";

/** The rules for a new facility. */
export const createFacilityInput = z.object({
  name: resourceName,
  timeZoneId: z.string().refine(isTimeZone, "must be a time zone such as Europe/Istanbul"),
  address: optionalText(500).nullish(),
  geographicCoordinates: z
    .object({
      lat: z.number().min(-90, "must be at least -90").max(90, "must be at most 90"),
      lng: z.number().min(-180, "must be at least -180").max(180, "must be at most 180"),
    })
    .nullish(),
});

/** The rules for the new name of a facility. */
export const renameFacilityInput = z.object({ name: resourceName });

@InputType({ description: "A location in WGS 84 coordinates." })
class GeographicCoordinatesInput {
  @Field(() => Float, { description: "Degrees north of the equator, -90 to 90." })
  lat!: number;

  @Field(() => Float, { description: "Degrees east of Greenwich, -180 to 180." })
  lng!: number;
}

@InputType({ description: "A new facility." })
export class CreateFacilityInput {
  @Field(() => String, { description: "1 to 200 characters." })
  name!: string;

  @Field(() => String, { description: "The IANA time zone of the facility, such as Europe/Istanbul." })
  timeZoneId!: string;

  @Field(() => String, { nullable: true, description: "The postal address, at most 500 characters." })
  address?: string | null;

  @Field(() => GeographicCoordinatesInput, { nullable: true, description: "The location of the facility." })
  geographicCoordinates?: GeographicCoordinatesInput | null;
}
