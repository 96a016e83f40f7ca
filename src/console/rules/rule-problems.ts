import type { CombinedError } from "urql";
import type { Messages } from "../language/en.js";

/** The targets of a rule, as the form sent them. */
export interface RuleTargets {
  emails: readonly string[];
  phoneNumbers: readonly string[];
  apiNotification: { url: string } | null;
}

/** The gateway's message about a part of an input, such as `emails.1`. */
interface ErrorDetail {
  path: string;
  message: string;
}

/**
 * The gateway's messages about the parts of an input. Empty if the gateway refused the
 * whole input, or if the request failed in another way.
 */
export const errorDetails = (error: CombinedError): ErrorDetail[] =>
  error.graphQLErrors
    .flatMap(({ extensions }) => (extensions.details as ErrorDetail[] | undefined) ?? [])
    .map(({ path, message }) => ({ path: path.replace(/^input\./, ""), message }));

/** The maximum number of each kind of target that the gateway accepts. */
const mostTargets = 50;

/**
 * The problems with the entered texts, by field, in words for the reader. Omits all other
 * problems.
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

/** Whether the fields already show all problems that the gateway reports. */
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
