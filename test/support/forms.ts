/**
 * A multipart form as browsers send it: files, texts, and values as JSON. Omits undefined
 * values.
 */
export function formOf(values: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    if (value instanceof Uint8Array) form.set(name, new Blob([Uint8Array.from(value)]), "picture");
    else form.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return form;
}

/** A GraphQL operation whose variable, such as `input.image`, is a file. */
export interface UploadOperation {
  query: string;
  variables: object;
  file: Uint8Array;
  variable: string;
}

/** The request for an upload, by the GraphQL multipart request specification. */
export function uploadRequest({ query, variables, file, variable }: UploadOperation): RequestInit {
  const body = formOf({
    operations: { query, variables: withNull(variables, variable.split(".")) },
    map: { file: [`variables.${variable}`] },
    file,
  });
  return { method: "POST", headers: { "apollo-require-preflight": "true" }, body };
}

function withNull(value: object, [name, ...rest]: string[]): object {
  if (name === undefined) return value;
  const inner = (value as Record<string, object | undefined>)[name] ?? {};
  return { ...value, [name]: rest.length > 0 ? withNull(inner, rest) : null };
}
