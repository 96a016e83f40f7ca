import { WrongIssuerError } from "../../engine/access/issuer-discovery.js";
import { IssuerKeys } from "../../engine/access/issuer-keys.js";
import { IssuerUserInfo } from "../../engine/access/issuer-user-info.js";
import { type TokenVerifier, tokenVerifier } from "../../engine/access/jwt.js";
import { Worker } from "../../engine/leases/worker.js";
import { defined } from "../../platform/defined.js";
import type { Runtime } from "./runtime.js";

interface ConfiguredTokenVerifier {
  verify: TokenVerifier;
  /** Whether the keys for verifying tokens are available. */
  isReady: () => boolean;
  /** Asks the issuer for email addresses; undefined if no issuer is configured. */
  userInfo?: IssuerUserInfo;
}

/**
 * Fetches the keys of the issuer, if configured. If that fails, a worker keeps trying. Throws if AUTH_ISSUER and the
 * issuer contradict each other.
 */
export async function openTokenVerifier({
  environment,
  log,
  now,
  disposers,
}: Runtime): Promise<ConfiguredTokenVerifier> {
  const {
    AUTH_ISSUER: issuer,
    AUTH_AUDIENCE: audience,
    AUTH_JWKS_URL: jwksUrl,
    AUTH_JWT_SECRET: secret,
  } = environment;
  if (!issuer || !audience)
    return { verify: tokenVerifier({ secret: defined(secret) }, now), isReady: () => true };
  const issuerKeys = new IssuerKeys({ issuer, jwksUrl }, now, log);
  const userInfo = new IssuerUserInfo(issuer, now, log);
  let attempt: Promise<void> | undefined = issuerKeys.load();
  await attempt.catch((error) => {
    if (error instanceof WrongIssuerError) throw error;
  });
  const worker = new Worker(
    "fetching the identity provider's keys",
    async () => {
      // The worker's first step is the attempt just made, so that the worker waits after a failure.
      const current = attempt ?? issuerKeys.load();
      attempt = undefined;
      await current;
      return "nothing";
    },
    log,
  );
  disposers.defer(() => {
    issuerKeys.close();
    userInfo.close();
    return worker.close();
  });
  worker.wake();
  return {
    verify: tokenVerifier({ issuerKeys, audience }, now),
    isReady: () => issuerKeys.areKnown,
    userInfo,
  };
}
