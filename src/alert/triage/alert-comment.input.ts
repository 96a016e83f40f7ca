import { z } from "zod";
import { existingId } from "../../platform/descriptions.js";
import { argumentsType, idField } from "../../platform/input-type.js";
import { linesOfText } from "../../platform/text-rules.js";

const commentText = linesOfText(2000).describe(
  "The comment: 1 to 2000 printable characters, tabs and line breaks, not blank.",
);

export type CommentAlertArguments = InstanceType<typeof CommentAlertArguments>;
export const CommentAlertArguments = argumentsType(
  z.object({
    id: idField.describe(existingId("the alert")),
    text: commentText,
  }),
);

export type EditAlertCommentArguments = InstanceType<typeof EditAlertCommentArguments>;
export const EditAlertCommentArguments = argumentsType(
  z.object({
    id: idField.describe(existingId("the comment")),
    text: commentText,
  }),
);
