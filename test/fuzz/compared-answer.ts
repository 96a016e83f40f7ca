import type { Execution } from "../graphql/execution-observer.js";

/** The request. */
export interface Asked {
  query: string;
  variables: Record<string, unknown>;
  operationName?: string | undefined;
}

/** An answer in its compared form, with its origin. */
export interface Answer {
  text: string;
  /** The parsed answer; undefined if it is not JSON. */
  parsed: Result | undefined;
  statements: string[];
  executions: Execution[];
}

interface Result {
  data?: Record<string, unknown> | null;
  errors?: { message: string; path?: readonly (string | number)[]; extensions: { code: string } }[];
}

/** White space between the tokens of a JSON text; texts are matched to be left alone. */
const spaceOrText = /"(?:[^"\\]|\\.)*"|\s+/g;

/**
 * The answer with this text. Without errors, compares the text itself except for white
 * space, because parsing would hide repeated members.
 */
export function answerOf(
  text: string,
  statements: readonly string[],
  executions: readonly Execution[],
): Answer {
  const ways = { statements: [...statements], executions: [...executions] };
  try {
    const parsed = JSON.parse(text) as Result;
    return {
      text: parsed.errors
        ? textWithErrors(parsed)
        : text.replace(spaceOrText, (token) => (token.startsWith('"') ? token : "")),
      parsed,
      ...ways,
    };
  } catch {
    return { text, parsed: undefined, ...ways };
  }
}

/**
 * The same answer under the name of another operation's field, below the objects around
 * it.
 */
export function renamed(
  answer: Answer,
  field: string,
  path: readonly string[],
  around: (text: string) => string,
): Answer {
  const { parsed } = answer;
  if (!parsed?.errors)
    return { ...answer, text: around(answer.text.slice(`{"data":{"${field}":`.length, -2)) };
  const errors = parsed.errors.map(({ path: place, ...error }) => ({
    ...error,
    ...(place && { path: [...path, ...place.slice(1)] }),
  }));
  return {
    ...answer,
    text: textWithErrors({ ...JSON.parse(around(JSON.stringify(parsed.data?.[field]))), errors }),
  };
}

/**
 * The compared part of an answer with errors: everything but places in the document,
 * which differ. If an error makes more than its own field null, the specification leaves
 * open which of several errors are reported there, and graphql-js stops at the first.
 * Then only the path is compared. Fields side by side fail in the order in which their data arrives.
 */
function textWithErrors({ data, errors = [] }: Result): string {
  const shown: string[] = [];
  const nullPlaces = new Set<string>();
  for (const { message, path, extensions } of errors) {
    const place = path && nullPlaceOn(path, data);
    if (place) nullPlaces.add(JSON.stringify({ path: place }));
    else shown.push(JSON.stringify({ message, path, extensions }));
  }
  return JSON.stringify({ data, errors: shown.sort(), nullPlaces: [...nullPlaces].sort() });
}

/**
 * The place of the null above the field of an error; undefined if no more than the field
 * itself is null.
 */
function nullPlaceOn(
  path: readonly (string | number)[],
  data: unknown,
): readonly (string | number)[] | undefined {
  let value = data;
  for (const [depth, key] of path.entries()) {
    if (value == null) return path.slice(0, depth);
    value = (value as Record<string, unknown>)[key];
  }
  return undefined;
}

/** A difference, with everything that is needed to understand it. */
export class Difference extends Error {
  constructor(what: string, { query, variables, operationName }: Asked, expected: Answer, actual: Answer) {
    const asked = [
      query,
      JSON.stringify(variables),
      ...(operationName === undefined ? [] : [`operationName: ${operationName}`]),
    ];
    super(
      [
        what,
        ...asked,
        ...described("graphql-js", expected, actual),
        ...described("The other", actual, expected),
      ].join("\n"),
    );
  }
}

function described(who: string, { text, statements, executions }: Answer, { text: other }: Answer): string[] {
  const end = [...text].findIndex((character, index) => character !== other[index]);
  const start = Math.max(0, end - 60);
  return [
    `${who} (${executions.join(", ")}), from character ${start} on: ${text.slice(start, start + 300)}`,
    `  all of it: ${text}`,
    ...statements.map((each) => `  ${each}`),
  ];
}
