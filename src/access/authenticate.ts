import type { Database } from "../database/client.js";
import { ServiceError } from "../platform/errors.js";
import { isSameSecret, type PresentedKey, presentedKey } from "./api-key.js";
import { loadApiKey, loadUser, type StoredApiKey, type StoredCaller } from "./caller.js";
import type { TokenVerifier } from "./jwt.js";
import type { Caller } from "./permissions.js";

/** The ways of proving who one is that an operation accepts: both, or an API key alone. */
export type AcceptedScheme = "any" | "basic";

/** Whom credentials, or a link that we signed, speak of, as far as can be told without the database; of a token, until when. */
export type Claim = { authId: string; expiresAt: number } | { key: PresentedKey } | { signedFor: Pick<Caller, "kind" | "id"> };

/** What a signed link says of who made it. */
export function claimOf({ kind, id }: Caller): Claim {
  return { signedFor: { kind, id } };
}

/**
 * Reads an `Authorization` header: a token's signature is checked, a key's form. UNAUTHENTICATED when nobody can be meant.
 * It costs no statement, so that strangers cost none.
 */
export async function readClaim(authorization: string | undefined, accepted: AcceptedScheme, verifyToken: TokenVerifier): Promise<Claim> {
  const [, scheme = "", credentials = ""] = /^(\S{1,20}) +(\S.*)$/.exec(authorization?.trim() ?? "") ?? [];
  if (scheme.toLowerCase() === "basic") {
    const key = presentedKey(credentials.trim());
    if (key) return { key };
  } else if (scheme.toLowerCase() === "bearer" && accepted === "any") {
    const token = await verifyToken(credentials.trim());
    if (token) return { authId: token.subject, expiresAt: token.expiresAt };
  }
  throw unauthenticated(accepted);
}

/** A caller whose credentials were found good. */
export interface KnownCaller extends StoredCaller {
  /** Until when nothing but the stored state can change that, in milliseconds since 1970. */
  goodUntil: number;
  /** Until when the stored credentials are good unless they are taken back, in milliseconds since 1970. */
  validUntil: number;
}

/** The caller that a claim speaks of; UNAUTHENTICATED when there is none such, or not any more. */
export async function loadCaller(database: Database, claim: Claim, accepted: AcceptedScheme, now: Date): Promise<KnownCaller> {
  const caller = await findCaller(database, claim, now);
  if (!caller) throw unauthenticated(accepted);
  return caller;
}

/** What a caller may be remembered under: the same only for the same credentials. Nothing for who was let in by a link. */
export function memoryKeyOf(claim: Claim): string | undefined {
  if ("authId" in claim) return `user ${claim.authId}`;
  return "key" in claim ? `key ${claim.key.id} ${claim.key.secretHash.toString("hex")}` : undefined;
}

async function findCaller(database: Database, claim: Claim, now: Date): Promise<KnownCaller | undefined> {
  if ("key" in claim) return loadKeyHolder(database, claim.key, now);
  if ("signedFor" in claim && claim.signedFor.kind === "api-key") {
    const stored = await loadApiKey(database, claim.signedFor.id);
    return stored && isInForce(stored, now) ? { ...stored, goodUntil: 0, validUntil: validUntil(stored) } : undefined;
  }
  const user = await loadUser(database, "authId" in claim ? claim : { id: claim.signedFor.id });
  return user && { ...user, goodUntil: Number.POSITIVE_INFINITY, validUntil: Number.POSITIVE_INFINITY };
}

const validUntil = ({ expiresAt }: StoredApiKey) => expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;

const isInForce = ({ revokedAt, expiresAt }: StoredApiKey, now: Date) => !revokedAt && (!expiresAt || expiresAt > now);

/** The refusal of a caller who did not prove who they are, the same whatever was wrong. */
export function unauthenticated(accepted: AcceptedScheme): ServiceError {
  const message = accepted === "basic" ? "An API key is needed, by Basic authentication" : "A valid Bearer token or API key is needed";
  const basic = 'Basic realm="camera-monitoring", charset="UTF-8"';
  const challenge = accepted === "basic" ? basic : `Bearer realm="camera-monitoring", ${basic}`;
  return new ServiceError("UNAUTHENTICATED", message, { challenge });
}

const lastUseResolution = 60_000;

async function loadKeyHolder(database: Database, presented: PresentedKey, now: Date): Promise<KnownCaller | undefined> {
  const stored = await loadApiKey(database, presented.id);
  if (!stored || !isSameSecret(presented.secretHash, stored.secretHash)) return undefined;
  if (!isInForce(stored, now)) return undefined;
  const stale = new Date(now.getTime() - lastUseResolution);
  const isStale = !stored.lastUsedAt || stored.lastUsedAt <= stale;
  if (isStale) {
    // Of many requests at one moment only the first has something to write.
    const where = { id: presented.id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: stale } }] };
    await database.prisma.apiKey.updateMany({ where, data: { lastUsedAt: now } });
  }
  const lastUse = isStale || !stored.lastUsedAt ? now : stored.lastUsedAt;
  return { ...stored, goodUntil: Math.min(lastUse.getTime() + lastUseResolution, validUntil(stored)), validUntil: validUntil(stored) };
}
