/** The links with which people sign in. */
export class SignInLinks {
  readonly #publicUrl: () => string;
  readonly #hasIssuer: boolean;

  constructor({ publicUrl, hasIssuer }: { publicUrl: () => string; hasIssuer: boolean }) {
    this.#publicUrl = publicUrl;
    this.#hasIssuer = hasIssuer;
  }

  /** Where somebody accepts an invitation; null without an issuer at which to sign in. */
  invitationUrl(): string | null {
    return this.#hasIssuer ? `${this.#publicUrl()}/` : null;
  }
}
