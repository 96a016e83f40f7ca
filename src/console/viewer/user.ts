import { useQuery } from "urql";
import { ViewerNameDocument } from "../../generated/console.js";
import { useSession } from "../session/session.js";

/** The user who is signed in, undefined until known and for API keys, with whether there is one. */
export function useUser() {
  const session = useSession();
  const isUser = session.status === "signed in" && session.credentials.kind === "token";
  const [{ data, error }, readUser] = useQuery({
    query: ViewerNameDocument,
    requestPolicy: "cache-first",
    pause: !isUser,
  });
  return { isUser, user: data?.me, error, readUser };
}
