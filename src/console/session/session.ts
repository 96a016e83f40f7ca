import { useSyncExternalStore } from "react";
import { Listeners } from "../listeners.js";
import { currentQuery, replaceQuery } from "../navigation/location.js";
import { settings } from "../page-settings.js";
import { playgroundStorage } from "../playground-storage.js";
import { localTexts, sessionTexts } from "../storage.js";
import {
  type Credentials,
  credentialsOf,
  type SessionCredentials,
  sessionCredentialsIn,
} from "./credentials.js";
import {
  holdSession,
  letGoOfSession,
  listenToOtherTabs,
  oneTabAtATime,
  sessionOfOtherTabs,
  tellOtherTabs,
} from "./session-channel.js";

/**
 * The reason why signing in at the provider failed: in the words of the provider or the browser, or because
 * the browser keeps no data until the user returns.
 */
export type SignInFailure = { reason: string } | "nothing kept";

export type Session =
  | { status: "signed in"; number: number; credentials: SessionCredentials }
  | { status: "signing in" }
  | { status: "signed out"; failure?: SignInFailure }
  | { status: "expired" };

// Closing the tab removes it, unless the session is to outlive the browser.
const storageKey = "console.credentials";
/** When somebody last signed out in this browser, which ended all earlier sessions. */
const signedOutKey = "console.signed-out-at";
const listeners = new Listeners();
let number = 0;
let session: Session = { status: "signing in" };

function change(next: Session) {
  session = next;
  listeners.notify();
}

/** Starts with the session of this tab, of another tab, or of the page's settings. */
function begin() {
  const query = currentQuery();
  const isAnswer = query.has("state") && (query.has("code") || query.has("error"));
  if (settings.identityProvider && isAnswer) void returnFromProvider();
  else beginWithoutProvider();
}

function beginWithoutProvider(failure?: SignInFailure) {
  const kept = keptCredentials();
  // The others may have got another session while this tab was at another site: ask them before this tab holds its own.
  void joinOtherTabs(failure);
  if (kept) enter(kept);
}

function keptCredentials() {
  const kept = sessionCredentialsIn(localTexts.getJson(storageKey) ?? sessionTexts.getJson(storageKey));
  const signedOutAt = Number(localTexts.getItem(signedOutKey) ?? Number.NEGATIVE_INFINITY);
  return kept && kept.beganAt > signedOutAt ? kept : undefined;
}

/** Takes the session of the other tabs, unless this one's is newer; if nobody has one, that of the page's settings. */
async function joinOtherTabs(failure?: SignInFailure) {
  const shared = await sessionOfOtherTabs();
  if (shared && isNews(shared)) enter(shared);
  else if (session.status === "signing in") {
    const initial = credentialsOf(settings.initialToken ?? "");
    if (initial && !failure) show({ ...initial, beganAt: Date.now() });
    else change({ status: "signed out", ...(failure && { failure }) });
  }
}

const isNews = ({ beganAt }: SessionCredentials) =>
  session.status === "signing in" ||
  (session.status === "signed in" && session.credentials.beganAt <= beganAt);

/** Shows the page to whoever has these credentials. */
function show(credentials: SessionCredentials) {
  holdSession();
  number += 1;
  change({ status: "signed in", number, credentials });
}

function enter(credentials: SessionCredentials) {
  const texts = JSON.stringify(credentials);
  sessionTexts.setItem(storageKey, texts);
  if (credentials.isRemembered) localTexts.setItem(storageKey, texts);
  else localTexts.removeItem(storageKey);
  if (session.status === "signed in" && session.credentials.beganAt === credentials.beganAt)
    // This is not a change of the session: the data stays.
    session.credentials = credentials;
  else show(credentials);
}

/** Signs in with credentials, after the gateway has accepted them: in all tabs, since they share one session. */
export function signIn(accepted: Credentials): void {
  const credentials = { ...accepted, beganAt: Date.now() };
  enter(credentials);
  tellOtherTabs({ type: "signed in", credentials });
}

/** Forgets the credentials, all data, and all drafts: in all tabs. */
export function signOut(): void {
  const ended = authorization();
  // Else it would last at the gateway as long as its token. Without a network it does.
  if (ended && isSessionOfLink())
    import("./sign-in-link.js").then(({ endSession }) => endSession(ended)).catch(() => {});
  localTexts.setItem(signedOutKey, String(Date.now()));
  forget();
  tellOtherTabs({ type: "signed out" });
}

function forget() {
  sessionTexts.clear();
  localTexts.removeItem(storageKey);
  playgroundStorage.clear();
  letGoOfSession();
  change({ status: "signed out" });
}

function expire() {
  sessionTexts.removeItem(storageKey);
  localTexts.removeItem(storageKey);
  letGoOfSession();
  change({ status: "expired" });
}

listenToOtherTabs((message) => {
  const isOfSession = (beganAt: number) =>
    session.status === "signed in" && session.credentials.beganAt === beganAt;
  if (message.type === "ask") {
    if (session.status === "signed in") tellOtherTabs({ type: "answer", credentials: session.credentials });
  } else if (message.type === "signed in") enter(message.credentials);
  else if (message.type === "renewed") {
    if (isOfSession(message.credentials.beganAt)) enter(message.credentials);
  } else if (message.type === "signed out") forget();
  else if (message.type === "expired" && isOfSession(message.beganAt)) expire();
});

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

/** Signs in with the provider's answer in the address. If this tab did not ask for it, the session stays. */
async function returnFromProvider() {
  try {
    const { finishSignIn, withoutAnswer } = await import("./identity-provider.js");
    const { credentials, query } = await finishSignIn().catch((error) => {
      replaceQuery(withoutAnswer(currentQuery()));
      throw error;
    });
    replaceQuery(query);
    signIn(credentials);
  } catch (error) {
    beginWithoutProvider({ reason: reasonOf(error) });
  }
}

/** What an error says. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

let renewal: Promise<void> | undefined;

/** Whether the token of a session should be renewed: when that is due, as long as the console is used. */
export const isToRenew = (): boolean =>
  session.status === "signed in" &&
  session.credentials.renewFrom !== undefined &&
  Date.parse(session.credentials.renewFrom) <= Date.now();

/**
 * Gets the next token, from the gateway or by the provider's refresh token, for all tabs. Without either,
 * ends the session.
 */
export function renew(): Promise<void> {
  renewal ??= renewOnce().finally(() => {
    renewal = undefined;
  });
  return renewal;
}

async function renewOnce() {
  const present = session;
  if (present.status !== "signed in") return;
  const { credentials } = present;
  // Somebody signed out, signed in anew, or another tab has renewed the session.
  const isOutdated = () => session !== present || present.credentials !== credentials;
  await oneTabAtATime(async () => {
    if (isOutdated()) return;
    const next = await nextCredentials(credentials);
    if (isOutdated()) return;
    const { beganAt } = credentials;
    if (next === "refused") {
      expire();
      tellOtherTabs({ type: "expired", beganAt });
    } else if (next !== "unanswered") {
      const renewed = { ...credentials, ...next };
      enter(renewed);
      tellOtherTabs({ type: "renewed", credentials: renewed });
    }
  });
}

/** Exchanges credentials for new ones. Without an answer, such as after waking up, the next request tries again. */
async function nextCredentials({ authorization, refreshToken, renewFrom }: Credentials) {
  if (renewFrom !== undefined) return nextOfSession(authorization);
  if (refreshToken === undefined) return "refused";
  try {
    const { refreshed } = await import("./identity-provider.js");
    return (await refreshed(refreshToken)) ?? "refused";
  } catch {
    return "unanswered";
  }
}

async function nextOfSession(authorization: string) {
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

export const presentSession = (): Session => session;

/** Calls a listener after each change of the session, until the returned function is called. */
export const subscribeToSession = listeners.add;

/** Waits until it is known whether somebody is signed in. */
export function sessionKnown(): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (session.status === "signing in") return;
      stop();
      resolve();
    };
    const stop = subscribeToSession(check);
    check();
  });
}

export function useSession(): Session {
  return useSyncExternalStore(subscribeToSession, () => session);
}

begin();
