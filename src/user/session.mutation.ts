import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { z } from "zod";
import { Public } from "../access/public.js";
import type { AnonymousRequest, RequestContext } from "../operation/request-context.js";
import { argumentsType, CheckedArgs } from "../platform/input-type.js";
import { emailAddress } from "../platform/text-rules.js";
import { Session } from "./session.type.js";
import { renewSession, signIn, signOutEverywhere } from "./session-write.service.js";
import { requestSignInLink } from "./sign-in-link-request.service.js";

type RequestSignInLinkArguments = InstanceType<typeof RequestSignInLinkArguments>;
const RequestSignInLinkArguments = argumentsType(
  z.object({ email: emailAddress.describe("The email address, at most 320 characters, in any case.") }),
);

@Resolver()
export class SessionMutations {
  @Public()
  @Mutation(() => Boolean, {
    description:
      "Mails a sign-in link to an email address of a user or of an open invitation, at most 5 times an hour from one network, and 20 times in all; one for each workspace with the address, naming it, at most 20. Mails to users who have never signed in by their address count as messages of the workspace. Returns true, whether or not the address is known. A link works once, for 15 minutes, or as long as the invitation. Alone in a document, it requires no credentials. UNAVAILABLE if the gateway sends no mails; FORBIDDEN if users sign in at an identity provider.",
  })
  requestSignInLink(
    @Ctx() context: AnonymousRequest,
    @CheckedArgs(RequestSignInLinkArguments) { email }: RequestSignInLinkArguments,
  ): Promise<boolean> {
    return requestSignInLink(context, email);
  }

  @Public()
  @Mutation(() => Session, {
    description:
      "Signs in with the code after `#sign-in=` in a sign-in link. Each code works once. Alone in a document, it requires no credentials. UNAUTHENTICATED if the code is not valid, was used, or has expired. FORBIDDEN if users sign in at an identity provider.",
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
