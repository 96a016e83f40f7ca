import { useSyncExternalStore } from "react";
import { currentQuery, replaceQuery } from "../navigation/location.js";
import { settings } from "../page-settings.js";
import { hasTexts, sessionTexts } from "../storage.js";
import type { Credentials } from "./credentials.js";

/**
 * The reason why signing in at the provider failed: in the words of the provider or the
 * browser, because the browser keeps no data until the user returns, or because a link
 * has been used or has expired.
 */
export type SignInFailure = { reason: string } | "nothing kept" | "link refused";

/** Whether a viewer is signed in, and the reason if not. */
export type Session =
  | { status: "signed in"; number: number; credentials: Credentials }
  | { status: "signing in" }
  | { status: "signed out"; failure?: SignInFailure }
  | { status: "expired" };

// Only for this tab: closing the tab removes it.
const storageKey = "console.credentials";
const listeners = new Set<() => void>();
let number = 0;
let session: Session = initialSession();

const linkPrefix = "#sign-in=";

/**
 * The code of the sign-in link by which the page was opened; undefined without one. The
 * address no longer shows it, and nothing uses it before the reader asks for that.
 */
export const linkCode = takeLinkCode();

function takeLinkCode(): string | undefined {
  if (!location.hash.startsWith(linkPrefix)) return undefined;
  const code = location.hash.slice(linkPrefix.length);
  history.replaceState(null, "", location.pathname + location.search);
  return code;
}

function initialSession(): Session {
  const credentials = keptCredentials() ?? credentialsOf(settings.initialToken ?? "");
  const present: Session = credentials
    ? { status: "signed in", number, credentials }
    : { status: "signed out" };
  const query = currentQuery();
  if (!settings.identityProvider || !query.has("state") || !(query.has("code") || query.has("error")))
    return present;
  void returnFromProvider(present);
  return { status: "signing in" };
}

/**
 * The credentials of this tab; undefined if there are none, or if a header cannot contain
 * them.
 */
function keptCredentials(): Credentials | undefined {
  const kept = sessionTexts.getJson(storageKey);
  if (
    !hasTexts(kept, ["authorization", "kind"]) ||
    !/^(?:Bearer|Basic) [\x21-\x7e]+$/.test(kept.authorization)
  )
    return undefined;
  const { authorization, kind } = kept;
  return {
    authorization,
    kind: kind === "key" ? "key" : "token",
    ...(hasTexts(kept, ["refreshToken"]) && { refreshToken: kept.refreshToken }),
    ...(hasTexts(kept, ["renewFrom"]) && { renewFrom: kept.renewFrom }),
  };
}

function change(next: Session): void {
  session = next;
  for (const listener of listeners) listener();
}

function keep(credentials: Credentials): void {
  sessionTexts.setItem(storageKey, JSON.stringify(credentials));
}

/**
 * Invisible characters, which readers copy along. Neither tokens nor keys contain them.
 */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * The credentials for a copied token or API key, which begins with `cmk_`. Accepts them
 * with blanks and invisible characters, as a header, or as curl takes an API key.
 * Undefined if the text is empty or no header can contain it.
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

/** Signs in with credentials, after the gateway has accepted them. */
export function signIn(credentials: Credentials): void {
  keep(credentials);
  number += 1;
  change({ status: "signed in", number, credentials });
}

/** Signs in by the code of a link. */
export async function signInByLink(code: string): Promise<void> {
  const { signInByCode, SessionRefusedError } = await import("./sign-in-link.js");
  try {
    signIn(await signInByCode(code));
  } catch (error) {
    const failure = error instanceof SessionRefusedError ? "link refused" : { reason: reasonOf(error) };
    change({ status: "signed out", failure });
  }
}

/** Forgets the credentials, all data, and all drafts. */
export function signOut(): void {
  sessionTexts.clear();
  change({ status: "signed out" });
}

/** Leaves for the identity provider, which leads back to the current view. */
export async function signInWithProvider(): Promise<void> {
  try {
    const { leaveForProvider } = await import("./identity-provider.js");
    const isLeaving = await leaveForProvider(currentQuery().toString());
    if (!isLeaving) change({ status: "signed out", failure: "nothing kept" });
  } catch (error) {
    change({ status: "signed out", failure: { reason: reasonOf(error) } });
  }
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

/**
 * Signs in with the provider's answer in the address. If nobody requested the answer in
 * this tab, the current viewer stays signed in.
 */
async function returnFromProvider(present: Session): Promise<void> {
  try {
    const { finishSignIn } = await import("./identity-provider.js");
    const { credentials, query } = await finishSignIn();
    replaceQuery(query);
    signIn(credentials);
  } catch (error) {
    const query = new URLSearchParams(currentQuery());
    for (const name of answerParameters) query.delete(name);
    replaceQuery(query.toString());
    change(
      present.status === "signed in"
        ? present
        : { status: "signed out", failure: { reason: reasonOf(error) } },
    );
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

let renewal: Promise<void> | undefined;

/**
 * Whether the token of a session should be renewed. It is, as long as the console is
 * used.
 */
export const isToRenew = (): boolean =>
  session.status === "signed in" &&
  session.credentials.renewFrom !== undefined &&
  Date.parse(session.credentials.renewFrom) <= Date.now();

/**
 * Gets the next token, from the gateway or by the provider's refresh token. Without
 * either, ends the session.
 */
export function renew(): Promise<void> {
  renewal ??= renewOnce().finally(() => {
    renewal = undefined;
  });
  return renewal;
}

async function renewOnce(): Promise<void> {
  const present = session;
  if (present.status !== "signed in") return;
  const next = await nextCredentials(present.credentials);
  // Somebody signed out, or signed in anew, meanwhile.
  if (session !== present) return;
  if (next === "refused") {
    sessionTexts.removeItem(storageKey);
    change({ status: "expired" });
  } else if (next !== "unanswered") {
    keep(next);
    // This is not a change of the session: the data stays.
    present.credentials = next;
  }
}

/**
 * Exchanges credentials for new ones. A missing answer, such as just after the computer
 * wakes up, is no refusal: the next request tries again.
 */
async function nextCredentials({
  authorization,
  refreshToken,
  renewFrom,
}: Credentials): Promise<Credentials | "refused" | "unanswered"> {
  if (renewFrom !== undefined) return nextOfSession(authorization);
  if (refreshToken === undefined) return "refused";
  try {
    const { refreshed } = await import("./identity-provider.js");
    return (await refreshed(refreshToken)) ?? "refused";
  } catch {
    return "unanswered";
  }
}

async function nextOfSession(authorization: string): Promise<Credentials | "refused" | "unanswered"> {
  const { renewed, SessionRefusedError } = await import("./sign-in-link.js");
  try {
    return await renewed(authorization);
  } catch (error) {
    return error instanceof SessionRefusedError ? "refused" : "unanswered";
  }
}

/** Whether the present session began with a link, so that the gateway can end it. */
export const isSessionOfLink = (): boolean =>
  session.status === "signed in" && session.credentials.renewFrom !== undefined;

/** The Authorization header of the present session; undefined if nobody is signed in. */
export const authorization = (): string | undefined =>
  session.status === "signed in" ? session.credentials.authorization : undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The present session. */
export function useSession(): Session {
  return useSyncExternalStore(subscribe, () => session);
}
