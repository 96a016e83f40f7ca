import { Field, ObjectType } from "type-graphql";
import { BackedBy } from "../../engine/reading/annotations.js";
import { assignedId } from "../../platform/input/descriptions.js";
import { DateTimeIso, Uuid } from "../../platform/input/scalars.js";
import { userSessions } from "./user-session.loader.js";

@BackedBy(() => userSessions)
@ObjectType({
  description: "A browser in which a user is signed in by a link. Only that user sees it.",
  simpleResolvers: true,
})
export class UserSession {
  @Field(() => Uuid, { description: assignedId })
  id!: string;

  @Field(() => String, {
    description: "The browser and its system, such as `Firefox, Windows`; empty if unknown.",
  })
  name!: string;

  @Field(() => DateTimeIso, { description: "When the user signed in." })
  createdAt!: Date;

  @Field(() => DateTimeIso, {
    description: "When the session was last renewed, which the console does every hour in which it is used.",
  })
  lastUsedAt!: Date;
}
