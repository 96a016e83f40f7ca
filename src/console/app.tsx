import { useEffect, useState } from "react";
import { Provider } from "urql";
import { createConsoleClient } from "./data/client.js";
import { useMessages } from "./language/language.js";
import { useAddress } from "./navigation/location.js";
import { pathAfterSignIn } from "./navigation/page-to-return-to.js";
import { useLinkCode } from "./session/opened-link.js";
import { isSessionOfLink, useSession } from "./session/session.js";
import { part, ViewBoundary } from "./shell/part.js";
import { Shell } from "./shell/shell.js";
import { sessionTexts } from "./storage.js";
import { useUser } from "./viewer/user.js";

// The sign-in page is loaded when needed: whoever is signed in needs none.
const SignIn = part(() => import("./session/sign-in.js"), "SignIn");
const OwnName = part(() => import("./administration/profile/own-name.js"), "OwnName");
const LinkQuestion = part(() => import("./session/link-question.js"), "LinkQuestion");

export function App() {
  const session = useSession();
  const next = pathAfterSignIn(useAddress());
  if (session.status !== "signed in")
    return (
      <ViewBoundary>
        <SignIn session={session} />
      </ViewBoundary>
    );
  if (next !== undefined) return <Leave path={next} />;
  // The key keeps data of one session out of the next.
  return <SignedIn key={session.number} />;
}

function Leave({ path }: { path: string }) {
  const { common } = useMessages();
  useEffect(() => location.replace(path), [path]);
  return <p className="loading">{common.loading}</p>;
}

const nameQuestionKey = "console.name-question";

/** Asks a person without a name for it, at the first sign-in by a link. */
function NameQuestion() {
  const { user } = useUser();
  const [isAnswered, setAnswered] = useState(() => sessionTexts.getItem(nameQuestionKey) !== null);
  const close = () => {
    sessionTexts.setItem(nameQuestionKey, "answered");
    setAnswered(true);
  };
  if (isAnswered || !user || user.fullName !== null) return null;
  return (
    <ViewBoundary>
      <OwnName onClose={close} />
    </ViewBoundary>
  );
}

function SignedIn() {
  const [{ client, dispose }] = useState(createConsoleClient);
  useEffect(() => dispose, [dispose]);
  const linkCode = useLinkCode();
  return (
    <Provider value={client}>
      <Shell />
      {isSessionOfLink() && <NameQuestion />}
      {linkCode !== undefined && (
        <ViewBoundary key={linkCode}>
          <LinkQuestion code={linkCode} />
        </ViewBoundary>
      )}
    </Provider>
  );
}
