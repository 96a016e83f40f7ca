import "../pages/pages.css";
import "./console.css";
import { Suspense } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.js";
import { en } from "./language/en.js";
import { LanguageProvider } from "./language/language.js";
import { PageBoundary } from "./shell/page-boundary.js";
import { applyTheme, chosenTheme } from "./shell/theme.js";

applyTheme(chosenTheme());
createRoot(document.getElementById("root") as HTMLElement).render(
  <PageBoundary>
    <Suspense fallback={<p className="start">{en.common.loading}</p>}>
      <LanguageProvider>
        <PageBoundary>
          <App />
        </PageBoundary>
      </LanguageProvider>
    </Suspense>
  </PageBoundary>,
);
