import { Ctx, Mutation, Resolver } from "type-graphql";
import type { RequestContext } from "../../operation/request-context.js";
import { CheckedArgs, IdArg } from "../../platform/input-type.js";
import { CommentAlertArguments, EditAlertCommentArguments } from "./alert-comment.input.js";
import type { AlertCommentRow } from "./alert-comment.loader.js";
import { AlertComment } from "./alert-comment.type.js";
import {
  commentAlert,
  deleteAlertComment,
  editAlertComment,
  maxComments,
} from "./alert-comment-write.service.js";

@Resolver()
export class AlertCommentMutations {
  @Mutation(() => AlertComment, {
    description: `Writes a comment on an alert in the calling user's name. FORBIDDEN if the caller is an API key; CONFLICT if the alert has ${maxComments} comments. Requires alerts:write at its facility.`,
  })
  commentAlert(
    @Ctx() context: RequestContext,
    @CheckedArgs(CommentAlertArguments) { id, text }: CommentAlertArguments,
  ): Promise<AlertCommentRow> {
    return commentAlert(context, id, text);
  }

  @Mutation(() => AlertComment, {
    description:
      "Changes the text of a comment that the calling user wrote, and records when. FORBIDDEN if somebody else wrote it, or if the caller is an API key. Requires alerts:write at the facility of its alert.",
  })
  editAlertComment(
    @Ctx() context: RequestContext,
    @CheckedArgs(EditAlertCommentArguments) { id, text }: EditAlertCommentArguments,
  ): Promise<AlertCommentRow> {
    return editAlertComment(context, id, text);
  }

  @Mutation(() => AlertComment, {
    description:
      "Deletes a comment, and returns it. FORBIDDEN if the caller is an API key. Requires alerts:write at the facility of its alert and, unless the calling user wrote it, alerts:delete.",
  })
  deleteAlertComment(
    @Ctx() context: RequestContext,
    @IdArg("the comment") id: string,
  ): Promise<AlertCommentRow> {
    return deleteAlertComment(context, id);
  }
}
