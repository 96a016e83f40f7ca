import "./menu.css";
import "./account-menu.css";
import type { ReactNode } from "react";
import { createPortal } from "react-dom";
import { defined } from "../../../platform/defined.js";
import { isolated } from "../../../platform/text/text-direction.js";
import { StoredText, useMessages } from "../../language/language.js";
import { signOut } from "../../session/session.js";
import { AccountIcon } from "../icons.js";
import { LanguageChoice, ThemeChoice } from "./display-choices.js";

const actions = defined(document.getElementById("page-actions"));

interface AccountMenuProps {
  /** Who is signed in; undefined until known. */
  name: string | undefined;
  /** The name of the workspace; undefined until known. */
  workspace: string | undefined;
  /** Where to sign in; undefined if somebody has signed in. */
  signInAddress?: string | undefined;
  beside?: ReactNode;
  children?: ReactNode;
}

/** The account in the header of a page, with the choices of language and appearance, and with signing in or out. */
export function AccountMenu({ name, workspace, signInAddress, beside, children }: AccountMenuProps) {
  const messages = useMessages();
  return createPortal(
    <>
      {beside}
      <span className="workspace-name">
        <StoredText>{workspace}</StoredText>
      </span>
      <button
        type="button"
        className="icon-button"
        popoverTarget="account"
        aria-label={messages.account.label}
        title={name && isolated(name)}
      >
        <AccountIcon />
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it hears of the links in it. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys click the links in it. */}
      <div
        id="account"
        popover="auto"
        className="menu"
        onClick={({ target, currentTarget }) =>
          target instanceof HTMLAnchorElement && currentTarget.hidePopover()
        }
      >
        <p className="menu-title">
          <strong>
            <StoredText>{name}</StoredText>
          </strong>
          {workspace !== undefined && <span>{messages.account.workspace(isolated(workspace))}</span>}
        </p>
        <LanguageChoice />
        <ThemeChoice />
        {children}
        {signInAddress === undefined ? (
          <button type="button" onClick={signOut}>
            {messages.account.signOut}
          </button>
        ) : (
          <a className="button" href={signInAddress}>
            {messages.account.signIn}
          </a>
        )}
      </div>
    </>,
    actions,
  );
}
