import { credentialsFor, curlStandIn } from "./credentials.js";
import { within } from "./elements.js";

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

interface ShownRequest {
  method: string;
  target: string;
  headers: Record<string, string>;
  body: string | FormData | undefined;
  /** The options of the curl command that sends the same. */
  curl: string[];
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const fieldsOf = (form: HTMLFormElement) => [...form.querySelectorAll<Field>("[data-in]")];

export function shownRequest(form: HTMLFormElement): ShownRequest {
  const { method = "", path = "", type = "" } = form.dataset;
  const fields = fieldsOf(form);
  const fieldsIn = (location: string) => fields.filter((field) => field.dataset.in === location);
  const query = new URLSearchParams(
    fieldsIn("query").flatMap(({ name, value }) => (value === "" ? [] : [[name, value]])),
  );
  const target = fieldsIn("path").reduce(
    (text, { name, value }) => text.replace(`{${name}}`, () => encodeURIComponent(value)),
    path,
  );
  const search = query.size > 0 ? `?${query}` : "";
  const entered = fieldsIn("header").filter(({ value }) => value !== "");
  const headers = Object.fromEntries(entered.map(({ name, value }) => [name, value]));
  const curl = entered.map(({ name, value }) => `-H ${quoted(`${name}: ${value}`)}`);
  const request = { method, target: `${target}${search}`, headers, body: undefined, curl };
  if (type === "multipart/form-data") {
    const form = formOf(fieldsIn("body"));
    return { ...request, body: form.body, curl: [...curl, ...form.curl] };
  }
  const body = fieldsIn("body")[0]?.value;
  if (body === undefined) return request;
  return {
    ...request,
    headers: { ...headers, "Content-Type": type },
    body,
    curl: [...curl, `-H 'Content-Type: ${type}'`, `--data-raw ${quoted(body)}`],
  };
}

function formOf(parts: Field[]) {
  const body = new FormData();
  const curl: string[] = [];
  for (const part of parts) {
    const file = part instanceof HTMLInputElement ? part.files?.[0] : undefined;
    if (file) body.append(part.name, file);
    else if (part.type !== "file") body.append(part.name, part.value);
    if (part.type === "file")
      curl.push(`-F ${quoted(`${part.name}=@${file?.name ?? part.dataset.example}`)}`);
    else curl.push(`--form-string ${quoted(`${part.name}=${part.value}`)}`);
  }
  return { body, curl };
}

/** Whether the reader has entered nothing into a form. */
export const isAsShown = (form: HTMLFormElement): boolean =>
  fieldsOf(form).every((field) =>
    field instanceof HTMLSelectElement
      ? (field.selectedOptions[0]?.defaultSelected ?? true) || field.value === ""
      : field.type === "file"
        ? field.value === ""
        : field.value === field.defaultValue,
  );

/** The security schemes that a form's request accepts. */
export const acceptedBy = (form: HTMLFormElement): string[] =>
  form.dataset.accepts?.split(" ").filter(Boolean) ?? [];

/** Shows a form's request as curl, with names of variables in place of credentials. */
export function showCurl(form: HTMLFormElement): void {
  const { method, target, curl } = shownRequest(form);
  const accepted = acceptedBy(form);
  const authorization = accepted.length > 0 ? [credentialsFor(accepted)?.curl ?? curlStandIn(accepted)] : [];
  const download = form.dataset.path?.endsWith("/export") ? ["-OJ"] : [];
  const first = `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(location.origin + target)}`;
  within(form, ".curl pre").textContent = [first, ...download, ...authorization, ...curl].join(" \\\n  ");
}

/** Shows the Unix timestamps of a form as dates. */
export function showInstants(form: HTMLFormElement): void {
  for (const output of form.querySelectorAll("output")) {
    const text = (document.getElementById(output.htmlFor.value) as HTMLInputElement).value;
    const instant = new Date(Number(text) * (Number(text) < 100_000_000_000 ? 1000 : 1));
    output.value = text === "" || Number.isNaN(instant.getTime()) ? "" : instant.toISOString();
  }
}
