import type { CombinedError } from "urql";

interface ErrorDetail {
  path: string;
  message: string;
}

/** The gateway's messages about the parts of an input; empty if it refused the whole, or failed in another way. */
export const errorDetails = (error: CombinedError): ErrorDetail[] =>
  error.graphQLErrors
    .flatMap(({ extensions }) => (extensions.details as ErrorDetail[] | undefined) ?? [])
    .map(({ path, message }) => ({ path: path.replace(/^input\./, ""), message }));

/** The problems with the entered texts by field, in words for the reader. */
export type FieldProblems = Readonly<Record<string, string>>;

/** Says what each field accepts. `index` counts the entries of a list; undefined for a problem with the whole field. */
export type FieldRules = Readonly<Record<string, string | ((index: number | undefined) => string)>>;

/** The problems that the gateway reports, by the field of the form. Omits problems with fields that have no rule. */
export function fieldProblems(error: CombinedError | undefined, rules: FieldRules): FieldProblems {
  const problems: Record<string, string> = {};
  for (const { path } of error ? errorDetails(error) : []) {
    const [field = "", index] = path.split(".");
    const rule = Object.hasOwn(rules, field) ? rules[field] : undefined;
    if (rule === undefined) continue;
    const problem = typeof rule === "string" ? rule : rule(index === undefined ? undefined : Number(index));
    const before = problems[field]?.split("\n") ?? [];
    problems[field] = [...new Set([...before, problem])].join("\n");
  }
  return problems;
}

/** Whether the fields already show all problems that the gateway reports. */
export function isAllIn(problems: FieldProblems, error: CombinedError): boolean {
  const details = errorDetails(error);
  return details.length > 0 && details.every(({ path }) => Object.hasOwn(problems, path.split(".")[0] ?? ""));
}
