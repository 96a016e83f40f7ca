/** With what requests are sent. */
export interface Credentials {
  /** The Authorization header. */
  authorization: string;
  /** Whether a user signed in or a program's key is used. */
  kind: "token" | "key";
  /** With what the identity provider issues the next token. */
  refreshToken?: string;
}
