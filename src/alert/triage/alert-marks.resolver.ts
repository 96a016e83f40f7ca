import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../operation/request-context.js";
import { RequiresColumns, ReturnsLoaded } from "../../reading/annotations.js";
import { Selected } from "../../reading/selected-fields.js";
import type { Selection } from "../../reading/selection.js";
import type { UserRow } from "../../user/user.loader.js";
import { actingUser } from "../../user/user.service.js";
import { User } from "../../user/user.type.js";
import type { AlertRow } from "../alert.loader.js";
import { Alert } from "../alert.type.js";

const ifShown =
  "Also null for an API key, for a user who has been removed, and for a user whom `Query.node` would not return to the caller.";

@Resolver(() => Alert)
export class AlertMarksResolver {
  @ReturnsLoaded()
  @RequiresColumns("acknowledgedById")
  @FieldResolver(() => User, {
    nullable: true,
    description: `The user who acknowledged the alert; null unless it is acknowledged. ${ifShown}`,
  })
  acknowledgedBy(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() alert: AlertRow,
  ): Promise<UserRow | null> {
    return actingUser(context, selection, alert.acknowledgedById);
  }

  @ReturnsLoaded()
  @RequiresColumns("bookmarkChangedById")
  @FieldResolver(() => User, {
    nullable: true,
    description: `The user who last changed the bookmark; null if nobody has. ${ifShown}`,
  })
  bookmarkChangedBy(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() alert: AlertRow,
  ): Promise<UserRow | null> {
    return actingUser(context, selection, alert.bookmarkChangedById);
  }

  @ReturnsLoaded()
  @RequiresColumns("falsePositiveChangedById")
  @FieldResolver(() => User, {
    nullable: true,
    description: `The user who last changed the false positive mark; null if nobody has. ${ifShown}`,
  })
  falsePositiveChangedBy(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() alert: AlertRow,
  ): Promise<UserRow | null> {
    return actingUser(context, selection, alert.falsePositiveChangedById);
  }
}
