import { DOC_EXPLORER_PLUGIN } from "@graphiql/plugin-doc-explorer";
import { GraphiQL, HISTORY_PLUGIN } from "graphiql";
import { useState } from "react";
import { createPortal } from "react-dom";
import { signInAddress } from "../../../console/navigation/page-to-return-to.js";
import { playgroundStorage } from "../../../console/playground-storage.js";
import { useSession } from "../../../console/session/session.js";
import { PageAccount } from "../../../console/shell/account/page-account.js";
import { useTheme } from "../../../console/shell/theme.js";
import type { ExampleOperation } from "./examples.js";
import { createGatewayFetcher } from "./fetcher.js";
import { FileVariables } from "./file-variables.js";
import { OperationFiles } from "./operation-files.js";
import { useTexts } from "./texts.js";
import { useExamples } from "./use-examples.js";

/** Says that nobody is signed in, and where to do so. */
function SessionNotice() {
  const { status } = useSession();
  const texts = useTexts();
  const isOut = status === "signed out" || status === "expired";
  return (
    <p className="session-notice" role="status">
      {isOut && (
        <>
          {status === "expired" ? texts.expired : texts.signedOut}{" "}
          <a href={signInAddress("playground")}>{texts.signIn}</a>, {texts.orHeader}
        </>
      )}
    </p>
  );
}

const initialHeaders = `{
  // Operations are sent with your session. To use an API key instead:
  // "Authorization": "Basic <base64 of the key and a colon>"
}`;

const plugins = [HISTORY_PLUGIN];

interface PlaygroundProps {
  /** An operation to open first. */
  handedOver: ExampleOperation | undefined;
  notices: HTMLElement;
}

/** GraphiQL with the header and the session of the console. */
export function Playground({ handedOver, notices }: PlaygroundProps) {
  const theme = useTheme();
  const person = usePerson();
  const examples = useExamples(person);
  return (
    <>
      <PageAccount page="playground" />
      {createPortal(<SessionNotice />, notices)}
      {examples && (
        <Editors key={person} theme={theme} examples={examples} handedOver={handedOver} notices={notices} />
      )}
    </>
  );
}

/**
 * The number of the session of whoever is or was signed in, so that nobody sees answers to others. 0 after signing out.
 * The mere end of a session takes nothing away.
 */
function usePerson(): number {
  const session = useSession();
  const [person, setPerson] = useState(0);
  const next = session.status === "signed in" ? session.number : session.status === "signed out" ? 0 : person;
  if (next !== person) setPerson(next);
  return next;
}

interface EditorsProps extends PlaygroundProps {
  examples: ExampleOperation[];
  theme: "system" | "light" | "dark";
}

function Editors({ theme, examples, handedOver, notices }: EditorsProps) {
  const [files] = useState(() => new OperationFiles());
  const [fetcher] = useState(() => createGatewayFetcher("/graphql", files));
  const [isWide] = useState(() => matchMedia("(min-width: 60rem)").matches);
  const [initial] = useState(() => initialOperation(handedOver, examples));
  return (
    <GraphiQL
      fetcher={fetcher}
      forcedTheme={theme}
      {...initial}
      defaultTabs={[...(handedOver ? [handedOver] : []), ...examples].map((example) => ({
        ...example,
        headers: initialHeaders,
      }))}
      // These also apply to tabs of an earlier visit, which are stored without headers.
      initialHeaders={initialHeaders}
      defaultHeaders={initialHeaders}
      defaultEditorToolsVisibility="variables"
      shouldPersistHeaders={false}
      plugins={plugins}
      {...(isWide && { visiblePlugin: DOC_EXPLORER_PLUGIN })}
      schemaDescription
      onSchemaChange={(schema) => {
        files.schema = schema;
      }}
      storage={playgroundStorage}
    >
      <GraphiQL.Logo> </GraphiQL.Logo>
      <FileVariables files={files} container={notices} />
    </GraphiQL>
  );
}

/**
 * The operation that is open at first, as GraphiQL takes it. An operation that was handed over opens in a new tab after
 * those of an earlier visit. Without any, the first example does, since GraphiQL would open that without its variables.
 */
function initialOperation(handedOver: ExampleOperation | undefined, examples: ExampleOperation[]) {
  const isFirstVisit = playgroundStorage.length === 0;
  const operation = handedOver ?? (isFirstVisit ? examples[0] : undefined);
  return (
    operation && {
      initialQuery: operation.query,
      ...(operation.variables !== undefined && { initialVariables: operation.variables }),
    }
  );
}
