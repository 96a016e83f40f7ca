import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { can } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { RequiresColumns, ReturnsLoaded } from "../../engine/reading/annotations.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import type { UserRow } from "../user/user.loader.js";
import { User } from "../user/user.type.js";
import { type DigestRow, digestByUser } from "./digest.loader.js";
import { Digest } from "./digest.type.js";

/**
 * The digest of a user who is visible to the caller. Null if there is none, and for other users unless the caller holds
 * users:read in the workspace: it names facilities that the caller might not see.
 */
async function digestOf(
  context: RequestContext,
  selection: Selection,
  userId: string,
): Promise<DigestRow | null> {
  const { caller } = context;
  return userId === caller.id || can(caller, "users:read")
    ? digestByUser(context, selection).load(userId)
    : null;
}

@Resolver(() => User)
export class UserDigestResolver {
  @ReturnsLoaded()
  @RequiresColumns()
  @FieldResolver(() => Digest, {
    nullable: true,
    description:
      "The mail that the user gets each day, as `setDigest` set it; null if it was never set. Null for other users unless the caller holds users:read in the workspace.",
  })
  digest(@Ctx() context: RequestContext, @Selected() selection: Selection, @Root() user: UserRow) {
    return digestOf(context, selection, user.id);
  }
}
