import type { PrismaClient } from "../generated/prisma/client.js";
import { ServiceError } from "../platform/errors.js";
import { isSameSecret, type PresentedKey, presentedKey } from "./api-key.js";
import { loadApiKey, loadUser } from "./caller.js";
import type { TokenVerifier } from "./jwt.js";
import type { Caller } from "./permissions.js";

/** The ways of proving who one is that an operation accepts: both, or an API key alone. */
export type AcceptedScheme = "any" | "basic";

/** Whom credentials speak of, as far as can be told without the database. */
export type Claim = { authId: string } | { key: PresentedKey };

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
    const authId = await verifyToken(credentials.trim());
    if (authId !== undefined) return { authId };
  }
  throw unauthenticated(accepted);
}

/** The caller that a claim speaks of; UNAUTHENTICATED when there is none such, or not any more. */
export async function loadCaller(prisma: PrismaClient, claim: Claim, accepted: AcceptedScheme, now: Date): Promise<Caller> {
  const caller = "authId" in claim ? await loadUser(prisma, claim.authId) : await loadKeyHolder(prisma, claim.key, now);
  if (!caller) throw unauthenticated(accepted);
  return caller;
}

/** The refusal of a caller who did not prove who they are, the same whatever was wrong. */
export function unauthenticated(accepted: AcceptedScheme): ServiceError {
  const message = accepted === "basic" ? "An API key is needed, by Basic authentication" : "A valid Bearer token or API key is needed";
  const basic = 'Basic realm="camera-monitoring", charset="UTF-8"';
  const challenge = accepted === "basic" ? basic : `Bearer realm="camera-monitoring", ${basic}`;
  return new ServiceError("UNAUTHENTICATED", message, { challenge });
}

const lastUseResolution = 60_000;

async function loadKeyHolder(prisma: PrismaClient, presented: PresentedKey, now: Date): Promise<Caller | undefined> {
  const stored = await loadApiKey(prisma, presented.id);
  if (!stored || !isSameSecret(presented.secretHash, stored.secretHash)) return undefined;
  if (stored.revokedAt || (stored.expiresAt && stored.expiresAt <= now)) return undefined;
  const stale = new Date(now.getTime() - lastUseResolution);
  if (!stored.lastUsedAt || stored.lastUsedAt <= stale) {
    // Of many requests at one moment only the first has something to write.
    const where = { id: presented.id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: stale } }] };
    await prisma.apiKey.updateMany({ where, data: { lastUsedAt: now } });
  }
  return stored.caller;
}
