import "./translated-page.js";
import "../platform/pages/pages.css";
import "./console.css";
import { Suspense } from "react";
import { createRoot } from "react-dom/client";
import { defined } from "../platform/defined.js";
import { App } from "./app.js";
import { firstLanguage, LanguageProvider } from "./language/language.js";
import { currentQuery } from "./navigation/location.js";
import { PageBoundary } from "./shell/part.js";
import { applyTheme, chosenTheme } from "./shell/theme.js";
import { firstView, pageOf } from "./views.js";

applyTheme(chosenTheme());
// The first view is loaded while the session begins. If that fails, the view tries again.
if (pageOf(currentQuery()) === firstView) import("./today/today-view.js").catch(() => undefined);
// Not a top-level await: with one, the scripts of the views could share none with this.
void firstLanguage.then(() =>
  createRoot(defined(document.getElementById("root"))).render(
    <PageBoundary>
      <Suspense>
        <LanguageProvider>
          <PageBoundary>
            <App />
          </PageBoundary>
        </LanguageProvider>
      </Suspense>
    </PageBoundary>,
  ),
);
