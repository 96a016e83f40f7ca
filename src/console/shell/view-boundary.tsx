import { type ReactNode, Suspense } from "react";
import { useLanguage } from "../language/language.js";
import { ErrorBoundary } from "./error-boundary.js";
import { WarningIcon } from "./icons.js";
import { Notice } from "./notice.js";
import { PartLoading, PartOutdatedError } from "./part.js";

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
