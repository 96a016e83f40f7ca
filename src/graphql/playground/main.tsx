import "graphiql/setup-workers/vite";
// Not graphiql/style.css, which includes 0.6 MB of web fonts and duplicates Monaco's styles.
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
const readyHeaders = settings.initialToken === undefined ? undefined : { Authorization: `Bearer ${settings.initialToken}` };
const headersText = readyHeaders ? JSON.stringify(readyHeaders, undefined, 2) : '{\n  // "Authorization": "Bearer <token>"\n}';

// `initialHeaders` and `defaultHeaders` also apply to tabs restored from an earlier visit,
// because `shouldPersistHeaders={false}` stores tabs without headers. The history plugin is
// disabled: it stores headers regardless, and would restore expired tokens.
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
