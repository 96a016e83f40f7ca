import "./menu.css";
import "./account-menu.css";
import { createPortal } from "react-dom";
import { useQuery } from "urql";
import { ViewerNameDocument } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { useLanguage } from "../language/language.js";
import { StoredText } from "../language/stored-text.js";
import type { Credentials } from "../session/credentials.js";
import { signOut } from "../session/session.js";
import { useWorkspace } from "../viewer/viewer.js";
import { LanguageChoice, ThemeChoice } from "./display-choices.js";
import { AccountIcon, CodeIcon } from "./icons.js";

const actions = document.getElementById("page-actions") as HTMLElement;

interface AccountMenuProps {
  credentials: Credentials;
  onShowKeys: () => void;
  onShowApiCalls: () => void;
}

/**
 * The account in the header of the page, with the choices of language and appearance, and
 * with signing out. Beside it, the API calls of the view.
 */
export function AccountMenu({ credentials, onShowKeys, onShowApiCalls }: AccountMenuProps) {
  const { messages } = useLanguage();
  const workspace = useWorkspace();
  const isUser = credentials.kind === "token";
  const [{ data }] = useQuery({ query: ViewerNameDocument, pause: !isUser });
  const name = isUser ? (data?.me.fullName ?? data?.me.email) : messages.account.key;
  return createPortal(
    <>
      <button
        type="button"
        className="icon-button api-calls-button"
        aria-label={messages.apiCalls.show}
        title={messages.apiCalls.show}
        onClick={onShowApiCalls}
      >
        <CodeIcon />
      </button>
      <button
        type="button"
        className="icon-button"
        popoverTarget="account"
        aria-label={messages.account.label}
        title={name && isolated(name)}
      >
        <AccountIcon />
      </button>
      <div id="account" popover="auto" className="menu">
        <p className="menu-title">
          <strong>
            <StoredText>{name}</StoredText>
          </strong>
          {workspace && <span>{messages.account.workspace(isolated(workspace.name))}</span>}
        </p>
        <LanguageChoice />
        <ThemeChoice />
        <button type="button" popoverTarget="account" popoverTargetAction="hide" onClick={onShowApiCalls}>
          {messages.apiCalls.show} <kbd>q</kbd>
        </button>
        <button type="button" popoverTarget="account" popoverTargetAction="hide" onClick={onShowKeys}>
          {messages.account.keys} <kbd>?</kbd>
        </button>
        <button type="button" onClick={signOut}>
          {messages.account.signOut}
        </button>
      </div>
    </>,
    actions,
  );
}
