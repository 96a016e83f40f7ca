import type { DocumentTypeDecoration } from "@graphql-typed-document-node/core";
import type { DocumentNode } from "graphql";
import { useEffect, useState } from "react";
import { formatDocument, stringifyDocument } from "urql";
import { ViewerDocument, ViewerNameDocument } from "../../../generated/console.js";
import { useMessages } from "../../language/language.js";
import { type PageName, signInAddress } from "../../navigation/page-to-return-to.js";
import type { Credentials } from "../../session/credentials.js";
import { useSession } from "../../session/session.js";
import { fetchWithSession } from "../../session/session-fetch.js";
import { setPageTitle } from "../page-title.js";
import { AccountMenu } from "./account-menu.js";

interface Viewer {
  name: string | undefined;
  workspace: string | undefined;
}

export function PageAccount({ page }: { page: PageName }) {
  const messages = useMessages();
  const session = useSession();
  const isSignedIn = session.status === "signed in";
  const kind = isSignedIn ? session.credentials.kind : undefined;
  const [viewer, setViewer] = useState<Viewer>();
  const number = isSignedIn ? session.number : undefined;
  useEffect(() => {
    setViewer(undefined);
    if (number === undefined || kind === undefined) return;
    let isCurrent = true;
    void findViewer(kind).then((found) => isCurrent && setViewer(found));
    return () => {
      isCurrent = false;
    };
  }, [number, kind]);
  useEffect(() => {
    setPageTitle(`${messages.pages[page]} · ${messages.product}`);
  }, [page, messages]);
  const name = kind === "key" ? messages.account.key : viewer?.name;
  return (
    <AccountMenu
      name={isSignedIn ? name : messages.account.signedOut}
      workspace={viewer?.workspace}
      signInAddress={isSignedIn ? undefined : signInAddress(page)}
    />
  );
}

/** The viewer's workspace, and unless the session uses an API key, the viewer. */
async function findViewer(kind: Credentials["kind"]): Promise<Viewer> {
  const [ofWorkspace, ofUser] = await Promise.all([
    answerOf(ViewerDocument),
    kind === "token" ? answerOf(ViewerNameDocument) : undefined,
  ]);
  return {
    name: ofUser?.me.fullName ?? ofUser?.me.email,
    workspace: ofWorkspace?.workspace.name,
  };
}

/** The data of a query; undefined if it fails, since the page can do without. */
async function answerOf<Data>(
  document: DocumentNode & DocumentTypeDecoration<Data, Record<string, never>>,
): Promise<Data | undefined> {
  // With KNOWN_OPERATIONS, the gateway knows the text that the console's client sends.
  const query = stringifyDocument(formatDocument(document) as DocumentNode);
  try {
    const response = await fetchWithSession("/graphql", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query }),
    });
    return ((await response.json()) as { data?: Data }).data ?? undefined;
  } catch {
    return undefined;
  }
}
