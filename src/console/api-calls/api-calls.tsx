import "./api-calls.css";
import { print } from "graphql";
import { useState } from "react";
import type { Operation } from "urql";
import { ExportPermissionsDocument, ViewerDocument, ViewerNameDocument } from "../../generated/console.js";
import { useOperationsOfView } from "../data/active-operations.js";
import { settings } from "../page-settings.js";
import { useSession } from "../session/session.js";
import { CopyableText } from "../shell/copyable-text.js";
import { restPathOf } from "./rest-path.js";
import { useTexts } from "./texts.js";

/** An API call behind the current view, ready to be copied. Contains no credentials. */
interface ApiCall {
  name: string;
  query: string;
  variables: string | undefined;
  /** The REST path with the same answer; undefined if there is none. */
  restPath: string | undefined;
}

/** Queries about the viewer's permissions belong to no view. */
const aboutTheViewer = new Set([ViewerDocument, ViewerNameDocument, ExportPermissionsDocument].map(nameOf));

function nameOf(document: Operation["query"]) {
  return (
    document.definitions.flatMap((definition) =>
      definition.kind === "OperationDefinition" ? (definition.name?.value ?? []) : [],
    )[0] ?? ""
  );
}

/** The calls behind operations: queries before subscriptions. Of several pages of a list, only the first. */
function apiCallsOf(operations: readonly Operation[]) {
  const calls = new Map<string, ApiCall>();
  const isLater = ({ kind, variables }: Operation) =>
    Number(kind === "subscription") * 2 + Number(Boolean(variables?.after));
  for (const { query, variables = {} } of operations.toSorted(
    (one, other) => isLater(one) - isLater(other),
  )) {
    const name = nameOf(query);
    if (calls.has(name) || aboutTheViewer.has(name)) continue;
    const given = Object.entries(variables).filter(([, value]) => value !== undefined && value !== null);
    const variablesText =
      given.length > 0 ? JSON.stringify(Object.fromEntries(given), undefined, 2) : undefined;
    calls.set(name, {
      name,
      query: print(query),
      variables: variablesText,
      restPath: restPathOf(name, variables),
    });
  }
  return [...calls.values()];
}

export function ApiCalls() {
  const texts = useTexts();
  const calls = apiCallsOf(useOperationsOfView());
  const [chosen, choose] = useState<string>();
  const call = calls.find(({ name }) => name === chosen) ?? calls[0];
  return (
    <div className="api-calls">
      <p className="hint">{texts.lead}</p>
      <div className="choices">
        {calls.map(({ name }) => (
          <button key={name} type="button" aria-pressed={name === call?.name} onClick={() => choose(name)}>
            {name}
          </button>
        ))}
      </div>
      {call && <Call key={call.name} call={call} />}
    </div>
  );
}

function Call({ call: { query, variables, restPath } }: { call: ApiCall }) {
  const texts = useTexts();
  const session = useSession();
  const credentials =
    session.status === "signed in" && session.credentials.kind === "key"
      ? '-u "$API_KEY:"'
      : '-H "Authorization: Bearer $TOKEN"';
  return (
    <>
      <section>
        <h3>GraphQL</h3>
        <CopyableText label={texts.query} text={query} />
        {variables !== undefined && <CopyableText label={texts.variables} text={variables} />}
        <a
          className="button primary"
          href={playgroundAddress(query, variables)}
          target="_blank"
          rel="noreferrer"
        >
          {texts.openPlayground}
        </a>
      </section>
      <section>
        <h3>REST</h3>
        {restPath === undefined ? (
          <p className="hint">{texts.noRest}</p>
        ) : (
          <CopyableText label={texts.rest} text={`curl ${credentials} '${settings.publicUrl}${restPath}'`} />
        )}
      </section>
    </>
  );
}

/** The playground's address with an initial operation, in the fragment, which browsers do not send to servers. */
function playgroundAddress(query: string, variables: string | undefined) {
  return `/graphql#${new URLSearchParams({ query, ...(variables !== undefined && { variables }) })}`;
}
