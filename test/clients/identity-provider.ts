import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";

export const audience = "https://gateway.example";
/** The client that gets tokens. Its id is also their subject. */
export const clientId = "console";
/** The client for users who sign in on a page. */
export const pageClientId = "console-page";
export const clientSecret = "console-secret";

/** A certified OpenID Connect provider, with discovery, on loopback. */
export class IdentityProvider {
  #listener: RequestListener | undefined;
  #redirectUris: string[] = [];
  readonly #server = createServer((request, response) => this.#listener?.(request, response));

  static async start(): Promise<IdentityProvider> {
    const provider = new IdentityProvider();
    provider.#server.listen(0, "127.0.0.1");
    await once(provider.#server, "listening");
    await provider.rotateKeys();
    return provider;
  }

  /** Lets users sign in on the page at an address, under any name. */
  async admitPage(redirectUri: string): Promise<void> {
    this.#redirectUris = [redirectUri];
    await this.rotateKeys();
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Signs with another key from now on, and publishes only that. */
  async rotateKeys(): Promise<void> {
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    const key = { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: "RS256", use: "sig" };
    const resourceServer = { scope: "", audience, accessTokenTTL: 3600, accessTokenFormat: "jwt" };
    const program = {
      client_id: clientId,
      client_secret: clientSecret,
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
    };
    const page = {
      client_id: pageClientId,
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      redirect_uris: this.#redirectUris,
    };
    const hasPage = this.#redirectUris.length > 0;
    const provider = new Provider(this.issuer, {
      clients: hasPage ? [program, page] : [program],
      clientBasedCORS: () => hasPage,
      issueRefreshToken: async () => hasPage,
      // Who signs in under an address has it, and the provider has verified it.
      extraTokenClaims: async (_context: unknown, { accountId }: { accountId?: string }) =>
        accountId?.includes("@") ? { email: accountId, email_verified: true } : undefined,
      jwks: { keys: [key] },
      cookies: { keys: [randomUUID()] },
      features: {
        devInteractions: { enabled: hasPage },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => audience,
          getResourceServerInfo: () => resourceServer,
          useGrantedResource: () => true,
        },
      },
    });
    this.#listener = provider.callback();
  }

  /** An access token for the gateway. */
  async token(): Promise<string> {
    const response = await fetch(`${this.issuer}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}` },
      body: new URLSearchParams({ grant_type: "client_credentials" }),
    });
    const { access_token } = (await response.json()) as { access_token?: string };
    if (!access_token) throw new Error(`The provider issued no token: ${response.status}`);
    return access_token;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
