import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import type { RequestContext } from "../operation/request-context.js";
import { existingId } from "../platform/descriptions.js";
import { Uuid } from "../platform/scalars.js";
import { SavedViewInput } from "./saved-view.input.js";
import { deleteView, maxSavedViews, saveView } from "./saved-view-write.service.js";
import type { UserRow } from "./user.loader.js";
import { User } from "./user.type.js";

@Resolver()
export class SavedViewMutations {
  @Mutation(() => User, {
    description: `Saves a view of the calling user, or replaces one. FORBIDDEN if the caller is an API key; CONFLICT if the user has ${maxSavedViews} views.`,
  })
  saveView(
    @Ctx() context: RequestContext,
    @Arg("input", () => SavedViewInput, { description: "The view." }) input: SavedViewInput,
  ): Promise<UserRow> {
    return saveView(context, input);
  }

  @Mutation(() => User, {
    description: "Deletes a saved view of the calling user. FORBIDDEN if the caller is an API key.",
  })
  deleteView(
    @Ctx() context: RequestContext,
    @Arg("id", () => Uuid, { description: existingId("the view") }) id: string,
  ): Promise<UserRow> {
    return deleteView(context, id);
  }
}
