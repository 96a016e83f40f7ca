import { Component, type ReactNode, Suspense } from "react";
import { useLanguage, useMessages } from "../language/language.js";
import { localTexts, sessionTexts } from "../storage.js";
import { WarningIcon } from "./icons.js";
import { Notice } from "./notice.js";
import { PartLoading, PartOutdatedError } from "./part.js";

interface ErrorBoundaryProps {
  /** Shown in place of the failed content. */
  fallback: (error: unknown) => ReactNode;
  children: ReactNode;
}

/** Keeps content that fails to render from breaking the content around it. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { failure?: { error: unknown } }> {
  override state: { failure?: { error: unknown } } = {};

  static getDerivedStateFromError(error: unknown) {
    return { failure: { error } };
  }

  override render() {
    const { failure } = this.state;
    return failure ? this.props.fallback(failure.error) : this.props.children;
  }
}

/** If the console cannot be rendered at all, shows a page with a way out. */
export const PageBoundary = ({ children }: { children: ReactNode }) => (
  <ErrorBoundary fallback={() => <BrokenPage />}>{children}</ErrorBoundary>
);

function BrokenPage() {
  const { broken, product } = useMessages();
  const startOver = () => {
    // The kept texts may cause the failure.
    localTexts.clear();
    sessionTexts.clear();
    location.assign("/");
  };
  const actions = (
    <>
      <button type="button" className="primary" onClick={() => location.reload()}>
        {broken.reload}
      </button>
      <button type="button" onClick={startOver}>
        {broken.startOver}
      </button>
    </>
  );
  return (
    <main id="content" tabIndex={-1}>
      <h1 className="visually-hidden">{product}</h1>
      <div role="alert">
        <Notice icon={<WarningIcon />} title={broken.page.title} actions={actions}>
          {broken.page.text}
        </Notice>
      </div>
    </main>
  );
}

/**
 * Loads a view. If the view fails to load or to render, the rest of the page stays. Give
 * each view another `key`.
 */
export function ViewBoundary({ children }: { children: ReactNode }) {
  return (
    <ErrorBoundary fallback={(error) => <BrokenView isOutdated={error instanceof PartOutdatedError} />}>
      <Suspense fallback={<PartLoading />}>{children}</Suspense>
    </ErrorBoundary>
  );
}

function BrokenView({ isOutdated }: { isOutdated: boolean }) {
  const { broken } = useLanguage().messages;
  const { title, text } = isOutdated ? broken.updated : broken.part;
  const reload = (
    <button type="button" className="primary" onClick={() => location.reload()}>
      {broken.reload}
    </button>
  );
  return (
    <div role="alert">
      <Notice icon={<WarningIcon />} title={title} actions={reload}>
        {text}
      </Notice>
    </div>
  );
}
