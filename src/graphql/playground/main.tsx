import "graphiql/setup-workers/vite";
// Avoid graphiql/style.css, which includes 0.6 MB of web fonts and duplicates Monaco's
// styles.
import "@graphiql/react/style.css";
import "@graphiql/plugin-doc-explorer/style.css";
import "graphiql/graphiql.css";
import "../../pages/pages.css";
import "./page.css";
import { GraphiQL } from "graphiql";
import { createRoot } from "react-dom/client";
import { PageStorage } from "../../console/storage.js";
import { type ExampleOperation, exampleOperations } from "./examples.js";
import { createGatewayFetcher } from "./fetcher.js";
import { firstCameraId } from "./first-camera.js";
import type { PlaygroundSettings } from "./settings.js";
import { observeTabs } from "./tabs.js";

const settings: PlaygroundSettings = JSON.parse(element("settings").textContent);
const readyHeaders =
  settings.initialToken === undefined ? undefined : { Authorization: `Bearer ${settings.initialToken}` };
const headersText = readyHeaders
  ? JSON.stringify(readyHeaders, undefined, 2)
  : '{\n  // "Authorization": "Bearer <token>"\n}';

// The console may hand over an operation. Clear it from the URL, so that reloading the
// page does not open it again.
const handedOver = operationIn(new URLSearchParams(location.hash.slice(1)));
if (handedOver) history.replaceState(null, "", location.pathname);

// `initialHeaders` and `defaultHeaders` also apply to tabs restored from an earlier
// visit, because `shouldPersistHeaders={false}` stores tabs without headers. The history
// plugin is disabled: it stores headers regardless, and would restore expired tokens.
observeTabs(element("root"));
const cameraId = await firstCameraId(readyHeaders);
createRoot(element("root")).render(
  <GraphiQL
    fetcher={createGatewayFetcher("/graphql", readyHeaders)}
    // If tabs of an earlier visit exist, the operation opens in a new tab after them.
    {...(handedOver && {
      initialQuery: handedOver.query,
      ...(handedOver.variables && { initialVariables: handedOver.variables }),
    })}
    defaultTabs={[...(handedOver ? [handedOver] : []), ...exampleOperations(new Date(), cameraId)].map(
      (example) => ({
        ...example,
        headers: headersText,
      }),
    )}
    initialHeaders={headersText}
    defaultHeaders={headersText}
    defaultEditorToolsVisibility="headers"
    shouldPersistHeaders={false}
    plugins={[]}
    storage={new PageStorage(() => localStorage, "graphiql:")}
  >
    <GraphiQL.Logo> </GraphiQL.Logo>
  </GraphiQL>,
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
