/** Settings that the gateway embeds in each page as JSON. */
export interface PageSettings {
  /** The start of links to the gateway: for pictures, and for the way back from the identity provider. */
  publicUrl: string;
  version: string;
  /** Whether the gateway mails links to people who want to sign in. */
  mailsSignInLinks: boolean;
  /** A valid token for the start; absent if users must sign in. */
  initialToken?: string;
  /** The provider where users sign in; absent if they sign in without one. */
  identityProvider?: { issuer: string; audience: string; clientId: string; scope: string };
}
