import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { ReadAhead, RequiresColumns } from "../../engine/reading/annotations.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import type { UserRow } from "../user/user.loader.js";
import { User } from "../user/user.type.js";
import { sessionsByUser, type UserSessionRow } from "./user-session.loader.js";
import { UserSession } from "./user-session.type.js";

@Resolver(() => User)
export class UserSessionsResolver {
  @RequiresColumns()
  @ReadAhead(sessionsByUser)
  @FieldResolver(() => [UserSession], {
    description:
      "Where the user is signed in by a link, the session used last first; empty for other users, and if users sign in at an identity provider.",
  })
  sessions(@Ctx() context: RequestContext, @Selected() selection: Selection, @Root() user: UserRow) {
    return sessionsByUser(context, selection).load(user.id);
  }
}

@Resolver(() => UserSession)
export class UserSessionResolver {
  @RequiresColumns("id")
  @FieldResolver(() => Boolean, { description: "Whether the request itself belongs to the session." })
  current(@Ctx() { session: { identity } }: RequestContext, @Root() { id }: UserSessionRow): boolean {
    return "authId" in identity && identity.session?.id === id;
  }
}
