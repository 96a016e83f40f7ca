import "../../../console/translated-page.js";
import "graphiql/setup-workers/vite";
// Avoid graphiql/style.css, which includes 0.6 MB of web fonts and duplicates Monaco's styles.
import "@graphiql/react/style.css";
import "@graphiql/plugin-doc-explorer/style.css";
import "@graphiql/plugin-history/style.css";
import "graphiql/graphiql.css";
import { copyByCommand } from "../../../platform/pages/copy-text.js";
import "../../../platform/pages/pages.css";
import "./page.css";
import { Suspense } from "react";
import { createRoot } from "react-dom/client";
import { firstLanguage, LanguageProvider } from "../../../console/language/language.js";
import { sessionKnown } from "../../../console/session/session.js";
import { applyTheme, chosenTheme } from "../../../console/shell/theme.js";
import type { ExampleOperation } from "./examples.js";
import { Playground } from "./playground.js";

/**
 * Corrects the roles of GraphiQL's tabs. A tab may contain no buttons, but each of these has two: open and close.
 * Presents them as a list of buttons instead, with the current one marked.
 */
function observeTabs(root: HTMLElement): void {
  const correct = () => {
    root.querySelector(".graphiql-tabs")?.removeAttribute("role");
    const session = root.querySelector("#graphiql-session");
    // Setting the role again would count as a change to correct.
    if (session?.getAttribute("role") === "tabpanel") session.setAttribute("role", "region");
    for (const tab of root.querySelectorAll(".graphiql-tab")) {
      tab.removeAttribute("role");
      tab.removeAttribute("aria-selected");
      const button = tab.querySelector(".graphiql-tab-button");
      if (tab.classList.contains("graphiql-tab-active")) button?.setAttribute("aria-current", "true");
      else button?.removeAttribute("aria-current");
    }
  };
  new MutationObserver(correct).observe(root, {
    subtree: true,
    childList: true,
    attributeFilter: ["role", "aria-selected"],
  });
}

applyTheme(chosenTheme());

// GraphiQL copies by the clipboard alone, which browsers withhold from pages of plain http.
if (!("clipboard" in navigator))
  Object.defineProperty(navigator, "clipboard", {
    value: { writeText: async (text: string) => copyByCommand(text) },
  });

// The console may hand over an operation. Clear it from the URL, so that reloading the page does not open it again.
const handedOver = operationIn(new URLSearchParams(location.hash.slice(1)));
if (handedOver) history.replaceState(null, "", location.pathname);

observeTabs(element("root"));
await Promise.all([sessionKnown(), firstLanguage]);
createRoot(element("root")).render(
  <Suspense>
    <LanguageProvider>
      <Playground handedOver={handedOver} notices={element("notices")} />
    </LanguageProvider>
  </Suspense>,
);

function operationIn(parameters: URLSearchParams): ExampleOperation | undefined {
  const query = parameters.get("query");
  const variables = parameters.get("variables");
  return query ? { query, ...(variables && { variables }) } : undefined;
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`The page has no element "${id}"`);
  }
  return found;
}
