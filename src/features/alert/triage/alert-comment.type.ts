import { Field, ObjectType } from "type-graphql";
import { BackedBy } from "../../../engine/reading/annotations.js";
import { connectionOf } from "../../../engine/reading/connection.js";
import { assignedId } from "../../../platform/input/descriptions.js";
import { DateTimeIso, Uuid } from "../../../platform/input/scalars.js";
import { alertComments } from "./alert-comment.loader.js";

@BackedBy(() => alertComments)
@ObjectType({
  description: "A comment of a user about an alert. Everyone who sees the alert can read it.",
  simpleResolvers: true,
})
export class AlertComment {
  @Field(() => Uuid, { description: assignedId })
  id!: string;

  @Field(() => String, { description: "Plain text of 1 to 2000 characters, in one or more lines." })
  text!: string;

  @Field(() => String, {
    nullable: true,
    description:
      "The first and last name of the author at the time of writing, also after the author has been removed; null if neither was known.",
  })
  authorName!: string | null;

  @Field(() => DateTimeIso, { description: "When the comment was written. Lists are ordered by this time." })
  createdAt!: Date;

  @Field(() => DateTimeIso, {
    nullable: true,
    description: "When the author last changed the text; null if it is as it was written.",
  })
  editedAt!: Date | null;
}

export const AlertCommentConnection = connectionOf(AlertComment, "AlertComment", "comments");
