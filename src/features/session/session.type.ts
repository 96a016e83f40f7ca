import { Field, ObjectType } from "type-graphql";
import { DateTimeIso } from "../../platform/input/scalars.js";

@ObjectType({
  description:
    "A user signed in by a link. Renew the token by `renewSession` before it expires; a session lasts for 7 days, a remembered one for 30 from its last renewal.",
  simpleResolvers: true,
})
export class Session {
  @Field(() => String, { description: "The Bearer token for further requests. A secret." })
  token!: string;

  @Field(() => DateTimeIso, {
    description:
      "When the token expires: after 12 hours, or at the end of the session if that is earlier; that of a remembered session after 30 days.",
  })
  expiresAt!: Date;
}
