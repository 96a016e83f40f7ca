// Sends the requests of the page as shown, and fills in existing values. The page itself comes from the gateway, and
// can be read without this script.
import { copyText } from "../../../platform/pages/copy-text.js";
import "../../../platform/pages/pages.css";
import "./docs.css";
import { Suspense } from "react";
import { createRoot } from "react-dom/client";
import { LanguageProvider } from "../../../console/language/language.js";
import { signInAddress } from "../../../console/navigation/page-to-return-to.js";
import { reasonOf, sessionKnown, subscribeToSession } from "../../../console/session/session.js";
import { PageAccount } from "../../../console/shell/account/page-account.js";
import { applyTheme, chosenTheme } from "../../../console/shell/theme.js";
import { followReading } from "./contents.js";
import { credentialsFor, send } from "./credentials.js";
import { element, within } from "./elements.js";
import { enterExamples } from "./examples.js";
import { acceptedBy, isAsShown, showCurl, showInstants, shownRequest } from "./shown-request.js";
import { showResponse } from "./shown-response.js";

applyTheme(chosenTheme());
createRoot(document.createElement("div")).render(
  <Suspense>
    <LanguageProvider>
      <PageAccount page="docs" />
    </LanguageProvider>
  </Suspense>,
);

const forms = [...document.querySelectorAll<HTMLFormElement>("form[data-path]")];

async function sendForm(form: HTMLFormElement): Promise<void> {
  const state = within(form, ".state");
  const accepted = acceptedBy(form);
  await examples;
  const { method, target, ...content } = shownRequest(form);
  const credentials = credentialsFor(accepted);
  if (accepted.length > 0 && !credentials) {
    state.replaceChildren("Not sent: ", ...missingCredentials(accepted), ".");
    return;
  }
  if (!isConfirmed(form, `${method} ${decodeURIComponent(target)}`)) return;
  const name = credentials?.name ?? "no credentials";
  state.textContent = `Sending with ${name} …`;
  const start = performance.now();
  const response = await send(target, credentials, { method, ...content });
  const body = await response.blob();
  const duration = Math.round(performance.now() - start);
  const size =
    body.size < 10_000 ? `${body.size} bytes` : `${Math.round(body.size / 1024).toLocaleString("en")} KiB`;
  const status = element("strong", {
    className: response.ok ? "good" : "bad",
    textContent: `${response.status} ${response.statusText}`.trim(),
  });
  state.replaceChildren(status, ` in ${duration} ms, ${size}, sent with ${name}`);
  await showResponse(within(form, ".response"), response, body);
}

/** What the reader can do to have credentials that a request accepts. */
function missingCredentials(accepted: readonly string[]): (Node | string)[] {
  const signIn = element("a", { href: signInAddress("docs"), textContent: "sign in" });
  const enter = [
    "enter an API key under ",
    element("a", { href: "#authentication", textContent: "Authentication" }),
  ];
  if (!accepted.includes("apiKey")) return [signIn];
  return accepted.includes("bearer") ? [signIn, ", or ", ...enter] : enter;
}

/**
 * Whether a request may be sent. Asks before a deletion, and before a change of existing records by a request into
 * which the reader has entered nothing.
 */
function isConfirmed(form: HTMLFormElement, request: string): boolean {
  const { method } = form.dataset;
  if (method === "DELETE") return confirm(`${request}\n\nThis cannot be undone. Send it?`);
  const changesRecords = method !== "GET" && form.querySelector("[data-prefill]") !== null;
  if (!changesRecords || !isAsShown(form)) return true;
  return confirm(`${request}\n\nThis changes what is there, with the example's values. Send it?`);
}

function showRequests(): void {
  for (const form of forms) {
    showInstants(form);
    showCurl(form);
  }
}

// Before the examples arrive: growing the requests later would move what the reader looks at.
showRequests();
/** Settles once the examples are filled in. */
let examples = sessionKnown().then(refreshExamples);

function refreshExamples(): Promise<void> {
  return enterExamples().then(showRequests);
}

subscribeToSession(() => {
  // Whoever signs in next sees no answers to others.
  for (const form of forms) {
    within(form, ".state").replaceChildren();
    within(form, ".response").hidden = true;
  }
  examples = sessionKnown().then(refreshExamples);
});
within(document, "#credentials").addEventListener("change", () => {
  examples = refreshExamples();
});
within(document, "#credentials").addEventListener("submit", (event) => event.preventDefault());

for (const form of forms) {
  for (const hidden of form.querySelectorAll(".try, .curl")) hidden.removeAttribute("hidden");
  form.addEventListener("input", () => {
    showInstants(form);
    showCurl(form);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    // Send one request at a time: a write sent twice may count twice.
    if (form.ariaBusy === "true") return;
    form.ariaBusy = "true";
    try {
      await sendForm(form);
    } catch (error) {
      within(form, ".state").textContent = `Not sent, or the response was cut off: ${reasonOf(error)}`;
    }
    form.ariaBusy = "false";
  });
  within(form, ".copy").addEventListener("click", async () => {
    const command = within(form, ".curl pre");
    const isCopied = await copyText(command.textContent ?? "");
    // The reader copies what the browser does not.
    if (!isCopied) getSelection()?.selectAllChildren(command);
    within(form, ".state").textContent = isCopied
      ? "The curl command was copied."
      : "The browser refused to copy: the command is selected, copy it yourself.";
  });
}

followReading();
