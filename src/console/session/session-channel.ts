// How the tabs of a browser share one session: by messages between pages of this origin, and by locks, which tell
// whether any other tab has a session at all.
import { type SessionCredentials, sessionCredentialsIn } from "./credentials.js";

/** What a tab tells the others about the session. */
type SessionMessage =
  /** A tab was opened, and wants the session. */
  | { type: "ask" }
  /** The session, for a tab that asked. */
  | { type: "answer"; credentials: SessionCredentials }
  | { type: "signed in"; credentials: SessionCredentials }
  | { type: "renewed"; credentials: SessionCredentials }
  | { type: "signed out" }
  /** The gateway or the provider refused the session that began at this moment. */
  | { type: "expired"; beganAt: number };

const name = "console.session";

/** How long to wait for the session of other tabs, in milliseconds: if there is one, and if the browser cannot tell. */
const answerTimeouts = { there: 1_000, unknown: 200 };

/** How long the other tabs wait for the outcome of a renewal to reach them, in milliseconds. */
const deliveryTime = 250;

// Only origins by HTTPS and on this machine have locks.
const locks: LockManager | undefined = navigator.locks;
const channel = openChannel();

/** Undefined if the browser refuses. Then each tab has a session of its own. */
function openChannel() {
  try {
    return new BroadcastChannel(name);
  } catch {
    return undefined;
  }
}

export const tellOtherTabs = (message: SessionMessage): void => channel?.postMessage(message);

/** Listens to the messages of other tabs, until the returned function is called. */
export function listenToOtherTabs(listener: (message: SessionMessage) => void): () => void {
  const receive = ({ data }: MessageEvent) => {
    const message = messageIn(data);
    if (message) listener(message);
  };
  channel?.addEventListener("message", receive);
  return () => channel?.removeEventListener("message", receive);
}

/** A message; undefined if another version of the page has sent something else. */
function messageIn(data: Partial<Record<string, unknown>>): SessionMessage | undefined {
  const { type, beganAt } = data;
  if (type === "ask" || type === "signed out") return { type };
  if (type === "expired") return typeof beganAt === "number" ? { type, beganAt } : undefined;
  if (type !== "answer" && type !== "signed in" && type !== "renewed") return undefined;
  const credentials = sessionCredentialsIn(data.credentials);
  return credentials && { type, credentials };
}

let letGo: (() => void) | undefined;

/** Lets new tabs know that this tab has a session. */
export function holdSession(): void {
  if (letGo) return;
  const isHeld = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  // A browser that refuses locks also refuses new tabs to look at them.
  locks?.request(name, { mode: "shared" }, () => isHeld).catch(() => {});
}

/** Lets new tabs know that this tab has no session any more. */
export function letGoOfSession(): void {
  letGo?.();
  letGo = undefined;
}

/** The session of the other tabs; undefined if they have none. */
export async function sessionOfOtherTabs(): Promise<SessionCredentials | undefined> {
  const isThere = await isHeldElsewhere();
  if (!channel || isThere === false) return undefined;
  return new Promise((resolve) => {
    const end = (credentials?: SessionCredentials) => {
      clearTimeout(timer);
      stopListening();
      resolve(credentials);
    };
    const stopListening = listenToOtherTabs((message) => {
      if ("credentials" in message) end(message.credentials);
    });
    const timer = setTimeout(end, isThere ? answerTimeouts.there : answerTimeouts.unknown);
    tellOtherTabs({ type: "ask" });
  });
}

/** Whether another tab has a session; undefined if the browser does not tell. */
async function isHeldElsewhere() {
  try {
    const state = await locks?.query();
    return state?.held?.some((lock) => lock.name === name);
  } catch {
    return undefined;
  }
}

/** Runs a renewal in one tab at a time. The next tab starts after it has received the outcome. */
export function oneTabAtATime(renewal: () => Promise<void>): Promise<void> {
  if (!locks) return renewal();
  return new Promise((resolve, reject) => {
    const run = async () => {
      await renewal().then(resolve, reject);
      await new Promise((resolve) => setTimeout(resolve, deliveryTime));
    };
    locks.request(`${name}.renewal`, run).catch(() => renewal().then(resolve, reject));
  });
}
