import "../form/form.css";
import { useQuery } from "urql";
import { ViewerNameDocument } from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { useMessages } from "../language/language.js";
import { Dialog } from "../shell/dialog.js";
import type { Credentials } from "./credentials.js";
import { forgetLink } from "./opened-link.js";
import { useTexts } from "./texts.js";
import { useLinkSignIn } from "./use-link-sign-in.js";

export function LinkQuestion({ code, credentials }: { code: string; credentials: Credentials }) {
  const messages = useMessages();
  const { linkQuestion, signIn } = useTexts();
  const isUser = credentials.kind === "token";
  const [{ data }] = useQuery({ query: ViewerNameDocument, pause: !isUser });
  const { isSigningIn, failure, signInByLink } = useLinkSignIn(code);
  const name = isUser ? (data?.me.fullName ?? data?.me.email) : messages.account.key;
  return (
    <Dialog title={linkQuestion.title} onClose={forgetLink}>
      <div className="edit-form">
        <p>{linkQuestion.text(isolated(name ?? ""))}</p>
        {failure && (
          <p className="problem" role="alert">
            {failure}
          </p>
        )}
        <div className="form-actions">
          <button type="button" aria-busy={isSigningIn} onClick={signInByLink}>
            {signIn.byLink}
          </button>
          {/* biome-ignore lint/a11y/noAutofocus: Enter must not change the person by accident. */}
          <button type="button" autoFocus onClick={forgetLink}>
            {linkQuestion.stay}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
