import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import type { Invitation } from "../../generated/prisma/client.js";
import { defined } from "../../platform/defined.js";

/** The lifetime of a sign-in link that is not an invitation, in milliseconds. */
export const signInLinkLifetimeMs = 15 * 60_000;

/**
 * Whom a link signs in: the user who accepts an invitation; a user, while they have the address that the link was sent
 * to; or the user who accepts whichever invitation of an address to a workspace is open.
 */
export type SignInGrant =
  | { kind: "invitation"; workspaceId: string; id: string }
  | { kind: "user"; workspaceId: string; id: string; email: string }
  | { kind: "address"; email: string; workspaceId: string };

export interface SignInCode {
  grant: SignInGrant;
  expiresAt: Date;
  /** The hash of the number that only this code has, by which its use is recorded. */
  hash: Buffer;
}

/** What the page that the link of an invitation opens says of it. */
interface ShownInvitation {
  email: string;
  workspaceName: string;
  /** Null for the operator and API keys. */
  inviterName: string | null;
}

interface SignedContent {
  grant: SignInGrant;
  shown?: ShownInvitation;
  /** In milliseconds since 1970. */
  until: number;
  /** Tells codes apart. It is the same each time for invitations, which record their use themselves. */
  nonce: string;
}

interface SignInLinkSettings {
  publicUrl: () => string;
  /** The first signs links. All verify them. */
  secrets: readonly string[];
  /** Whether people sign in at an identity provider: there are then no links. */
  hasIssuer: boolean;
}

/**
 * The links with which people sign in where no identity provider is configured. A link has its code in the fragment,
 * which browsers send to nobody. Codes are signed, so none is stored before it is used.
 */
export class SignInLinks {
  readonly #publicUrl: () => string;
  readonly #keys: readonly Buffer[];
  readonly hasIssuer: boolean;

  constructor({ publicUrl, secrets, hasIssuer }: SignInLinkSettings) {
    this.#publicUrl = publicUrl;
    this.#keys = secrets.map((secret) => Buffer.from(hkdfSync("sha256", secret, "", "sign-in links", 32)));
    this.hasIssuer = hasIssuer;
  }

  /** The link that signs somebody in until it expires, and leads to a path of the console. */
  urlFor(grant: SignInGrant, expiresAt: Date, path?: string | null): string {
    return this.#url({ grant, expiresAt, path }, randomBytes(16).toString("base64url"));
  }

  /**
   * Where somebody accepts an invitation: at the identity provider, to which the console leads; or else by a
   * link that lasts as long as the invitation.
   */
  invitationUrl(
    { workspaceId, id, email, expiresAt }: Pick<Invitation, "workspaceId" | "id" | "email" | "expiresAt">,
    names: Omit<ShownInvitation, "email">,
    path?: string | null,
  ): string {
    return this.hasIssuer
      ? `${this.#publicUrl()}/`
      : this.#url({ grant: { kind: "invitation", workspaceId, id }, expiresAt, path }, "", {
          email,
          ...names,
        });
  }

  /** The content of a code; undefined unless it is signed and has not expired. */
  open(code: string, now: Date): SignInCode | undefined {
    const [, content = "", signature = ""] = /^([\w-]{1,4000})\.([\w-]{43})$/.exec(code) ?? [];
    const presented = Buffer.from(signature, "base64url");
    const isSigned = this.#keys.map((key) => timingSafeEqualOf(presented, signatureOf(content, key)));
    if (!isSigned.includes(true)) return undefined;
    const { grant, until, nonce } = JSON.parse(String(Buffer.from(content, "base64url"))) as SignedContent;
    if (until <= now.getTime()) return undefined;
    return { grant, expiresAt: new Date(until), hash: createHash("sha256").update(nonce).digest() };
  }

  #url(
    { grant, expiresAt, path }: { grant: SignInGrant; expiresAt: Date; path: string | null | undefined },
    nonce: string,
    shown?: ShownInvitation,
  ): string {
    const signed: SignedContent = { grant, until: expiresAt.getTime(), nonce, ...(shown && { shown }) };
    const content = Buffer.from(JSON.stringify(signed)).toString("base64url");
    const signature = signatureOf(content, defined(this.#keys[0])).toString("base64url");
    return `${this.#publicUrl()}${path ?? "/"}#sign-in=${content}.${signature}`;
  }
}

const signatureOf = (content: string, key: Buffer): Buffer =>
  createHmac("sha256", key).update(content).digest();

const timingSafeEqualOf = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);
