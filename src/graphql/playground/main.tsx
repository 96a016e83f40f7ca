import "graphiql/setup-workers/vite";
// Not graphiql/style.css: that one carries 0.6 MB of web fonts and Monaco's styles a second time.
import "@graphiql/react/style.css";
import "@graphiql/plugin-doc-explorer/style.css";
import "graphiql/graphiql.css";
import "./page.css";
import { GraphiQL } from "graphiql";
import { createRoot } from "react-dom/client";
import { exampleOperations } from "./examples.js";
import { createGatewayFetcher } from "./fetcher.js";
import { type PlaygroundSettings, settingsElementId } from "./settings.js";

const settings: PlaygroundSettings = JSON.parse(element(settingsElementId).textContent);
const readyHeaders = settings.readyToken === undefined ? undefined : { Authorization: `Bearer ${settings.readyToken}` };
const headersText = readyHeaders ? JSON.stringify(readyHeaders, undefined, 2) : '{\n  // "Authorization": "Bearer <token>"\n}';

// `initialHeaders` and `defaultHeaders` win over tabs kept from an earlier visit, because
// with `shouldPersistHeaders` off those are kept without headers. The history plugin is
// left out: it keeps headers all the same, and would bring back tokens that have expired.
createRoot(element("root")).render(
  <GraphiQL
    fetcher={createGatewayFetcher("/graphql", readyHeaders)}
    defaultTabs={exampleOperations(new Date()).map((example) => ({
      ...example,
      headers: headersText,
    }))}
    initialHeaders={headersText}
    defaultHeaders={headersText}
    defaultEditorToolsVisibility="headers"
    shouldPersistHeaders={false}
    plugins={[]}
  >
    <GraphiQL.Logo>Camera monitoring gateway</GraphiQL.Logo>
  </GraphiQL>,
);

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`The page has no element "${id}"`);
  }
  return found;
}
