import "../form/form.css";
import { isolated } from "../../platform/text/text-direction.js";
import { useMessages } from "../language/language.js";
import { Dialog } from "../shell/dialog.js";
import { useUser } from "../viewer/user.js";
import { forgetLink } from "./opened-link.js";
import { RememberChoice } from "./remember-choice.js";
import { useTexts } from "./texts.js";
import { useLinkSignIn } from "./use-link-sign-in.js";

export function LinkQuestion({ code }: { code: string }) {
  const messages = useMessages();
  const { linkQuestion, signIn } = useTexts();
  const { isUser, user } = useUser();
  const { isSigningIn, failure, signInByLink, content, remembering } = useLinkSignIn(code);
  const name = isUser ? (user?.fullName ?? user?.email) : messages.account.key;
  return (
    <Dialog title={linkQuestion.title} onClose={forgetLink}>
      <div className="edit-form">
        <p>{linkQuestion.text(isolated(name ?? ""))}</p>
        {failure && (
          <p className="problem" role="alert">
            {failure}
          </p>
        )}
        {content && <RememberChoice {...remembering} />}
        <div className="form-actions">
          {content && (
            <button type="button" aria-busy={isSigningIn} onClick={signInByLink}>
              {content.email === undefined ? signIn.byLink : signIn.byLinkAs(isolated(content.email))}
            </button>
          )}
          {/* biome-ignore lint/a11y/noAutofocus: Enter must not change the person by accident. */}
          <button type="button" autoFocus onClick={forgetLink}>
            {linkQuestion.stay}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
