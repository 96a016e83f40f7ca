import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { ReadAhead, RequiresColumns } from "../../engine/reading/annotations.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import type { UserRow } from "../user/user.loader.js";
import { User } from "../user/user.type.js";
import { savedViewsByUser } from "./saved-view.loader.js";
import { SavedView } from "./saved-view.type.js";

@Resolver(() => User)
export class UserSavedViewsResolver {
  @RequiresColumns()
  @ReadAhead(savedViewsByUser)
  @FieldResolver(() => [SavedView], {
    description:
      "The views that the user saved, at most 50, in the order in which they were added; empty for other users.",
  })
  savedViews(@Ctx() context: RequestContext, @Selected() selection: Selection, @Root() user: UserRow) {
    return savedViewsByUser(context, selection).load(user.id);
  }
}
