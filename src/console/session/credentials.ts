/** The credentials of requests. */
export interface Credentials {
  /** The Authorization header. */
  authorization: string;
  /** Whether a user signed in, or the session uses an API key. */
  kind: "token" | "key";
  /** The token for getting the next token from the identity provider. */
  refreshToken?: string;
  /**
   * When to renew the token of a session that began with a link, in ISO 8601; absent for
   * other tokens.
   */
  renewFrom?: string;
}
