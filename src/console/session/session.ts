import { useSyncExternalStore } from "react";
import { currentQuery, replaceQuery } from "../navigation/location.js";
import { settings } from "../page-settings.js";

/** With what requests are sent. */
export interface Credentials {
  /** The Authorization header. */
  authorization: string;
  /** Whether a user signed in or a program's key is used. */
  kind: "token" | "key";
  /** With what the identity provider issues the next token. */
  refreshToken?: string;
}

/** Whether somebody is signed in, and why not. */
export type Session =
  | { status: "signed in"; number: number; credentials: Credentials }
  | { status: "signing in" }
  | { status: "signed out"; failure?: string }
  | { status: "expired" };

// Of this tab alone, and gone with it.
const storageKey = "console.credentials";
const listeners = new Set<() => void>();
let number = 0;
let session: Session = initialSession();

function initialSession(): Session {
  const query = currentQuery();
  if (settings.identityProvider && query.has("state") && (query.has("code") || query.has("error"))) {
    void returnFromProvider();
    return { status: "signing in" };
  }
  const stored = sessionStorage.getItem(storageKey);
  if (stored) return { status: "signed in", number, credentials: JSON.parse(stored) as Credentials };
  if (settings.initialToken) return { status: "signed in", number, credentials: credentialsOf(settings.initialToken) };
  return { status: "signed out" };
}

function change(next: Session): void {
  session = next;
  for (const listener of listeners) listener();
}

function keep(credentials: Credentials): void {
  sessionStorage.setItem(storageKey, JSON.stringify(credentials));
}

/** What to send for a token, or for an API key, which begins with `cmk_`. */
export function credentialsOf(text: string): Credentials {
  return text.startsWith("cmk_") ? { authorization: `Basic ${btoa(`${text}:`)}`, kind: "key" } : { authorization: `Bearer ${text}`, kind: "token" };
}

/** Signs in with credentials that the gateway has accepted. */
export function signIn(credentials: Credentials): void {
  keep(credentials);
  number += 1;
  change({ status: "signed in", number, credentials });
}

/** Forgets the credentials, and with them all data. */
export function signOut(): void {
  sessionStorage.removeItem(storageKey);
  change({ status: "signed out" });
}

/** Leads to the identity provider, and from there back to the present view. */
export async function signInWithProvider(): Promise<void> {
  try {
    const { leaveForProvider } = await import("./identity-provider.js");
    await leaveForProvider(currentQuery().toString());
  } catch (error) {
    change({ status: "signed out", failure: reasonOf(error) });
  }
}

async function returnFromProvider(): Promise<void> {
  try {
    const { finishSignIn } = await import("./identity-provider.js");
    const { credentials, query } = await finishSignIn();
    replaceQuery(query);
    signIn(credentials);
  } catch (error) {
    replaceQuery("");
    change({ status: "signed out", failure: reasonOf(error) });
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

let renewal: Promise<void> | undefined;

/** Gets the next token where the provider gave a refresh token; otherwise the session has ended. */
export function renew(): Promise<void> {
  renewal ??= renewOnce().finally(() => {
    renewal = undefined;
  });
  return renewal;
}

async function renewOnce(): Promise<void> {
  if (session.status !== "signed in") return;
  const { credentials } = session;
  try {
    if (!credentials.refreshToken) throw new Error("There is no refresh token");
    const { refreshed } = await import("./identity-provider.js");
    const next = await refreshed(credentials.refreshToken);
    keep(next);
    // Not a change of the session: the data stays.
    session.credentials = next;
  } catch (error) {
    // Without a network, as just after waking up, the provider has refused nothing: what is sent next asks again.
    if (error instanceof TypeError) return;
    sessionStorage.removeItem(storageKey);
    change({ status: "expired" });
  }
}

/** The Authorization header of the present session; undefined if nobody is signed in. */
export const authorization = (): string | undefined => (session.status === "signed in" ? session.credentials.authorization : undefined);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The present session. */
export function useSession(): Session {
  return useSyncExternalStore(subscribe, () => session);
}
