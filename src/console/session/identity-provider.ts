// Signing in at an OpenID Connect provider, by the authorization code flow with PKCE. Loaded only when needed.
import * as oauth from "oauth4webapi";
import { memberIn } from "../../platform/record.js";
import { settings } from "../page-settings.js";
import { hasTexts, sessionTexts } from "../storage.js";
import type { Credentials } from "./credentials.js";

/** Values to remember while the user is at the provider. */
const pendingFields = ["state", "nonce", "verifier", "query"] as const;
type PendingSignIn = Record<(typeof pendingFields)[number], string>;

const storageKey = "console.sign-in";
const timeout = 20_000;
// Allow plain HTTP. The gateway refuses issuers with plain HTTP, except on loopback.
const requestOptions = { [oauth.allowInsecureRequests]: true, signal: () => AbortSignal.timeout(timeout) };

function configured() {
  if (!settings.identityProvider) throw new Error("The gateway has no identity provider");
  return settings.identityProvider;
}

const redirectUri = `${settings.publicUrl}/`;
const client = (): oauth.Client => ({ client_id: configured().clientId });
const withoutSlash = (url: string) => url.replace(/\/$/, "");

/** The provider's metadata. Its own name for itself may end with a slash or not, whatever the configuration says. */
async function discover() {
  const { issuer } = configured();
  const response = await oauth.discoveryRequest(new URL(issuer), { algorithm: "oidc", ...requestOptions });
  const named = memberIn(await response.clone().json(), "issuer");
  const expected = typeof named === "string" && withoutSlash(named) === withoutSlash(issuer) ? named : issuer;
  return oauth.processDiscoveryResponse(new URL(expected), response);
}

/**
 * Leaves for the provider's page, which leads back. `query` is the view to return to. Stays and returns false if the
 * browser cannot keep the values until then, as the provider's answer would be useless.
 */
export async function leaveForProvider(query: string): Promise<boolean> {
  // The remembered values belong to one origin.
  if (new URL(redirectUri).origin !== location.origin) {
    location.assign(`${redirectUri}?${query}`);
    return true;
  }
  if (!isSecureContext) throw new Error("The browser allows it on pages by HTTPS and on this machine alone");
  const provider = await discover();
  if (!provider.authorization_endpoint)
    throw new Error("The identity provider has no authorization endpoint");
  const pending: PendingSignIn = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
    query,
  };
  if (!sessionTexts.setItem(storageKey, JSON.stringify(pending))) return false;
  const { audience, clientId, scope } = configured();
  const address = new URL(provider.authorization_endpoint);
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    // Several providers require the audience of the token. The others ignore it.
    audience,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  location.assign(address);
  return true;
}

/** Exchanges the code in the address for tokens. Returns them with the view to return to. */
export async function finishSignIn(): Promise<{ credentials: Credentials; query: string }> {
  const pending = sessionTexts.getJson(storageKey);
  if (!hasTexts(pending, pendingFields)) throw new Error("It was not begun in this tab");
  sessionTexts.removeItem(storageKey);
  const { state, nonce, verifier, query } = pending;
  const provider = await discover();
  const parameters = oauth.validateAuthResponse(provider, client(), new URL(location.href), state);
  const response = await oauth.authorizationCodeGrantRequest(
    provider,
    client(),
    oauth.None(),
    parameters,
    redirectUri,
    verifier,
    requestOptions,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(provider, client(), response, {
    expectedNonce: nonce,
  });
  return { credentials: credentialsFrom(tokens), query };
}

/** Parameters that a provider adds to the return address. */
const answerParameters = [
  "code",
  "state",
  "iss",
  "session_state",
  "scope",
  "error",
  "error_description",
  "error_uri",
];

/** The query of a return address without what the provider added. */
export function withoutAnswer(address: URLSearchParams): string {
  const query = new URLSearchParams(address);
  for (const name of answerParameters) query.delete(name);
  return query.toString();
}

/** New credentials for expired ones; undefined if the provider refuses. Throws if the provider does not answer. */
export async function refreshed(refreshToken: string): Promise<Credentials | undefined> {
  const provider = await discover();
  const response = await oauth.refreshTokenGrantRequest(
    provider,
    client(),
    oauth.None(),
    refreshToken,
    requestOptions,
  );
  if (response.status >= 400 && response.status < 500 && response.status !== 429) return undefined;
  const tokens = await oauth.processRefreshTokenResponse(provider, client(), response);
  return credentialsFrom({ refresh_token: refreshToken, ...tokens });
}

function credentialsFrom({
  access_token,
  refresh_token,
}: {
  access_token: string;
  refresh_token?: string | undefined;
}): Credentials {
  return {
    authorization: `Bearer ${access_token}`,
    kind: "token",
    ...(refresh_token && { refreshToken: refresh_token }),
  };
}
