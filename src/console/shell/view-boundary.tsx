import type { ReactNode } from "react";
import { useLanguage } from "../language/language.js";
import { ErrorBoundary } from "./error-boundary.js";
import { WarningIcon } from "./icons.js";
import { Notice } from "./notice.js";

/** Keeps a view that cannot be loaded or shown from taking the page with it. Give it another `key` with each view. */
export const ViewBoundary = ({ children }: { children: ReactNode }) => <ErrorBoundary fallback={<BrokenView />}>{children}</ErrorBoundary>;

function BrokenView() {
  const { messages } = useLanguage();
  const reload = (
    <button type="button" className="primary" onClick={() => location.reload()}>
      {messages.failures.reload}
    </button>
  );
  return (
    <div role="alert">
      <Notice icon={<WarningIcon />} title={messages.failures.view.title} actions={reload}>
        {messages.failures.view.text}
      </Notice>
    </div>
  );
}
