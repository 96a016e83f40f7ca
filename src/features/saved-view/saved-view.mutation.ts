import { Ctx, Mutation, Resolver } from "type-graphql";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { changedFields, type WriteAccess } from "../../engine/operation/write.js";
import type { User as StoredUser } from "../../generated/prisma/client.js";
import { ServiceError } from "../../platform/errors/errors.js";
import { IdArg, InputArg } from "../../platform/input/input-type.js";
import { assertIsUser } from "../user/user.service.js";
import { User } from "../user/user.type.js";
import { SavedViewInput } from "./saved-view.input.js";

/** The maximum number of views of a user. */
const maxSavedViews = 50;

@Resolver()
export class SavedViewMutations {
  @Mutation(() => User, {
    description: `Saves a view of the calling user, or replaces one. FORBIDDEN if the caller is an API key; CONFLICT if the user has ${maxSavedViews} views.`,
  })
  saveView(
    @Ctx() context: RequestContext,
    @InputArg(SavedViewInput, "The view.") { id, ...view }: SavedViewInput,
  ) {
    return changeViews(context, async (write, user) => {
      if (id != null) await write.update("SavedView", await write.lock("SavedView", id), view);
      else write.auditChange("SavedView", await addView(write, user, view), changedFields<object>({}, view));
    });
  }

  @Mutation(() => User, {
    description: "Deletes a saved view of the calling user. FORBIDDEN if the caller is an API key.",
  })
  deleteView(@Ctx() context: RequestContext, @IdArg("the view") id: string) {
    return changeViews(context, async (write) => {
      const { name, query } = await write.lock("SavedView", id);
      await write.transaction.savedView.delete({ where: write.key(id) });
      const changes = changedFields<object>({ name, query }, { name: null, query: null });
      write.auditChange("SavedView", { id }, changes);
    });
  }
}

async function addView(
  { transaction, now }: WriteAccess,
  { workspaceId, id: userId }: StoredUser,
  view: Pick<SavedViewInput, "name" | "query">,
) {
  const views = await transaction.savedView.count({ where: { workspaceId, userId } });
  if (views >= maxSavedViews)
    throw new ServiceError("CONFLICT", `You have ${views} saved views: no more can be added`);
  return transaction.savedView.create({ data: { ...view, workspaceId, userId, createdAt: now } });
}

/** Changes the views of the calling user one after the other, so that the limit of their number holds. */
function changeViews(
  context: RequestContext,
  change: (write: WriteAccess, user: StoredUser) => Promise<void>,
) {
  assertIsUser(context.caller);
  return context.write(
    async (write) => {
      const user = await write.lock("User", write.caller.id);
      await change(write, user);
      return user;
    },
    { keepsAccess: true },
  );
}
