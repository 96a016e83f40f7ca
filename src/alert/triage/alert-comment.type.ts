import { Field, ObjectType } from "type-graphql";
import { assignedId } from "../../platform/descriptions.js";
import { DateTimeIso, Uuid } from "../../platform/scalars.js";
import { BackedBy } from "../../reading/annotations.js";
import { connectionOf } from "../../reading/connection.js";
import { alertComments } from "./alert-comment.loader.js";

@BackedBy(() => alertComments)
@ObjectType({
  description: "What a user wrote about an alert, for everyone who sees the alert.",
  simpleResolvers: true,
})
export class AlertComment {
  @Field(() => Uuid, { description: assignedId })
  id!: string;

  @Field(() => String, { description: "1 to 2000 characters, plain text that may have several lines." })
  text!: string;

  @Field(() => String, {
    nullable: true,
    description:
      "The first and last name of the author at the time, also after the author has been removed; null if neither was known.",
  })
  authorName!: string | null;

  @Field(() => DateTimeIso, { description: "When it was written. Lists are ordered by it." })
  createdAt!: Date;
}

export const AlertCommentConnection = connectionOf(AlertComment, "AlertComment", "comments");
