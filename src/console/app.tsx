import { useEffect, useState } from "react";
import { Provider } from "urql";
import { createConsoleClient } from "./data/client.js";
import type { Credentials } from "./session/credentials.js";
import { useSession } from "./session/session.js";
import { SignIn } from "./session/sign-in.js";
import { Shell } from "./shell/shell.js";

/** The console: what whoever is signed in sees, or the way to sign in. */
export function App() {
  const session = useSession();
  if (session.status !== "signed in") return <SignIn session={session} />;
  // Nothing that was read for one session is kept for the next.
  return <SignedIn key={session.number} credentials={session.credentials} />;
}

function SignedIn({ credentials }: { credentials: Credentials }) {
  const [{ client, dispose }] = useState(createConsoleClient);
  useEffect(() => dispose, [dispose]);
  return (
    <Provider value={client}>
      <Shell credentials={credentials} />
    </Provider>
  );
}
