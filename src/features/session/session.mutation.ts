import { randomUUID } from "node:crypto";
import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { z } from "zod";
import { isLasting } from "../../engine/access/caller.js";
import { unauthenticated } from "../../engine/access/credentials.js";
import { type SessionKey, signSessionToken } from "../../engine/access/jwt.js";
import { Public } from "../../engine/access/public.js";
import type { SignInCode } from "../../engine/access/sign-in-links.js";
import type { Transaction } from "../../engine/database/transaction.js";
import type { GatewayRequest, RequestContext } from "../../engine/operation/request-context.js";
import { runInTransaction, type TransactionEffects } from "../../engine/operation/transaction.js";
import { Prisma, type User as StoredUser } from "../../generated/prisma/client.js";
import { defined } from "../../platform/defined.js";
import { NotSetUpError, notFound, ServiceError } from "../../platform/errors/errors.js";
import { orderedUuid } from "../../platform/ids/ordered-uuid.js";
import { argumentsType, CheckedArgs, IdArg } from "../../platform/input/input-type.js";
import { emailAddress } from "../../platform/input/text-rules.js";
import { subnetOf } from "../../platform/network/ip-address.js";
import { countedClient } from "../../platform/telemetry/counted-client.js";
import { later } from "../../platform/time.js";
import { acceptOldest, acceptOne } from "../invitation/invitation-acceptance.js";
import { foldedEmail } from "../user/auth-id-lookup.js";
import { endSessions } from "../user/end-sessions.js";
import { assertIsUser } from "../user/user.service.js";
import { User } from "../user/user.type.js";
import { browserName } from "./browser-name.js";
import { Session } from "./session.type.js";

type RequestSignInLinkArguments = InstanceType<typeof RequestSignInLinkArguments>;
const RequestSignInLinkArguments = argumentsType(
  z.object({
    email: emailAddress.describe("The email address, at most 320 characters, in any case."),
    path: z
      .string()
      .max(500)
      .regex(/^\/\?[\x21\x22\x24-\x7e]*$/, "must begin with /? and have neither # nor blanks")
      .nullish()
      .describe("Where in the console the link leads, such as `/?view=today`; by default to its beginning."),
  }),
);

const dayMs = 24 * 3_600_000;
/** The lifetimes of a session and of each of its tokens, in milliseconds. */
const lifetimes = {
  passing: { session: 7 * dayMs, token: dayMs / 2 },
  remembered: { session: 30 * dayMs, token: 30 * dayMs },
};
const lifetimeOf = (remembered: boolean) => lifetimes[remembered ? "remembered" : "passing"];

/** A session, and what its tokens are made of. */
interface OpenedSession {
  key: SessionKey;
  authId: string;
  endsAt: Date;
  remembered: boolean;
}

interface SignInTransaction {
  transaction: Transaction;
  effects: TransactionEffects;
  now: Date;
}

interface SessionOptions {
  remembered: boolean;
  /** The browser's `User-Agent`. */
  client: string | undefined;
}

/** The maximum number of requests that wait, in all and from one network. A worker answers many in a second. */
const maxWaiting = 1_000;
const maxWaitingOfNetwork = 100;
const retryAfter = 10;

@Resolver()
export class SessionMutations {
  @Public()
  @Mutation(() => Boolean, {
    description:
      "Mails a sign-in link to an email address of a user or of an open invitation, at most 5 times an hour from one network, and 20 times in all; one for each workspace with the address, naming it, at most 20. Mails to users who have never signed in by their address count as messages of the workspace. Returns true, whether or not the address is known. A link works once, for 15 minutes, or as long as the invitation. Alone in a document, it requires no credentials. UNAVAILABLE if the gateway sends no mails; FORBIDDEN if users sign in at an identity provider.",
  })
  async requestSignInLink(
    @Ctx() context: GatewayRequest,
    @CheckedArgs(RequestSignInLinkArguments) { email, path }: RequestSignInLinkArguments,
  ) {
    assertSignsInByLink(context);
    const { services, origin } = context;
    if (!services.settings.deliveryChannels.has("EMAIL"))
      throw new NotSetUpError("This gateway sends no mails: ask its operator for a sign-in link");
    // One document may ask for many links.
    await services.authenticator.rateLimitAnonymous(origin);
    const prisma = countedClient(services.database.prisma, origin.logEntry);
    const network = subnetOf(origin.address);
    const isBelow = (max: number, condition = Prisma.empty) =>
      Prisma.sql`(SELECT count(*) FROM (SELECT FROM "SignInLinkRequest" WHERE "answeredAt" IS NULL ${condition} LIMIT ${max}::int) AS waiting) < ${max}::int`;
    const added = await prisma.$executeRaw(Prisma.sql`
      INSERT INTO "SignInLinkRequest" ("id", "email", "network", "path", "requestedAt")
      SELECT ${orderedUuid()}::uuid, ${foldedEmail(email)}, ${network}, ${path ?? null}, ${services.now()}::timestamptz
      WHERE ${isBelow(maxWaiting)} AND ${isBelow(maxWaitingOfNetwork, Prisma.sql`AND "network" = ${network}`)}`);
    if (added === 0)
      throw new ServiceError(
        "RATE_LIMITED",
        `Too many people ask for sign-in links; try again in ${retryAfter} s`,
        { retryAfter },
      );
    services.events.announceWork();
    return true;
  }

  @Public()
  @Mutation(() => Session, {
    description:
      "Signs in with the code after `#sign-in=` in a sign-in link. Each code works once. Alone in a document, it requires no credentials. UNAUTHENTICATED if the code is not valid, was used, or has expired, and if the user's access has ended, which the error says. FORBIDDEN if users sign in at an identity provider.",
  })
  async signIn(
    @Ctx() context: GatewayRequest,
    @Arg("code", () => String, { description: "The code of a sign-in link." }) code: string,
    @Arg("remember", () => Boolean, {
      defaultValue: false,
      description: "Whether the session lasts for 30 days, and for 30 more from each renewal.",
    })
    remembered: boolean,
  ) {
    assertSignsInByLink(context);
    const { services, origin } = context;
    const now = services.now();
    const opened = services.signInLinks.open(code, now);
    const session =
      opened &&
      (await runInTransaction(
        services,
        (transaction, effects) =>
          openSession({ transaction, effects, now }, opened, { remembered, client: origin.client }),
        origin,
      ));
    if (!session) {
      origin.logEntry.authenticationFailure = "invalid sign-in code";
      await services.authenticator.rateLimitAnonymous(origin);
      throw new ServiceError(
        "UNAUTHENTICATED",
        "The sign-in link is not valid: it may have been used, or have expired",
        { reason: "INVALID" },
      );
    }
    return signedSession(context, session);
  }

  @Mutation(() => Session, {
    description:
      "Replaces the caller's session token with a new one, and prolongs a remembered session. Requires the token of a session: FORBIDDEN for any other.",
  })
  async renewSession(@Ctx() context: RequestContext) {
    assertSignsInByLink(context);
    const { identity } = context.session;
    const key = "authId" in identity ? identity.session : undefined;
    if (!key || !("authId" in identity))
      throw new ServiceError("FORBIDDEN", "This needs the token of a session, which signIn returns");
    const { services } = context;
    const now = services.now();
    const [renewed] = await services.database.prisma.$queryRaw<{ expiresAt: Date; remembered: boolean }[]>(
      Prisma.sql`UPDATE "Session" SET "lastUsedAt" = ${now}::timestamptz,
        "expiresAt" = CASE WHEN "remembered" THEN ${later(now, lifetimes.remembered.session)}::timestamptz ELSE "expiresAt" END
        WHERE "workspaceId" = ${key.workspaceId}::uuid AND "userId" = ${key.userId}::uuid AND "id" = ${key.id}::uuid
        RETURNING "expiresAt", "remembered"`,
    );
    // The session may have ended while the request ran.
    if (!renewed) throw unauthenticated("any", "ended session");
    const { expiresAt: endsAt, remembered } = renewed;
    return signedSession(context, { key, authId: identity.authId, endsAt, remembered });
  }

  @Mutation(() => User, {
    description:
      "Ends one of the calling user's sessions with immediate effect, and closes its sockets. FORBIDDEN if the caller is an API key, and if users sign in at an identity provider.",
  })
  endSession(@Ctx() context: RequestContext, @IdArg("the session") id: string) {
    assertSignsInByLink(context);
    assertIsUser(context.caller);
    return context.write(async (write) => {
      const user = await write.lock("User", write.caller.id);
      const { workspaceId, id: userId } = user;
      const { count } = await write.transaction.session.deleteMany({ where: { workspaceId, userId, id } });
      if (count === 0) throw notFound();
      write.emit({ topic: "accessChanged", ids: [userId] });
      write.auditChange("User", { id: userId });
      return user;
    });
  }

  @Mutation(() => Boolean, {
    description:
      "Ends all sessions of the calling user with immediate effect, this one included, and closes their sockets. Requires a user's Bearer token: FORBIDDEN for an API key, and if users sign in at an identity provider.",
  })
  async signOutEverywhere(@Ctx() context: RequestContext) {
    assertSignsInByLink(context);
    assertIsUser(context.caller);
    await context.write(async (write) => {
      const { id } = write.caller;
      await endSessions(write, id);
      write.auditChange("User", { id });
    });
    return true;
  }
}

function assertSignsInByLink({ services }: GatewayRequest): void {
  if (services.signInLinks.hasIssuer)
    throw new ServiceError("FORBIDDEN", "Users sign in at the identity provider, not by a link");
}

async function openSession(
  signingIn: SignInTransaction,
  code: SignInCode,
  { remembered, client }: SessionOptions,
): Promise<OpenedSession | undefined> {
  const { transaction, effects, now } = signingIn;
  const user = await userOf(signingIn, code);
  if (!user) return undefined;
  const { workspaceId, id: userId, authId } = user;
  const key = { workspaceId, userId, id: randomUUID() };
  const endsAt = later(now, lifetimeOf(remembered).session);
  const name = browserName(client);
  await transaction.session.create({
    data: { ...key, name, remembered, createdAt: now, lastUsedAt: now, expiresAt: endsAt },
  });
  effects.audit({ workspaceId, actorId: userId, actorKind: "USER", createdAt: now }, [
    { action: "signIn", targetType: "User", targetId: userId },
  ]);
  return { key, authId, endsAt, remembered };
}

/** The user whom a code signs in; undefined if the code has been used or is void. */
async function userOf(signingIn: SignInTransaction, code: SignInCode): Promise<StoredUser | undefined> {
  const { transaction } = signingIn;
  const { grant } = code;
  // A link from before the invitation was resent is void.
  if (grant.kind === "invitation") return acceptOne(signingIn, grant, { expiresAt: code.expiresAt });
  const codeHash = new Uint8Array(code.hash);
  const key =
    grant.kind === "user"
      ? grant
      : await acceptOldest(signingIn, { email: grant.email, workspaceId: grant.workspaceId });
  if (!key) return undefined;
  const [user] = await transaction.$queryRaw<(StoredUser & { isLasting: boolean })[]>(
    Prisma.sql`SELECT *, ${isLasting} AS "isLasting" FROM "User" WHERE "workspaceId" = ${key.workspaceId}::uuid AND "id" = ${key.id}::uuid FOR UPDATE`,
  );
  if (!user || foldedEmail(user.email) !== foldedEmail(grant.email)) return undefined;
  if (!user.isLasting) throw unauthenticated("any", "ended access");
  const { count } = await transaction.usedSignInCode.createMany({
    data: [{ workspaceId: user.workspaceId, codeHash, expiresAt: code.expiresAt }],
    skipDuplicates: true,
  });
  if (count === 0) return undefined;
  // Whoever has the link reads the mail to the address, or is the operator. The link of an invitation, which its
  // inviter has too, proves nothing.
  await transaction.emailLookup.updateMany({
    where: { email: foldedEmail(user.email), workspaceId: user.workspaceId, userId: user.id },
    data: { signedInAt: signingIn.now },
  });
  return user;
}

async function signedSession(
  { services }: GatewayRequest,
  { key, authId, endsAt, remembered }: OpenedSession,
): Promise<Session> {
  const now = services.now();
  // Tokens expire at whole seconds.
  const expiresAt = new Date(
    Math.floor(Math.min(now.getTime() + lifetimeOf(remembered).token, endsAt.getTime()) / 1000) * 1000,
  );
  const secret = defined(services.settings.sessionSecret);
  return { token: await signSessionToken(secret, { authId, session: key, expiresAt }, now), expiresAt };
}
