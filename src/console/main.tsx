import "../pages/pages.css";
import "./console.css";
import { Suspense } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.js";
import { LanguageProvider } from "./language/language.js";
import { applyTheme, chosenTheme } from "./shell/theme.js";
import { ViewBoundary } from "./shell/view-boundary.js";

applyTheme(chosenTheme());
createRoot(document.getElementById("root") as HTMLElement).render(
  <Suspense>
    <LanguageProvider>
      <ViewBoundary>
        <App />
      </ViewBoundary>
    </LanguageProvider>
  </Suspense>,
);
