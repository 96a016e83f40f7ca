import type { ReactNode } from "react";
import { useMessages } from "../language/language.js";
import { localTexts, sessionTexts } from "../storage.js";
import { ErrorBoundary } from "./error-boundary.js";
import { WarningIcon } from "./icons.js";
import { Notice } from "./notice.js";

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
