import { useEffect, useState } from "react";
import { Provider } from "urql";
import { createConsoleClient } from "./data/client.js";
import { useMessages } from "./language/language.js";
import { useAddress } from "./navigation/location.js";
import { pathAfterSignIn } from "./navigation/page-to-return-to.js";
import { useLinkCode } from "./session/opened-link.js";
import { useSession } from "./session/session.js";
import { part, ViewBoundary } from "./shell/part.js";
import { Shell } from "./shell/shell.js";

// The sign-in page is loaded when needed: whoever is signed in needs none.
const SignIn = part(() => import("./session/sign-in.js"), "SignIn");
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

function SignedIn() {
  const [{ client, dispose }] = useState(createConsoleClient);
  useEffect(() => dispose, [dispose]);
  const linkCode = useLinkCode();
  return (
    <Provider value={client}>
      <Shell />
      {linkCode !== undefined && (
        <ViewBoundary key={linkCode}>
          <LinkQuestion code={linkCode} />
        </ViewBoundary>
      )}
    </Provider>
  );
}
