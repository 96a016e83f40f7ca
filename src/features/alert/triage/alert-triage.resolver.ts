import type { RequestContext } from "../../../engine/operation/request-context.js";
import { ReadAhead } from "../../../engine/reading/annotations.js";
import { PageArguments } from "../../../engine/reading/connection.js";
import { fieldsOf } from "../../../engine/reading/selection/fields.js";
import type { Selection } from "../../../engine/reading/selection/selection.js";
import { actingUser } from "../../user/user.service.js";
import { User } from "../../user/user.type.js";
import type { AlertRow } from "../alert.loader.js";
import { Alert } from "../alert.type.js";
import { type AlertCommentRow, commentsOfAlert } from "./alert-comment.loader.js";
import { AlertComment, AlertCommentConnection } from "./alert-comment.type.js";

const marker = (
  column: "acknowledgedById" | "bookmarkChangedById" | "falsePositiveChangedById",
  who: string,
) => ({
  type: () => User,
  nullable: true,
  description: `The user who ${who}. Also null for an API key, for a user who has been removed, and for a user whom \`Query.node\` would not return to the caller.`,
  columns: [column],
  load: (alert: AlertRow, context: RequestContext, selection: Selection) =>
    actingUser(context, selection, alert[column]),
});

export const AlertTriageFields = fieldsOf<AlertRow>(Alert, {
  acknowledgedBy: marker("acknowledgedById", "acknowledged the alert; null unless it is acknowledged"),
  bookmarkChangedBy: marker("bookmarkChangedById", "last changed the bookmark; null if nobody has"),
  falsePositiveChangedBy: marker(
    "falsePositiveChangedById",
    "last changed the false positive mark; null if nobody has",
  ),
  comments: {
    type: () => AlertCommentConnection,
    description: "The comments of users about the alert, newest first.",
    args: PageArguments,
    readAhead: ReadAhead(commentsOfAlert.pages),
    load: ({ id }, context, selection, page: PageArguments) => commentsOfAlert(context, id, selection, page),
  },
});

export const AlertCommentFields = fieldsOf<AlertCommentRow>(AlertComment, {
  author: {
    type: () => User,
    nullable: true,
    description:
      "The author; null if the author has been removed, or if `Query.node` would not return the author to the caller.",
    columns: ["authorId"],
    load: ({ authorId }, context: RequestContext, selection) => actingUser(context, selection, authorId),
  },
});
