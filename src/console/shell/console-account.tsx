import { useQuery } from "urql";
import { ViewerNameDocument } from "../../generated/console.js";
import { command } from "../keyboard/shortcuts.js";
import { useLanguage } from "../language/language.js";
import { SavedViewsButton, showSavedViews } from "../saved-views/saved-views-button.js";
import type { Credentials } from "../session/credentials.js";
import { useWorkspace } from "../viewer/viewer.js";
import { AccountMenu } from "./account-menu.js";
import { CodeIcon, SearchIcon } from "./icons.js";

interface ConsoleAccountProps {
  credentials: Credentials;
  onShowKeys: () => void;
  onShowApiCalls: () => void;
  onShowPalette: () => void;
  isSavingView: boolean;
  onSavingViewChange: (isSaving: boolean) => void;
}

/**
 * The account in the header of the console, with its keyboard shortcuts. Beside it, the
 * search for everything, the saved views, and the API calls of the view.
 */
export function ConsoleAccount({
  credentials,
  onShowKeys,
  onShowApiCalls,
  onShowPalette,
  isSavingView,
  onSavingViewChange,
}: ConsoleAccountProps) {
  const { messages } = useLanguage();
  const isUser = credentials.kind === "token";
  const [{ data }] = useQuery({ query: ViewerNameDocument, pause: !isUser });
  return (
    <AccountMenu
      name={isUser ? (data?.me.fullName ?? data?.me.email) : messages.account.key}
      workspace={useWorkspace()?.name}
      beside={
        <>
          <button
            type="button"
            className="icon-button palette-button"
            aria-label={messages.palette}
            title={`${messages.palette} (${command("K")})`}
            onClick={onShowPalette}
          >
            <SearchIcon />
          </button>
          {isUser && <SavedViewsButton isSaving={isSavingView} onSavingChange={onSavingViewChange} />}
          <button
            type="button"
            className="icon-button wide-window"
            aria-label={messages.apiCalls.show}
            title={messages.apiCalls.show}
            onClick={onShowApiCalls}
          >
            <CodeIcon />
          </button>
        </>
      }
    >
      <button type="button" popoverTarget="account" popoverTargetAction="hide" onClick={onShowPalette}>
        {messages.palette} <kbd>{command("K")}</kbd>
      </button>
      {isUser && (
        <button type="button" className="narrow-window" onClick={showSavedViews}>
          {messages.savedViews}
        </button>
      )}
      <button type="button" popoverTarget="account" popoverTargetAction="hide" onClick={onShowApiCalls}>
        {messages.apiCalls.show} <kbd>q</kbd>
      </button>
      <button type="button" popoverTarget="account" popoverTargetAction="hide" onClick={onShowKeys}>
        {messages.account.keys} <kbd>?</kbd>
      </button>
    </AccountMenu>
  );
}
