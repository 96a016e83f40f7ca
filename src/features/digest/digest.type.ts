import { Field, ObjectType } from "type-graphql";
import { BackedBy } from "../../engine/reading/annotations.js";
import { Uuid } from "../../platform/input/scalars.js";
import { digests } from "./digest.loader.js";

@BackedBy(() => digests)
@ObjectType({
  description:
    "The mail that a user gets each day about the last 24 hours: open alerts by severity and facility, the hour with the most alerts, and which cameras and facilities are away and since when. It tells what the user may see when it is sent. On a day on which nothing happened and nothing is away there is none; nor is one sent more than an hour late.",
  simpleResolvers: true,
})
export class Digest {
  @Field(() => Boolean, { description: "Whether the mail is sent." })
  enabled!: boolean;

  @Field(() => String, {
    description:
      "The time at which the mail is sent by the clock of the time zone, such as 07:00. Where the clocks skip it, the mail is as much later as they skip; where they show it twice, it comes the first time.",
  })
  at!: string;

  @Field(() => String, { description: "The IANA time zone of `at`, such as Europe/Istanbul." })
  timeZoneId!: string;

  @Field(() => [Uuid], {
    description:
      "The IDs of the facilities to which the mail is limited; empty for all that the user may see. Some may have been deleted since.",
  })
  facilityIds!: string[];
}
