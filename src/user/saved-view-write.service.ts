import type { SavedView, User } from "../generated/prisma/client.js";
import type { RequestContext } from "../operation/request-context.js";
import { changedFields, isUnchanged, type WriteAccess } from "../operation/write.js";
import { ServiceError } from "../platform/errors.js";
import type { SavedViewInput } from "./saved-view.input.js";
import { assertIsUser } from "./user.service.js";

/** The maximum number of views of a user. */
export const maxSavedViews = 50;

/** Adds a view of the calling user, or replaces the one with the given ID. */
export function saveView(context: RequestContext, { id, ...view }: SavedViewInput): Promise<User> {
  return changeViews(context, async (write, user) => {
    const before = id == null ? undefined : await write.lock<SavedView>("savedViews", id);
    const changes = changedFields<object>(before ?? {}, view);
    if (isUnchanged(changes)) return;
    const { id: targetId } = before
      ? await write.transaction.savedView.update({ where: write.key(before.id), data: view })
      : await addView(write, user, view);
    write.audit({ action: "saveView", targetType: "SavedView", targetId, changes });
  });
}

async function addView(
  { transaction, now }: WriteAccess,
  { workspaceId, id: userId }: User,
  view: Pick<SavedView, "name" | "query">,
): Promise<SavedView> {
  const views = await transaction.savedView.count({ where: { workspaceId, userId } });
  if (views >= maxSavedViews)
    throw new ServiceError("CONFLICT", `You have ${views} saved views: no more can be added`);
  return transaction.savedView.create({ data: { ...view, workspaceId, userId, createdAt: now } });
}

/** Deletes a view of the calling user. */
export function deleteView(context: RequestContext, id: string): Promise<User> {
  return changeViews(context, async (write) => {
    const { name, query } = await write.lock<SavedView>("savedViews", id);
    await write.transaction.savedView.delete({ where: write.key(id) });
    const changes = changedFields<object>({ name, query }, { name: null, query: null });
    write.audit({ action: "deleteView", targetType: "SavedView", targetId: id, changes });
  });
}

/**
 * Changes the views of the calling user one after the other, so that their number holds.
 */
function changeViews(
  context: RequestContext,
  change: (write: WriteAccess, user: User) => Promise<void>,
): Promise<User> {
  assertIsUser(context.caller);
  return context.write(
    async (write) => {
      const user = await write.lock<User>("users", write.caller.id);
      await change(write, user);
      return user;
    },
    { keepsAccess: true },
  );
}
