import { Component, type ReactNode } from "react";
import { useLanguage } from "../language/language.js";
import { WarningIcon } from "./icons.js";
import { Notice } from "./notice.js";

/** Keeps a view that cannot be loaded or shown from taking the page with it. Give it another `key` with each view. */
export class ViewBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? <BrokenView /> : this.props.children;
  }
}

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
