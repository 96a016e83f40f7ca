import { element, within } from "./elements.js";

/** The maximum length of a shown response. Longer texts would slow the page down. */
const maxShownCharacters = 100_000;

/** The headers of a response to show beside its body. */
const shownHeaders = [
  "content-type",
  "content-disposition",
  "etag",
  "x-ignored-parameters",
  "retry-after",
  "www-authenticate",
];

/** Shows a response below its request. */
export async function showResponse(panel: HTMLElement, response: Response, body: Blob): Promise<void> {
  const entries = shownHeaders.flatMap((name) => {
    const value = response.headers.get(name);
    return value
      ? [element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: value }))]
      : [];
  });
  within(panel, ".headers").replaceChildren(...entries);
  const isJson = body.size > 0 && response.headers.get("content-type")?.includes("json");
  const text = isJson ? JSON.stringify(JSON.parse(await body.text()), null, 2) : "";
  const shown = within(panel, "pre");
  shown.hidden = !isJson;
  shown.replaceChildren(...highlighted(text.slice(0, maxShownCharacters)));
  const download = within(panel, ".download");
  for (const link of download.querySelectorAll("a")) URL.revokeObjectURL(link.href);
  const isComplete = isJson && text.length <= maxShownCharacters;
  if (body.size === 0) download.replaceChildren("The response has no body.");
  else if (isComplete) download.replaceChildren();
  else {
    const name =
      /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "response.json";
    const excerpt = `The first ${maxShownCharacters.toLocaleString("en")} of ${text.length.toLocaleString("en")} characters are shown. `;
    download.replaceChildren(
      isJson ? excerpt : "",
      element("a", { href: URL.createObjectURL(body), download: name, textContent: `Save ${name}` }),
    );
  }
  panel.hidden = false;
}

/** Marks up the parts of JSON, and turns URLs into links. */
function* highlighted(json: string): Generator<Node | string> {
  let end = 0;
  for (const match of json.matchAll(/("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g)) {
    const [text, string, colon] = match;
    yield json.slice(end, match.index);
    end = match.index + text.length;
    if (string && !colon && /^"https?:/.test(string))
      yield element("a", {
        href: JSON.parse(string),
        target: "_blank",
        rel: "noreferrer",
        textContent: text,
      });
    else
      yield element("span", { className: colon ? "key" : string ? "string" : "literal", textContent: text });
  }
  yield json.slice(end);
}
