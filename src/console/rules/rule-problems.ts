import type { CombinedError } from "urql";
import type { Messages } from "../language/en.js";

/** Whom a rule tells, as it was sent. */
export interface RuleTargets {
  emails: readonly string[];
  phoneNumbers: readonly string[];
  apiNotification: { url: string } | null;
}

/** What the gateway says about a part of an input, such as `emails.1`. */
interface ErrorDetail {
  path: string;
  message: string;
}

/**
 * What the gateway says about the parts of an input; nothing if it was refused as a
 * whole, or has failed otherwise.
 */
export const errorDetails = (error: CombinedError): ErrorDetail[] =>
  error.graphQLErrors
    .flatMap(({ extensions }) => (extensions.details as ErrorDetail[] | undefined) ?? [])
    .map(({ path, message }) => ({ path: path.replace(/^input\./, ""), message }));

/** The most that the gateway accepts of each. */
const mostTargets = 50;

/**
 * What is the matter with what was entered, in words for the reader, by the field;
 * whatever else is the matter is left out.
 */
export function fieldProblems(
  error: CombinedError | undefined,
  sent: RuleTargets | undefined,
  messages: Messages,
): FieldProblems {
  const { problems } = messages.rules;
  const inWords: FieldProblems = {};
  for (const { path } of error && sent ? errorDetails(error) : []) {
    const [field, index] = path.split(".");
    if (field === "apiNotification")
      inWords.apiNotification = webhookProblem(sent?.apiNotification?.url ?? "", problems);
    if (field !== "emails" && field !== "phoneNumbers") continue;
    const wrong = sent?.[field][Number(index)];
    inWords[field] = lines(
      inWords[field],
      wrong === undefined ? problems.tooMany(mostTargets) : problems[field](wrong),
    );
  }
  return inWords;
}

/** Whether all that the gateway says is among what the fields say. */
export function isAllIn(problems: FieldProblems, error: CombinedError): boolean {
  const details = errorDetails(error);
  return details.length > 0 && details.every(({ path }) => Object.hasOwn(problems, path.split(".")[0] ?? ""));
}

type FieldProblems = Partial<Record<keyof RuleTargets, string>>;

const lines = (before: string | undefined, next: string) =>
  before === undefined ? next : `${before}\n${next}`;

function webhookProblem(url: string, problems: Messages["rules"]["problems"]): string {
  const { username, password } = URL.canParse(url) ? new URL(url) : { username: "", password: "" };
  return username || password ? problems.webhookCredentials : problems.webhook(url);
}
