import { useEffect, useState } from "react";
import { Provider } from "urql";
import { createConsoleClient } from "./data/client.js";
import type { Credentials } from "./session/credentials.js";
import { useSession } from "./session/session.js";
import { SignIn } from "./session/sign-in.js";
import { Shell } from "./shell/shell.js";

/** The console: the views for a signed-in viewer, or the sign-in page. */
export function App() {
  const session = useSession();
  if (session.status !== "signed in") return <SignIn session={session} />;
  // The key keeps data of one session out of the next.
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
