import { memberIn } from "../../platform/record.js";
import { hasTexts } from "../storage.js";

export interface Credentials {
  authorization: string;
  /** Whether a user signed in, or the session uses an API key. */
  kind: "token" | "key";
  /** The token for getting the next token from the identity provider. */
  refreshToken?: string;
  /** When to renew the token of a session that began with a link, in ISO 8601; absent for other tokens. */
  renewFrom?: string;
  /** Whether the session outlives the browser. */
  isRemembered?: true;
}

export interface SessionCredentials extends Credentials {
  /** When the session began, in milliseconds. Renewed credentials keep it. */
  beganAt: number;
}

/** Credentials that a tab has kept; undefined if a header cannot contain them, as anybody may have written them. */
export function sessionCredentialsIn(kept: unknown): SessionCredentials | undefined {
  if (
    !hasTexts(kept, ["authorization", "kind"]) ||
    !/^(?:Bearer|Basic) [\x21-\x7e]+$/.test(kept.authorization)
  )
    return undefined;
  const { authorization, kind } = kept;
  const beganAt = memberIn(kept, "beganAt");
  return {
    authorization,
    kind: kind === "key" ? "key" : "token",
    ...(hasTexts(kept, ["refreshToken"]) && { refreshToken: kept.refreshToken }),
    ...(hasTexts(kept, ["renewFrom"]) && { renewFrom: kept.renewFrom }),
    ...(memberIn(kept, "isRemembered") === true && { isRemembered: true }),
    beganAt: typeof beganAt === "number" ? beganAt : 0,
  };
}

/** Invisible characters, which readers copy along. Neither tokens nor keys contain them. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * The credentials for a copied token or API key, which begins with `cmk_`. Accepts them with blanks and
 * invisible characters, as a header, or as curl takes an API key. Undefined if the text is empty or no
 * header can contain it.
 */
export function credentialsOf(copied: string): Credentials | undefined {
  const header = /^\s*(?:authorization\s*:)?\s*(?:(bearer|basic)\s)?(.*)$/is.exec(
    copied.replace(invisible, ""),
  );
  const text = header?.[2]?.replace(/\s/g, "") ?? "";
  if (!/^[\x21-\x7e]+$/.test(text)) return undefined;
  const key = /^:?(cmk_[^:]*):?$/.exec(text)?.[1];
  if (key !== undefined) return { authorization: `Basic ${btoa(`${key}:`)}`, kind: "key" };
  if (header?.[1]?.toLowerCase() === "basic") return { authorization: `Basic ${text}`, kind: "key" };
  return { authorization: `Bearer ${text}`, kind: "token" };
}
