import type { PrismaClient } from "../generated/prisma/client.js";
import { ServiceError } from "../platform/errors.js";
import { isSameSecret, presentedKey } from "./api-key.js";
import { loadApiKey, loadUser } from "./caller.js";
import type { TokenVerifier } from "./jwt.js";
import type { Caller } from "./permissions.js";

/** What a caller is recognised by. */
export interface AuthenticationDependencies {
  prisma: PrismaClient;
  verifyToken: TokenVerifier;
  now: () => Date;
}

/** The one way of proving who one is that an operation accepts, where it does not accept both. */
export type AcceptedScheme = "any" | "basic";

type Strategy = (credentials: string, dependencies: AuthenticationDependencies) => Promise<Caller | undefined>;

const strategies: { scheme: string; authenticate: Strategy }[] = [
  { scheme: "bearer", authenticate: authenticateToken },
  { scheme: "basic", authenticate: authenticateKey },
];

/** Who sent this `Authorization` header; UNAUTHENTICATED when nobody that we know did. */
export async function authenticate(
  authorization: string | undefined,
  accepted: AcceptedScheme,
  dependencies: AuthenticationDependencies,
): Promise<Caller> {
  const [, scheme = "", credentials = ""] = /^(\S+) +(.+)$/.exec(authorization?.trim() ?? "") ?? [];
  const strategy = strategies.find((each) => each.scheme === scheme.toLowerCase());
  if (strategy && (accepted === "any" || strategy.scheme === accepted)) {
    const caller = await strategy.authenticate(credentials.trim(), dependencies);
    if (caller) return caller;
  }
  throw unauthenticated(accepted);
}

/** The refusal of a caller who did not prove who they are, the same whatever was wrong. */
export function unauthenticated(accepted: AcceptedScheme): ServiceError {
  const message = accepted === "basic" ? "An API key is needed, by Basic authentication" : "A valid Bearer token or API key is needed";
  const basic = 'Basic realm="camera-monitoring", charset="UTF-8"';
  const challenge = accepted === "basic" ? basic : `Bearer realm="camera-monitoring", ${basic}`;
  return new ServiceError("UNAUTHENTICATED", message, { challenge });
}

async function authenticateToken(token: string, { prisma, verifyToken }: AuthenticationDependencies): Promise<Caller | undefined> {
  const authId = await verifyToken(token);
  return authId === undefined ? undefined : loadUser(prisma, authId);
}

const lastUseResolution = 60_000;

async function authenticateKey(credentials: string, { prisma, now }: AuthenticationDependencies): Promise<Caller | undefined> {
  const presented = presentedKey(credentials);
  if (!presented) return undefined;
  const stored = await loadApiKey(prisma, presented.id);
  if (!stored || !isSameSecret(presented.secretHash, stored.secretHash)) return undefined;
  const moment = now();
  if (stored.revokedAt || (stored.expiresAt && stored.expiresAt <= moment)) return undefined;
  if (!stored.lastUsedAt || moment.getTime() - stored.lastUsedAt.getTime() >= lastUseResolution) {
    await prisma.apiKey.updateMany({ where: { id: presented.id }, data: { lastUsedAt: moment } });
  }
  return stored.caller;
}
