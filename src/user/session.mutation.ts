import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { Public } from "../access/public.js";
import type { AnonymousRequest, RequestContext } from "../operation/request-context.js";
import { Session } from "./session.type.js";
import { renewSession, signIn, signOutEverywhere } from "./session-write.service.js";

@Resolver()
export class SessionMutations {
  @Public()
  @Mutation(() => Session, {
    description:
      "Signs in with the code after `#sign-in=` in a sign-in link. Each code works once. Alone in a document, it requires no credentials. UNAUTHENTICATED if the code is not valid, was used, or has expired; CONFLICT if several users have the address. FORBIDDEN if users sign in at an identity provider.",
  })
  signIn(
    @Ctx() context: AnonymousRequest,
    @Arg("code", () => String, { description: "The code of a sign-in link." }) code: string,
  ): Promise<Session> {
    return signIn(context, code);
  }

  @Mutation(() => Session, {
    description:
      "Replaces the caller's session token with a new one. Requires the token of a session: FORBIDDEN for any other.",
  })
  renewSession(@Ctx() context: RequestContext): Promise<Session> {
    return renewSession(context);
  }

  @Mutation(() => Boolean, {
    description:
      "Ends all sessions of the calling user with immediate effect, this one included, and closes their sockets. Requires a user's Bearer token: FORBIDDEN for an API key, and if users sign in at an identity provider.",
  })
  signOutEverywhere(@Ctx() context: RequestContext): Promise<boolean> {
    return signOutEverywhere(context);
  }
}
