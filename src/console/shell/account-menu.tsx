import "./menu.css";
import "./account-menu.css";
import { useState } from "react";
import { createPortal } from "react-dom";
import { useQuery } from "urql";
import { ViewerNameDocument } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { type LanguageCode, languages, useLanguage } from "../language/language.js";
import { StoredText } from "../language/stored-text.js";
import type { Credentials } from "../session/credentials.js";
import { signOut } from "../session/session.js";
import { useWorkspace } from "../viewer/viewer.js";
import { AccountIcon, CodeIcon } from "./icons.js";
import { chooseTheme, chosenTheme, type Theme, themes } from "./theme.js";

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

/** The languages to choose from. */
export function LanguageChoice() {
  const { code, choose, messages } = useLanguage();
  return (
    <label className="menu-field">
      <span>{messages.account.language}</span>
      <select value={code} onChange={(event) => choose(event.target.value as LanguageCode)}>
        {Object.entries(languages).map(([each, { name }]) => (
          <option key={each} value={each} lang={each}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function ThemeChoice() {
  const { messages } = useLanguage();
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (chosen: Theme) => {
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <label className="menu-field">
      <span>{messages.account.theme}</span>
      <select value={theme} onChange={(event) => choose(event.target.value as Theme)}>
        {themes.map((each) => (
          <option key={each} value={each}>
            {messages.account.themes[each]}
          </option>
        ))}
      </select>
    </label>
  );
}
