import {
  findOwnRecords,
  type OwnRecords,
  RecordsUnreadableError,
} from "../../../console/api-calls/own-records.js";
import { signInAddress } from "../../../console/navigation/page-to-return-to.js";
import { reasonOf } from "../../../console/session/session.js";
import { credentialsFor, type RequestCredentials, send } from "./credentials.js";
import { element, within } from "./elements.js";

const dayInSeconds = 24 * 3600;
const state = within(document, "#credentials-state");

/**
 * Fills the requests with records of the caller, so that they can be tried as they are shown, and says who the caller
 * is. Edited fields keep their values.
 */
export async function enterExamples(): Promise<void> {
  const credentials = credentialsFor(["bearer", "apiKey"]);
  if (!credentials) {
    enter({});
    const signIn = element("a", { href: signInAddress("docs"), textContent: "Sign in" });
    state.replaceChildren("You are not signed in. ", signIn, ", or enter an API key.");
    return;
  }
  state.textContent = "";
  try {
    const records = await findOwnRecords((path) => send(path, credentials, { method: "GET" }));
    enter(records);
    state.replaceChildren(...describe(credentials, records));
  } catch (error) {
    const isRefused = error instanceof RecordsUnreadableError && error.message.startsWith("401 ");
    state.textContent = `${isRefused ? "Refused" : "Not checked"}: ${reasonOf(error)}`;
  }
}

function describe({ name }: RequestCredentials, { facilityId, cameraName }: OwnRecords): (Node | string)[] {
  const sent = `Requests are sent with ${name}. `;
  if (facilityId === undefined) {
    const playground = element("a", { href: "/graphql", textContent: "playground" });
    return [sent, "There is no facility yet: the ", playground, " has an example that creates one."];
  }
  // The name may run from right to left.
  const camera =
    cameraName === undefined ? [] : [" the camera “", element("bdi", { textContent: cameraName }), "” and"];
  return [sent, "They are ready to try with", ...camera, " the last 7 days."];
}

type Filled = HTMLInputElement | HTMLTextAreaElement;

/** The fields to fill, with the placeholders that the gateway wrote into them. */
const placeholders = new Map(
  [...document.querySelectorAll<Filled>("[data-prefill], textarea[data-in=body]")].map((field) => [
    field,
    field.defaultValue,
  ]),
);

/** Enters records instead of the placeholders. Without a record, these stay. */
function enter(records: OwnRecords): void {
  const now = Math.floor(Date.now() / 1000);
  const values: Record<string, string | undefined> = {
    ...records,
    start: String(now - 7 * dayInSeconds),
    end: String(now),
  };
  for (const [field, placeholder] of placeholders)
    field.defaultValue =
      field instanceof HTMLTextAreaElement
        ? withRecords(placeholder, values)
        : (values[field.dataset.prefill ?? ""] ?? placeholder);
}

/** A JSON body with the ids of records in the members that name some. */
function withRecords(body: string, values: Record<string, string | undefined>): string {
  return body.replaceAll(/"(\w+Id)": "[^"]*"/g, (member, name: string) =>
    values[name] === undefined ? member : `"${name}": "${values[name]}"`,
  );
}
