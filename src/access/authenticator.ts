import { isDeepStrictEqual } from "node:util";
import { LRUCache } from "lru-cache";
import type { Database } from "../database/client.js";
import { type ErrorCode, ServiceError } from "../platform/errors.js";
import { countedClient, countedRead, type StatementCount } from "../platform/telemetry/counted-client.js";
import type { LogEntry } from "../platform/telemetry/log-entry.js";
import { isSameSecret, type PresentedKey } from "./api-key.js";
import type { AuthenticationFailure } from "./authentication-failure.js";
import { CachedCallerCheck } from "./cached-caller-check.js";
import {
  type CallerKey,
  findApiKeyKey,
  findUserKey,
  loadApiKey,
  loadUser,
  type StoredApiKey,
  type StoredCaller,
} from "./caller.js";
import {
  type AcceptedScheme,
  AuthenticationError,
  type CallerIdentity,
  cacheKey,
  readCredentials,
  unauthenticated,
} from "./credentials.js";
import type { TokenVerifier } from "./jwt.js";
import type { Caller } from "./permissions.js";
import type { RateLimits } from "./rate-limits.js";

/**
 * What the cached callers may take of the heap together: some 7,000 who have access to no
 * single facilities.
 */
const maxCachedBytes = 48 * 1024 * 1024;
const bytesPerCaller = 7_000;
const bytesPerFacility = 700;
const bytesPerRemovedCamera = 100;
/** `ApiKey.lastUsedAt` is written at most this often. */
const lastUseResolutionMs = 60_000;

/**
 * The errors that say that credentials are invalid, or that they could not be verified.
 */
const failuresOfCredentials: ReadonlySet<ErrorCode> = new Set(["UNAUTHENTICATED", "UNAVAILABLE"]);

/** Where a request comes from, and the credentials it carries. */
export interface RequestOrigin {
  /** The id of the request in the log. */
  id: string;
  /** The client's address, for rate limits. */
  address: string;
  authorization: string | undefined;
  /** By which a client says that a request is the repetition of another. */
  readonly idempotencyKey?: string | undefined;
  /** Aborted when the client disconnects before it has its response. */
  readonly signal?: AbortSignal;
  /** As the signal's, without making one. */
  throwIfAborted?(): void;
  /** What the log says about the request. */
  readonly logEntry: LogEntry;
}

/**
 * An authenticated caller. A session never changes: when its caller does,
 * {@link Authenticator.revalidate} returns another one.
 */
export interface Session {
  readonly identity: CallerIdentity;
  readonly caller: Caller;
  /**
   * When the credentials expire, unless they are revoked before; in milliseconds since
   * 1970.
   */
  readonly expiresAt: number;
  /**
   * For a caller from the cache: the check that the first statement of the request
   * carries out.
   */
  readonly check?: CachedCallerCheck;
}

/** What an {@link Authenticator} needs of the gateway. */
export interface AuthenticatorDependencies {
  database: Database;
  verifyToken: TokenVerifier;
  rateLimits: RateLimits;
  now: () => Date;
}

interface AuthenticatedCaller extends StoredCaller {
  /** Until when the caller may be taken from the cache; in milliseconds since 1970. */
  cacheableUntil: number;
  /** When the stored credentials expire; in milliseconds since 1970. */
  expiresAt: number;
}

/**
 * Authenticates all requests of the gateway, before anything else of them is read, in two
 * steps: first {@link identify}, which rejects credentials that are invalid without a
 * look at the database, then {@link authenticate} or {@link authenticateFromCache}, which
 * return the session.
 */
export class Authenticator {
  readonly #dependencies: AuthenticatorDependencies;
  /** Callers by {@link cacheKey}, as they were last loaded. */
  readonly #callers = new LRUCache<string, AuthenticatedCaller>({
    maxSize: maxCachedBytes,
    sizeCalculation: ({ caller: { facilityPermissions, removedCameraIds } }) =>
      bytesPerCaller +
      bytesPerFacility * facilityPermissions.size +
      bytesPerRemovedCamera * removedCameraIds.length,
  });

  constructor(dependencies: AuthenticatorDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Counts a request that needs no credentials, or has none, against its address;
   * RATE_LIMITED over the limit.
   */
  async rateLimitAnonymous({ address }: RequestOrigin): Promise<void> {
    await this.#dependencies.rateLimits.countAddress(address);
  }

  /**
   * Reads the credentials of a request as far as that takes no statement. A failure
   * counts against the address, also where a token may be valid and its key could not be
   * looked up: whoever sends it has not proven who they are.
   */
  identify(origin: RequestOrigin, accepted: AcceptedScheme = "any"): Promise<CallerIdentity> {
    return this.#countingFailure(
      origin,
      readCredentials(origin.authorization, accepted, this.#dependencies.verifyToken),
    );
  }

  /**
   * Loads the caller from the database. A failure counts against the address, a success
   * against the caller.
   */
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
   * Like {@link authenticate}, but takes the caller from the cache if possible: the
   * session's `check` then has to be carried out before anything that was read is
   * returned, or written is committed. Only for what can be run again until then.
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
   * Loads the caller of a session again: returns the same session if nothing has changed,
   * else a fresh one; throws UNAUTHENTICATED if the credentials are no longer valid.
   * Counts against nobody, except that a failure counts against the address if an origin
   * is given, whose credentials these are.
   */
  async revalidate(session: Session, origin?: RequestOrigin): Promise<Session> {
    const loaded = this.#load(session.identity, "any", origin);
    const current = await (origin ? this.#countingFailure(origin, loaded) : loaded);
    const isUnchanged = isDeepStrictEqual(
      [current.caller, current.expiresAt],
      [session.caller, session.expiresAt],
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
    // A caller who was in the cache needs no look-up, unless the credentials lead to
    // another one now.
    const known = cached && (await loadCaller(database, identity, cached.caller, now()));
    const loaded = typeof known === "object" ? known : await findCaller(database, identity, now());
    if (typeof loaded === "string") throw unauthenticated(accepted, loaded);
    // The sessions of many sockets share one caller, unless it has changed in between.
    const stored =
      cached && isDeepStrictEqual(cached.caller, loaded.caller)
        ? { ...loaded, caller: cached.caller }
        : loaded;
    if (key !== undefined) this.#callers.set(key, stored);
    return sessionOf(identity, stored);
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

function sessionOf(identity: CallerIdentity, { caller, expiresAt }: AuthenticatedCaller): Session {
  return {
    identity,
    caller,
    expiresAt: "expiresAt" in identity ? Math.min(identity.expiresAt, expiresAt) : expiresAt,
  };
}

/** What callers are loaded from. */
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

const noSuchCaller = (identity: CallerIdentity): AuthenticationFailure =>
  "key" in identity || ("creator" in identity && identity.creator.kind === "api-key")
    ? "no such API key"
    : "no such user";

/** Where the caller of an identity is stored. */
async function findKey(database: CallerDatabase, identity: CallerIdentity): Promise<CallerKey | undefined> {
  if ("creator" in identity) return identity.creator;
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
    return failureOf(stored, now) ?? { ...stored, cacheableUntil: 0, expiresAt: expiryOf(stored) };
  }
  const user = await loadUser(database, "authId" in identity ? { ...key, authId: identity.authId } : key);
  return user
    ? { ...user, cacheableUntil: Number.POSITIVE_INFINITY, expiresAt: Number.POSITIVE_INFINITY }
    : "no such user";
}

async function loadKeyHolder(
  database: CallerDatabase,
  presented: PresentedKey,
  key: CallerKey,
  now: Date,
): Promise<AuthenticatedCaller | AuthenticationFailure> {
  const stored = await loadApiKey(database, key);
  if (!stored) return "no such API key";
  if (!isSameSecret(presented.secretHash, stored.secretHash)) return "wrong secret of an API key";
  const failure = failureOf(stored, now);
  if (failure) return failure;
  const lastUsedAt = await recordUse(database, stored, now);
  const expiresAt = expiryOf(stored);
  return {
    ...stored,
    cacheableUntil: Math.min(lastUsedAt.getTime() + lastUseResolutionMs, expiresAt),
    expiresAt,
  };
}

/** Returns the time of the key's last use that is stored now. */
async function recordUse(
  database: CallerDatabase,
  { lastUsedAt, caller: { workspaceId, id } }: StoredApiKey,
  now: Date,
): Promise<Date> {
  const outdated = new Date(now.getTime() - lastUseResolutionMs);
  if (lastUsedAt && lastUsedAt > outdated) return lastUsedAt;
  // Of many simultaneous requests only the first updates the row.
  const where = { workspaceId, id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: outdated } }] };
  await database.prisma.apiKey.updateMany({ where, data: { lastUsedAt: now } });
  return now;
}

const expiryOf = ({ expiresAt }: StoredApiKey) => expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;

function failureOf({ revokedAt, expiresAt }: StoredApiKey, now: Date): AuthenticationFailure | undefined {
  if (revokedAt) return "revoked API key";
  return expiresAt && expiresAt <= now ? "expired API key" : undefined;
}
