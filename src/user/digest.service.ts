import { can } from "../access/permissions.js";
import type { RequestContext } from "../operation/request-context.js";
import type { Selection } from "../reading/selection.js";
import { type DigestRow, digestByUser } from "./digest.loader.js";

/**
 * The digest of a user who is visible to the caller. Null if there is none, and for other
 * users unless the caller holds users:read in the workspace: it names facilities that the
 * caller might not see.
 */
export async function digestOf(
  context: RequestContext,
  selection: Selection,
  userId: string,
): Promise<DigestRow | null> {
  const { caller } = context;
  return userId === caller.id || can(caller, "users:read")
    ? digestByUser(context, selection).load(userId)
    : null;
}
