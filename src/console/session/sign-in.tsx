import "./sign-in.css";
import { type ReactNode, type SubmitEvent, useState } from "react";
import { isolated } from "../../platform/text/text-direction.js";
import { useMessages } from "../language/language.js";
import { currentQuery } from "../navigation/location.js";
import { settings } from "../page-settings.js";
import { LanguageChoice } from "../shell/account/display-choices.js";
import { credentialsOf } from "./credentials.js";
import type { SessionTexts } from "./english.js";
import { useLinkCode } from "./opened-link.js";
import { RememberChoice } from "./remember-choice.js";
import { type Session, type SignInFailure, signIn, signInWithProvider } from "./session.js";
import { requestLink } from "./sign-in-link.js";
import { useTexts } from "./texts.js";
import { useLinkSignIn } from "./use-link-sign-in.js";

/** Asks the viewer to sign in at the identity provider, or to enter a token or key. Then the view continues. */
export function SignIn({ session }: { session: Exclude<Session, { status: "signed in" }> }) {
  const texts = useTexts();
  const linkCode = useLinkCode();
  const isExpired = session.status === "expired";
  if (session.status === "signing in") return <p className="loading">{texts.signIn.progress}</p>;
  return (
    <main id="content" className="sign-in" tabIndex={-1}>
      <div className="sign-in-card">
        <img src="/favicon.svg" alt="" width="48" height="48" />
        <h1>{isExpired ? texts.expired.title : texts.signIn.title}</h1>
        <p>{isExpired ? texts.expired.text : texts.signIn.lead}</p>
        {session.status === "signed out" && session.failure && (
          <p className="problem" role="alert">
            {failureInWords(session.failure, texts)}
          </p>
        )}
        {linkCode !== undefined && <LinkSignIn key={linkCode} code={linkCode} />}
        <OtherWays isFolded={linkCode !== undefined}>
          <ProviderSignIn />
          {settings.mailsSignInLinks && <LinkRequest />}
          <OtherWays isFolded={linkCode === undefined && hasMainWay}>
            <CredentialForm />
          </OtherWays>
        </OtherWays>
        <LanguageChoice />
      </div>
    </main>
  );
}

/** Whether somebody without a link signs in otherwise than with a token or key. */
const hasMainWay =
  settings.identityProvider !== undefined || Boolean(settings.initialToken) || settings.mailsSignInLinks;

/** Other ways to sign in, behind a line that unfolds them if there is a first one. */
function OtherWays({ isFolded, children }: { isFolded: boolean; children: ReactNode }) {
  const texts = useTexts();
  if (!isFolded) return children;
  return (
    <details>
      <summary>{texts.signIn.otherwise}</summary>
      {children}
    </details>
  );
}

const failureInWords = (failure: SignInFailure, { signIn }: SessionTexts) =>
  failure === "nothing kept" ? signIn.nothingKept : signIn.failed(failure.reason);

/** Signs in by the link that opened the page, on request: mail scanners open links, too. */
function LinkSignIn({ code }: { code: string }) {
  const texts = useTexts();
  const { isSigningIn, failure, signInByLink, content, remembering } = useLinkSignIn(code);
  const { email, workspaceName, inviterName } = content ?? {};
  return (
    <>
      {workspaceName !== undefined && (
        <p>{texts.signIn.invited(isolated(workspaceName), inviterName && isolated(inviterName))}</p>
      )}
      {failure && (
        <p className="problem" role="alert">
          {failure}
        </p>
      )}
      {content && (
        <>
          <RememberChoice {...remembering} />
          <button type="button" className="primary" aria-busy={isSigningIn} onClick={signInByLink}>
            {email === undefined ? texts.signIn.byLink : texts.signIn.byLinkAs(isolated(email))}
          </button>
        </>
      )}
    </>
  );
}

function LinkRequest() {
  const messages = useMessages();
  const texts = useTexts();
  const [outcome, setOutcome] = useState<Awaited<ReturnType<typeof requestLink>>>();
  const [isAsking, setIsAsking] = useState(false);
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isAsking) return;
    const email = String(new FormData(event.currentTarget).get("email")).trim();
    setOutcome(undefined);
    setIsAsking(true);
    setOutcome(await requestLink(email, currentQuery().toString()));
    setIsAsking(false);
  };
  const isMistyped = outcome === "no address";
  const problem = isMistyped
    ? texts.signIn.noAddress
    : outcome && outcome !== "asked" && messages.failures[outcome].title;
  return (
    <form onSubmit={submit} noValidate>
      <label htmlFor="email">{texts.signIn.email}</label>
      <input
        id="email"
        name="email"
        type="email"
        autoComplete="email"
        aria-describedby="email-outcome"
        aria-invalid={isMistyped}
      />
      <div id="email-outcome">
        <p className="problem" role="alert">
          {problem}
        </p>
        <p role="status">{outcome === "asked" && texts.signIn.linkMailed}</p>
      </div>
      <button type="submit" className="primary" aria-busy={isAsking}>
        {texts.signIn.mailLink}
      </button>
    </form>
  );
}

function ProviderSignIn() {
  const texts = useTexts();
  const [isLeaving, setIsLeaving] = useState(false);
  if (settings.initialToken)
    return (
      // Reloading gets a page with a new token.
      <button type="button" className="primary" onClick={() => location.reload()}>
        {texts.signIn.withDemo}
      </button>
    );
  if (!settings.identityProvider) return null;
  const leave = () => {
    setIsLeaving(true);
    void signInWithProvider().finally(() => setIsLeaving(false));
  };
  return (
    <>
      <button type="button" className="primary" onClick={leave} aria-busy={isLeaving}>
        {texts.signIn.withProvider}
      </button>
      <p className="hint">{texts.signIn.providerHint(new URL(settings.identityProvider.issuer).host)}</p>
    </>
  );
}

function CredentialForm() {
  const messages = useMessages();
  const texts = useTexts();
  const [problem, setProblem] = useState<string>();
  const [isChecking, setIsChecking] = useState(false);
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("credential"));
    if (text.trim() === "") return setProblem(texts.signIn.missing);
    const credentials = credentialsOf(text);
    if (!credentials) return setProblem(texts.signIn.refused);
    setProblem(undefined);
    setIsChecking(true);
    const outcome = await check(credentials.authorization);
    setIsChecking(false);
    if (outcome === "accepted") signIn(credentials);
    else
      setProblem(
        outcome === "refused" || outcome === "expired" || outcome === "ended"
          ? texts.signIn[outcome]
          : messages.failures[outcome].title,
      );
  };
  return (
    <form onSubmit={submit} autoComplete="off">
      <label htmlFor="credential">{texts.signIn.credential}</label>
      <input
        id="credential"
        name="credential"
        type="password"
        autoComplete="off"
        spellCheck={false}
        aria-describedby="credential-hint"
        aria-invalid={problem !== undefined}
      />
      <p className="hint" id="credential-hint">
        {texts.signIn.credentialHint} {!settings.identityProvider && texts.signIn.credentialSource}
      </p>
      <p className="problem" role="alert">
        {problem}
      </p>
      <button type="submit" aria-busy={isChecking}>
        {texts.signIn.submit}
      </button>
    </form>
  );
}

/** The maximum time for the gateway to accept or refuse credentials, in milliseconds. */
const timeout = 20_000;

async function check(
  authorization: string,
): Promise<"accepted" | "refused" | "expired" | "ended" | "limited" | "unreachable" | "unavailable"> {
  let status: number;
  let reason: unknown;
  try {
    // With accepted credentials, the answer is a list of facilities, which may be empty.
    const response = await fetch("/facilities", {
      headers: { authorization },
      credentials: "omit",
      signal: AbortSignal.timeout(timeout),
    });
    ({ status } = response);
    if (status === 401) ({ reason } = await response.json());
  } catch {
    return "unreachable";
  }
  if (status === 401) return reason === "EXPIRED" ? "expired" : reason === "ENDED" ? "ended" : "refused";
  if (status === 429) return "limited";
  return status < 500 ? "accepted" : "unavailable";
}
