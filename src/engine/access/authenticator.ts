import { isDeepStrictEqual } from "node:util";
import { LRUCache } from "lru-cache";
import { type ErrorCode, ServiceError } from "../../platform/errors/errors.js";
import { countedClient, countedRead, type StatementCount } from "../../platform/telemetry/counted-client.js";
import type { LogEntry } from "../../platform/telemetry/log-entry.js";
import type { Database } from "../database/client.js";
import { Due } from "../leases/due.js";
import { isSameSecret, type PresentedKey } from "./api-key.js";
import type { AuthenticationFailure } from "./authentication-failure.js";
import { CachedCallerCheck } from "./cached-caller-check.js";
import {
  type CallerKey,
  findApiKeyKey,
  findUserKey,
  hasEnded,
  loadApiKey,
  loadUser,
  type StoredApiKey,
  type StoredCaller,
} from "./caller.js";
import type { ChangeSource } from "./change-source.js";
import {
  type AcceptedScheme,
  AuthenticationError,
  bearerToken,
  type CallerIdentity,
  cacheKey,
  readCredentials,
  sessionIdOf,
  unauthenticated,
} from "./credentials.js";
import type { IssuerEmail } from "./issuer-user-info.js";
import type { TokenVerifier } from "./jwt.js";
import type { Caller } from "./permissions.js";
import type { RateLimits } from "./rate-limits.js";

/** The heap that all cached callers may take together: some 7,000 callers without access to single facilities. */
const maxCachedBytes = 48 * 1024 * 1024;
const bytesPerCaller = 7_000;
const bytesPerFacility = 700;
const bytesPerRemoved = 100;
/** The minimum time between two writes of `ApiKey.lastUsedAt`. */
const lastUseResolutionMs = 60_000;

/** The errors for invalid credentials, and for credentials that could not be verified. */
const failuresOfCredentials: ReadonlySet<ErrorCode> = new Set(["UNAUTHENTICATED", "UNAVAILABLE"]);

/** The origin of a request, with its credentials. */
export interface RequestOrigin extends ChangeSource {
  id: string;
  address: string;
  authorization: string | undefined;
  /** The header that marks a request as the repetition of an earlier one. */
  readonly idempotencyKey?: string | undefined;
  /** Aborts when the client disconnects before its response is complete. */
  readonly signal?: AbortSignal;
  /** Throws if the signal has aborted, without creating a signal. */
  throwIfAborted?(): void;
  readonly logEntry: LogEntry;
}

/** An authenticated caller. It never changes: {@link Authenticator.revalidate} returns a new one if the caller does. */
export interface Session {
  readonly identity: CallerIdentity;
  readonly caller: Caller;
  /** When the credentials expire unless revoked earlier, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** When access of the caller next ends by itself, in all or at a facility, by `performance.now()`; or Infinity. */
  readonly endsAt: number;
  /** The check of a cached caller, which the first statement of the request carries out. */
  readonly check?: CachedCallerCheck;
}

interface AuthenticatorDependencies {
  database: Database;
  verifyToken: TokenVerifier;
  rateLimits: RateLimits;
  now: () => Date;
  /** Lets unknown subjects accept invitations; undefined if no issuer is configured. */
  invitations?: InvitationsBySubject | undefined;
}

/** The invitations that the tokens of an issuer may accept. */
interface InvitationsBySubject {
  /** Asks the issuer for an address that a token does not contain. */
  findEmail: (token: string, subject: string) => Promise<IssuerEmail | undefined>;
  /** Makes the subject of a token a user if the verified address is invited; undefined if it is not. */
  accept: (subject: { authId: string; email: string }) => Promise<CallerKey | undefined>;
}

interface AuthenticatedCaller extends StoredCaller {
  /** The time until which the cache may serve the caller, in milliseconds since 1970. */
  cacheableUntil: number;
  /** The time at which the stored credentials expire, in milliseconds since 1970. */
  expiresAt: number;
  /** See {@link Session}. */
  endsAt: number;
}

/**
 * Authenticates all requests before anything else of them is read, in two steps. {@link identify} rejects invalid
 * credentials without asking the database. {@link authenticate} or {@link authenticateFromCache} then returns the
 * session.
 */
export class Authenticator {
  readonly #dependencies: AuthenticatorDependencies;
  /** The last loaded callers, by {@link cacheKey}. */
  readonly #callers = new LRUCache<string, AuthenticatedCaller>({
    maxSize: maxCachedBytes,
    sizeCalculation: ({ caller: { facilityPermissions, removedCameraIds, removedFacilityIds } }) =>
      bytesPerCaller +
      bytesPerFacility * facilityPermissions.size +
      bytesPerRemoved * (removedCameraIds.length + removedFacilityIds.length),
  });

  constructor(dependencies: AuthenticatorDependencies) {
    this.#dependencies = dependencies;
  }

  /** Counts a request without credentials against its address, needed or not. RATE_LIMITED over the limit. */
  async rateLimitAnonymous({ address }: RequestOrigin): Promise<void> {
    await this.#dependencies.rateLimits.countAddress(address);
  }

  /**
   * Reads the credentials of a request as far as possible without a statement. A failure counts against the address,
   * even if a token may be valid and only the look-up of its key failed: the sender has not proven an identity.
   */
  identify(origin: RequestOrigin, accepted: AcceptedScheme = "any"): Promise<CallerIdentity> {
    return this.#countingFailure(
      origin,
      readCredentials(origin.authorization, accepted, this.#dependencies.verifyToken),
    );
  }

  /** Loads the caller from the database. A failure counts against the address, a success against the caller. */
  async authenticate(
    identity: CallerIdentity,
    origin: RequestOrigin,
    accepted: AcceptedScheme = "any",
  ): Promise<Session> {
    const session = await this.#countingFailure(origin, this.#load(identity, accepted, origin));
    origin.logEntry.caller = session.caller;
    await this.#dependencies.rateLimits.countCaller(session.caller.id);
    return session;
  }

  /**
   * Like {@link authenticate}, but takes the caller from the cache if possible. The session's `check` must then run
   * before any data is returned or any write is committed. Use only for work that can be run again until then.
   */
  async authenticateFromCache(
    identity: CallerIdentity,
    origin: RequestOrigin,
    accepted: AcceptedScheme = "any",
  ): Promise<Session> {
    const { database, now, rateLimits } = this.#dependencies;
    const key = cacheKey(identity);
    const cached = key === undefined ? undefined : this.#callers.get(key);
    if (!cached || cached.cacheableUntil <= now().getTime())
      return this.authenticate(identity, origin, accepted);
    origin.logEntry.caller = cached.caller;
    await rateLimits.countCaller(cached.caller.id);
    return {
      ...sessionOf(identity, cached),
      check: new CachedCallerCheck(cached, countedRead(database.read, origin.logEntry)),
    };
  }

  /**
   * Loads the caller of a session again. Returns the same session if nothing has changed, otherwise a fresh one. Throws
   * UNAUTHENTICATED if the credentials are no longer valid. Counts against nobody, except that a failure counts against
   * the address of a given origin.
   */
  async revalidate(session: Session, origin?: RequestOrigin): Promise<Session> {
    const loaded = this.#load(session.identity, "any", origin);
    const current = await (origin ? this.#countingFailure(origin, loaded) : loaded);
    const isUnchanged = isDeepStrictEqual(
      [current.caller, current.expiresAt, current.endsAt],
      [session.caller, session.expiresAt, session.endsAt],
    );
    return isUnchanged && !session.check ? session : current;
  }

  async #load(
    identity: CallerIdentity,
    accepted: AcceptedScheme,
    origin: RequestOrigin | undefined,
  ): Promise<Session> {
    const { now } = this.#dependencies;
    const database = origin
      ? countedDatabase(this.#dependencies.database, origin.logEntry)
      : this.#dependencies.database;
    const key = cacheKey(identity);
    const cached = key === undefined ? undefined : this.#callers.get(key);
    if (key !== undefined) this.#callers.delete(key);
    // A cached caller needs no look-up, unless the credentials now belong to another caller.
    const known = cached && (await loadCaller(database, identity, cached.caller, now()));
    const loaded =
      typeof known === "object"
        ? known
        : await this.#findOrInvited(database, identity, origin?.authorization);
    if (typeof loaded === "string") throw unauthenticated(accepted, loaded);
    // The sessions of many sockets share one caller unless it has changed.
    const stored =
      cached && isDeepStrictEqual(cached.caller, loaded.caller)
        ? { ...loaded, caller: cached.caller }
        : loaded;
    if (key !== undefined) this.#callers.set(key, stored);
    return sessionOf(identity, stored);
  }

  /** Finds a caller. An unknown subject becomes a user if its address is invited. */
  async #findOrInvited(
    database: CallerDatabase,
    identity: CallerIdentity,
    authorization: string | undefined,
  ): Promise<AuthenticatedCaller | AuthenticationFailure> {
    const { invitations, now } = this.#dependencies;
    const found = await findCaller(database, identity, now());
    const token = bearerToken(authorization);
    if (typeof found === "object" || found === "ended access") return found;
    if (!invitations || !("authId" in identity) || token === undefined) return found;
    const { authId } = identity;
    const email = identity.email ?? (await invitations.findEmail(token, authId));
    if (!email) return "no such user, and no email address in the token or at the issuer";
    if (!email.isVerified) return "no such user, and an email address that is not verified";
    const key = await invitations.accept({ authId, email: email.address });
    return key ? loadCaller(database, identity, key, now()) : found;
  }

  async #countingFailure<Result>(origin: RequestOrigin, attempt: Promise<Result>): Promise<Result> {
    try {
      return await attempt;
    } catch (error) {
      if (error instanceof AuthenticationError) origin.logEntry.authenticationFailure = error.failure;
      if (error instanceof ServiceError && failuresOfCredentials.has(error.code))
        await this.rateLimitAnonymous(origin);
      throw error;
    }
  }
}

function sessionOf(identity: CallerIdentity, { caller, expiresAt, endsAt }: AuthenticatedCaller): Session {
  return {
    identity,
    caller,
    endsAt,
    expiresAt: "expiresAt" in identity ? Math.min(identity.expiresAt, expiresAt) : expiresAt,
  };
}

/** The parts of the database that load callers. */
type CallerDatabase = Pick<Database, "prisma" | "read">;

function countedDatabase({ prisma, read }: CallerDatabase, count: StatementCount): CallerDatabase {
  return { prisma: countedClient(prisma, count), read: countedRead(read, count) };
}

async function findCaller(
  database: CallerDatabase,
  identity: CallerIdentity,
  now: Date,
): Promise<AuthenticatedCaller | AuthenticationFailure> {
  const key = await findKey(database, identity);
  return key ? loadCaller(database, identity, key, now) : noSuchCaller(identity);
}

const never = Number.POSITIVE_INFINITY;

/** The session of a token; undefined without one. */
const sessionKeyOf = (identity: CallerIdentity) => ("authId" in identity ? identity.session : undefined);

const noSuchCaller = (identity: CallerIdentity): AuthenticationFailure =>
  "key" in identity || ("creator" in identity && identity.creator.kind === "api-key")
    ? "no such API key"
    : "no such user";

/** Finds the key of an identity's caller. */
async function findKey(database: CallerDatabase, identity: CallerIdentity): Promise<CallerKey | undefined> {
  if ("creator" in identity) return identity.creator;
  const session = sessionKeyOf(identity);
  if (session) return { workspaceId: session.workspaceId, id: session.userId };
  return "key" in identity
    ? findApiKeyKey(database, identity.key.id)
    : findUserKey(database, identity.authId);
}

async function loadCaller(
  database: CallerDatabase,
  identity: CallerIdentity,
  key: CallerKey,
  now: Date,
): Promise<AuthenticatedCaller | AuthenticationFailure> {
  if ("key" in identity) return loadKeyHolder(database, identity.key, key, now);
  if ("creator" in identity && identity.creator.kind === "api-key") {
    const stored = await loadApiKey(database, key);
    if (!stored) return "no such API key";
    return (
      failureOf(stored, now) ?? { ...stored, cacheableUntil: 0, expiresAt: expiryOf(stored), endsAt: never }
    );
  }
  const sessionId = sessionIdOf(identity);
  const user = await loadUser(
    database,
    "authId" in identity ? { ...key, authId: identity.authId, sessionId } : { ...key, sessionId },
  );
  if (user) {
    const endsAt = performance.now() + (user.endsInMs ?? never);
    return { ...user, cacheableUntil: never, expiresAt: never, endsAt };
  }
  if (await hasEnded(database, key)) return "ended access";
  return sessionId !== undefined ? "ended session" : "no such user";
}

async function loadKeyHolder(
  database: CallerDatabase,
  presented: PresentedKey,
  key: CallerKey,
  now: Date,
): Promise<AuthenticatedCaller | AuthenticationFailure> {
  const stored = await loadApiKey(database, key);
  if (!stored) return "no such API key";
  const expiresAt = expiryOfSecret(presented, stored);
  if (expiresAt === undefined) return "wrong secret of an API key";
  const failure = failureOf(stored, now);
  if (failure) return failure;
  if (expiresAt <= now.getTime()) return "replaced secret of an API key";
  const lastUsedAt = await recordUse(database, stored, now);
  return {
    ...stored,
    cacheableUntil: Math.min(lastUsedAt.getTime() + lastUseResolutionMs, expiresAt),
    expiresAt,
    endsAt: never,
  };
}

/** Returns the stored time of the key's last use. */
async function recordUse(
  database: CallerDatabase,
  { lastUsedAt, caller: { workspaceId, id } }: StoredApiKey,
  now: Date,
): Promise<Date> {
  const outdated = Due.ofAge(lastUseResolutionMs, now);
  if (lastUsedAt && !outdated.includes(lastUsedAt)) return lastUsedAt;
  // Of many simultaneous requests, only the first updates the row.
  const where = { workspaceId, id, OR: [{ lastUsedAt: null }, outdated.where("lastUsedAt")] };
  await database.prisma.apiKey.updateMany({ where, data: { lastUsedAt: now } });
  return now;
}

/** When a secret of a key stops working, in milliseconds since 1970; undefined if it is none of the key's. */
function expiryOfSecret({ secretHash }: PresentedKey, stored: StoredApiKey): number | undefined {
  if (isSameSecret(secretHash, stored.secretHash)) return expiryOf(stored);
  const { oldSecretHash, oldSecretUntil } = stored;
  return oldSecretHash && oldSecretUntil && isSameSecret(secretHash, oldSecretHash)
    ? Math.min(oldSecretUntil.getTime(), expiryOf(stored))
    : undefined;
}

const expiryOf = ({ expiresAt }: StoredApiKey) => expiresAt?.getTime() ?? never;

function failureOf({ revokedAt, expiresAt }: StoredApiKey, now: Date): AuthenticationFailure | undefined {
  if (revokedAt) return "revoked API key";
  return expiresAt && expiresAt <= now ? "expired API key" : undefined;
}
