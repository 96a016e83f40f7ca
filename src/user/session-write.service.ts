import { randomUUID } from "node:crypto";
import { unauthenticated } from "../access/credentials.js";
import { type SessionKey, signSessionToken } from "../access/jwt.js";
import type { SignInCode } from "../access/sign-in-links.js";
import type { Transaction } from "../database/transaction.js";
import { Prisma, type User } from "../generated/prisma/client.js";
import type { AnonymousRequest, RequestContext } from "../operation/request-context.js";
import { runInTransaction, type TransactionEffects } from "../operation/transaction.js";
import { ServiceError } from "../platform/errors.js";
import { foldedEmail } from "./auth-id-lookup.js";
import { endSessions } from "./end-sessions.js";
import { acceptOldest, acceptOne } from "./invitation-acceptance.js";
import type { Session } from "./session.type.js";
import { assertIsUser } from "./user.service.js";

/** The lifetimes of a session and of each of its tokens, in milliseconds. */
const sessionLifetimeMs = 7 * 24 * 3_600_000;
const tokenLifetimeMs = 12 * 3_600_000;

/** Throws FORBIDDEN if users sign in at an identity provider. */
export function assertSignsInByLink({ services }: AnonymousRequest): void {
  if (services.signInLinks.hasIssuer)
    throw new ServiceError("FORBIDDEN", "Users sign in at the identity provider, not by a link");
}

/** Signs in by the code of a link. */
export async function signIn(context: AnonymousRequest, code: string): Promise<Session> {
  assertSignsInByLink(context);
  const { services, origin } = context;
  const now = services.now();
  const opened = services.signInLinks.open(code, now);
  const session =
    opened &&
    (await runInTransaction(
      services,
      (transaction, effects) => openSession({ transaction, effects, now }, opened),
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

/** A session, and what its tokens are made of. */
interface OpenedSession {
  key: SessionKey;
  authId: string;
  endsAt: Date;
}

interface SignInTransaction {
  transaction: Transaction;
  effects: TransactionEffects;
  now: Date;
}

async function openSession(
  signingIn: SignInTransaction,
  code: SignInCode,
): Promise<OpenedSession | undefined> {
  const { transaction, effects, now } = signingIn;
  const user = await userOf(signingIn, code);
  if (!user) return undefined;
  const { workspaceId, id: userId, authId } = user;
  const key = { workspaceId, userId, id: randomUUID() };
  const endsAt = new Date(now.getTime() + sessionLifetimeMs);
  await transaction.session.create({ data: { ...key, createdAt: now, expiresAt: endsAt } });
  effects.audit({ workspaceId, actorId: userId, actorKind: "USER", createdAt: now }, [
    { action: "signIn", targetType: "User", targetId: userId },
  ]);
  return { key, authId, endsAt };
}

/** The user whom a code signs in; undefined if the code has been used or is void. */
async function userOf(signingIn: SignInTransaction, code: SignInCode): Promise<User | undefined> {
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
  const [user] = await transaction.$queryRaw<User[]>(
    Prisma.sql`SELECT * FROM "User" WHERE "workspaceId" = ${key.workspaceId}::uuid AND "id" = ${key.id}::uuid FOR UPDATE`,
  );
  if (!user || foldedEmail(user.email) !== foldedEmail(grant.email)) return undefined;
  const { count } = await transaction.usedSignInCode.createMany({
    data: [{ workspaceId: user.workspaceId, codeHash, expiresAt: code.expiresAt }],
    skipDuplicates: true,
  });
  if (count === 0) return undefined;
  // Whoever has the link reads the mail to the address, or is the operator. The link of
  // an invitation, which its inviter has too, proves nothing.
  await transaction.emailLookup.updateMany({
    where: { email: foldedEmail(user.email), workspaceId: user.workspaceId, userId: user.id },
    data: { signedInAt: signingIn.now },
  });
  return user;
}

async function signedSession(
  { services }: AnonymousRequest,
  { key, authId, endsAt }: OpenedSession,
): Promise<Session> {
  const now = services.now();
  // Tokens expire at whole seconds.
  const expiresAt = new Date(
    Math.floor(Math.min(now.getTime() + tokenLifetimeMs, endsAt.getTime()) / 1000) * 1000,
  );
  const secret = services.settings.sessionSecret as string;
  return { token: await signSessionToken(secret, { authId, session: key, expiresAt }, now), expiresAt };
}

/** A new token of the session that the caller's token names. */
export async function renewSession(context: RequestContext): Promise<Session> {
  assertSignsInByLink(context);
  const { identity } = context.session;
  const key = "authId" in identity ? identity.session : undefined;
  if (!key || !("authId" in identity))
    throw new ServiceError("FORBIDDEN", "This needs the token of a session, which signIn returns");
  const stored = await context.visible.findById<{ expiresAt: Date }>("sessions", key.id);
  // The session may have ended while the request ran.
  if (!stored) throw unauthenticated("any", "ended session");
  return signedSession(context, { key, authId: identity.authId, endsAt: stored.expiresAt });
}

/** Ends all sessions of the calling user. */
export async function signOutEverywhere(context: RequestContext): Promise<boolean> {
  assertSignsInByLink(context);
  assertIsUser(context.caller);
  await context.write(async (write) => {
    const { id } = write.caller;
    await endSessions(write, id);
    write.audit({ action: "signOutEverywhere", targetType: "User", targetId: id });
  });
  return true;
}
