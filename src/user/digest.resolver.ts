import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../operation/request-context.js";
import { RequiresColumns, ReturnsLoaded } from "../reading/annotations.js";
import { Selected } from "../reading/selected-fields.js";
import type { Selection } from "../reading/selection.js";
import type { DigestRow } from "./digest.loader.js";
import { digestOf } from "./digest.service.js";
import { Digest } from "./digest.type.js";
import type { UserRow } from "./user.loader.js";
import { User } from "./user.type.js";

@Resolver(() => User)
export class UserDigestResolver {
  @ReturnsLoaded()
  @RequiresColumns()
  @FieldResolver(() => Digest, {
    nullable: true,
    description:
      "The mail that the user gets each day, as `setDigest` set it; null if it was never set. Null for other users unless the caller holds users:read in the workspace.",
  })
  digest(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() user: UserRow,
  ): Promise<DigestRow | null> {
    return digestOf(context, selection, user.id);
  }
}
