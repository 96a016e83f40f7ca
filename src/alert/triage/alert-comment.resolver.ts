import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../operation/request-context.js";
import { CheckedArgs } from "../../platform/input-type.js";
import { ReadAhead, RequiresColumns, ReturnsLoaded } from "../../reading/annotations.js";
import { type Connection, PageArguments } from "../../reading/connection.js";
import { Selected } from "../../reading/selected-fields.js";
import type { Selection } from "../../reading/selection.js";
import type { UserRow } from "../../user/user.loader.js";
import { actingUser } from "../../user/user.service.js";
import { User } from "../../user/user.type.js";
import type { AlertRow } from "../alert.loader.js";
import { Alert } from "../alert.type.js";
import { type AlertCommentRow, commentsOfAlert } from "./alert-comment.loader.js";
import { AlertComment, AlertCommentConnection } from "./alert-comment.type.js";

@Resolver(() => AlertComment)
export class AlertCommentResolver {
  @ReturnsLoaded()
  @RequiresColumns("authorId")
  @FieldResolver(() => User, {
    nullable: true,
    description:
      "The author; null if the author has been removed, or if `Query.node` would not return the author to the caller.",
  })
  author(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() comment: AlertCommentRow,
  ): Promise<UserRow | null> {
    return actingUser(context, selection, comment.authorId);
  }
}

@Resolver(() => Alert)
export class AlertCommentsResolver {
  @RequiresColumns()
  @ReadAhead(commentsOfAlert.pages)
  @FieldResolver(() => AlertCommentConnection, {
    description: "The comments of users about the alert, newest first.",
  })
  comments(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() alert: AlertRow,
    @CheckedArgs(PageArguments) page: PageArguments,
  ): Promise<Connection<AlertCommentRow>> {
    return commentsOfAlert(context, alert.id, selection, page);
  }
}
