// Signing in at an OpenID Connect provider, by the authorization code flow with PKCE. Loaded only when it is needed.
import * as oauth from "oauth4webapi";
import { settings } from "../page-settings.js";
import type { Credentials } from "./session.js";

/** What has to be remembered while the user is at the provider. */
interface PendingSignIn {
  state: string;
  nonce: string;
  verifier: string;
  query: string;
}

const storageKey = "console.sign-in";
// As in the gateway, which refuses issuers over plain HTTP except on loopback.
const insecure = { [oauth.allowInsecureRequests]: true };

function configured(): NonNullable<typeof settings.identityProvider> {
  if (!settings.identityProvider) throw new Error("The gateway has no identity provider");
  return settings.identityProvider;
}

const redirectUri = `${settings.publicUrl}/`;
const client = (): oauth.Client => ({ client_id: configured().clientId });
const withoutSlash = (url: string) => url.replace(/\/$/, "");

/** What the provider says about itself. It may name itself with or without a slash at the end, whatever is configured. */
async function discover(): Promise<oauth.AuthorizationServer> {
  const { issuer } = configured();
  const response = await oauth.discoveryRequest(new URL(issuer), { algorithm: "oidc", ...insecure });
  const named = ((await response.clone().json()) as { issuer?: unknown }).issuer;
  const expected = typeof named === "string" && withoutSlash(named) === withoutSlash(issuer) ? named : issuer;
  return oauth.processDiscoveryResponse(new URL(expected), response);
}

/** Leaves the page for the provider's, which leads back; `query` is the view to return to. */
export async function leaveForProvider(query: string): Promise<void> {
  // What is remembered of the flow belongs to an origin.
  if (new URL(redirectUri).origin !== location.origin) {
    location.assign(`${redirectUri}?${query}`);
    return;
  }
  const provider = await discover();
  if (!provider.authorization_endpoint) throw new Error("The identity provider has no authorization endpoint");
  const pending: PendingSignIn = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
    query,
  };
  sessionStorage.setItem(storageKey, JSON.stringify(pending));
  const { audience, clientId, scope } = configured();
  const address = new URL(provider.authorization_endpoint);
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    // Several providers want to know who the token is for; the others ignore it.
    audience,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  location.assign(address);
}

/** Exchanges the code in the address for tokens, and says which view to return to. */
export async function finishSignIn(): Promise<{ credentials: Credentials; query: string }> {
  const stored = sessionStorage.getItem(storageKey);
  if (!stored) throw new Error("It was not begun in this tab");
  sessionStorage.removeItem(storageKey);
  const { state, nonce, verifier, query } = JSON.parse(stored) as PendingSignIn;
  const provider = await discover();
  const parameters = oauth.validateAuthResponse(provider, client(), new URL(location.href), state);
  const response = await oauth.authorizationCodeGrantRequest(provider, client(), oauth.None(), parameters, redirectUri, verifier, insecure);
  const tokens = await oauth.processAuthorizationCodeResponse(provider, client(), response, { expectedNonce: nonce });
  return { credentials: credentialsFrom(tokens), query };
}

/** The credentials that follow those that have expired. */
export async function refreshed(refreshToken: string): Promise<Credentials> {
  const provider = await discover();
  const response = await oauth.refreshTokenGrantRequest(provider, client(), oauth.None(), refreshToken, insecure);
  const tokens = await oauth.processRefreshTokenResponse(provider, client(), response);
  return credentialsFrom({ refresh_token: refreshToken, ...tokens });
}

function credentialsFrom({ access_token, refresh_token }: { access_token: string; refresh_token?: string | undefined }): Credentials {
  return { authorization: `Bearer ${access_token}`, kind: "token", ...(refresh_token && { refreshToken: refresh_token }) };
}
