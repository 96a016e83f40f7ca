import { useQuery } from "urql";
import { ViewerNameDocument } from "../../generated/console.js";
import { useLanguage } from "../language/language.js";
import type { Credentials } from "../session/credentials.js";
import { useWorkspace } from "../viewer/viewer.js";
import { AccountMenu } from "./account-menu.js";
import { CodeIcon } from "./icons.js";

interface ConsoleAccountProps {
  credentials: Credentials;
  onShowKeys: () => void;
  onShowApiCalls: () => void;
}

/**
 * The account in the header of the console, with its keyboard shortcuts. Beside it, the
 * API calls of the view.
 */
export function ConsoleAccount({ credentials, onShowKeys, onShowApiCalls }: ConsoleAccountProps) {
  const { messages } = useLanguage();
  const isUser = credentials.kind === "token";
  const [{ data }] = useQuery({ query: ViewerNameDocument, pause: !isUser });
  return (
    <AccountMenu
      name={isUser ? (data?.me.fullName ?? data?.me.email) : messages.account.key}
      workspace={useWorkspace()?.name}
      beside={
        <button
          type="button"
          className="icon-button api-calls-button"
          aria-label={messages.apiCalls.show}
          title={messages.apiCalls.show}
          onClick={onShowApiCalls}
        >
          <CodeIcon />
        </button>
      }
    >
      <button type="button" popoverTarget="account" popoverTargetAction="hide" onClick={onShowApiCalls}>
        {messages.apiCalls.show} <kbd>q</kbd>
      </button>
      <button type="button" popoverTarget="account" popoverTargetAction="hide" onClick={onShowKeys}>
        {messages.account.keys} <kbd>?</kbd>
      </button>
    </AccountMenu>
  );
}
