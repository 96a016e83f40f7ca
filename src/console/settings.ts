/** Settings that the gateway embeds in the console's page as JSON. */
export interface ConsoleSettings {
  /**
   * What links to the gateway begin with: pictures have them, and the identity provider
   * leads back there.
   */
  publicUrl: string;
  /** A valid token to start with; absent if users must sign in. */
  initialToken?: string;
  /** Where users sign in; absent if they must paste a token or a key. */
  identityProvider?: { issuer: string; audience: string; clientId: string; scope: string };
}
