// Sends the requests of the docs page as shown, and fills in existing values.

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

const dayInSeconds = 24 * 3600;

/** @typedef {{ name: string, header: string, curl: string }} Credentials */
/** @typedef {{ method: string, target: string, headers: Record<string, string>, body: string | FormData | undefined, curl: string[] }} ShownRequest */
/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field */

const token = /** @type {HTMLInputElement} */ (document.getElementById("token"));
const apiKey = /** @type {HTMLInputElement} */ (document.getElementById("api-key"));
const contents = /** @type {HTMLElement} */ (document.getElementById("contents"));
const forms = /** @type {HTMLFormElement[]} */ ([...document.querySelectorAll("form[data-path]")]);

/**
 * @param {ParentNode} parent
 * @param {string} selector
 */
const within = (parent, selector) => /** @type {HTMLElement} */ (parent.querySelector(selector));

/**
 * The entered credentials, without characters copied along with them: blanks, invisible
 * characters, and the rest of the header.
 * @param {HTMLInputElement} field
 */
const enteredIn = ({ value }) =>
  value
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu, "")
    .replace(/^\s*(?:authorization\s*:)?\s*(?:bearer\s)?/i, "")
    .replace(/\s|^:|:$/g, "");

/**
 * The credentials that a form sends; undefined if the reader has entered none that the
 * form accepts.
 * @param {string[]} accepted
 * @returns {Credentials | undefined}
 */
function credentialsFor(accepted) {
  const [bearer, key] = [enteredIn(token), enteredIn(apiKey)];
  if (bearer && accepted.includes("bearer"))
    return { name: "the token", header: `Bearer ${bearer}`, curl: '-H "Authorization: Bearer $TOKEN"' };
  if (key && accepted.includes("apiKey"))
    return { name: "the API key", header: `Basic ${btoa(`${key}:`)}`, curl: '-u "$API_KEY:"' };
  return undefined;
}

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * The request that a form shows, without its credentials.
 * @param {HTMLFormElement} form
 * @returns {ShownRequest}
 */
function shownRequest(form) {
  const { method = "", path = "", type = "" } = form.dataset;
  const fields = /** @type {Field[]} */ ([...form.querySelectorAll("[data-in]")]);
  const placed = (/** @type {string} */ place) => fields.filter((field) => field.dataset.in === place);
  const query = new URLSearchParams(
    placed("query").flatMap(({ name, value }) => (value === "" ? [] : [[name, value]])),
  );
  const target = placed("path").reduce(
    (text, { name, value }) => text.replace(`{${name}}`, () => encodeURIComponent(value)),
    path,
  );
  const search = query.size > 0 ? `?${query}` : "";
  const entered = placed("header").filter(({ value }) => value !== "");
  const headers = Object.fromEntries(entered.map(({ name, value }) => [name, value]));
  const curl = entered.map(({ name, value }) => `-H ${quoted(`${name}: ${value}`)}`);
  const request = { method, target: `${target}${search}`, headers, body: undefined, curl };
  if (type === "multipart/form-data") {
    const form = formOf(placed("body"));
    return { ...request, body: form.body, curl: [...curl, ...form.curl] };
  }
  const body = placed("body")[0]?.value;
  if (body === undefined) return request;
  return {
    ...request,
    headers: { ...headers, "Content-Type": type },
    body,
    curl: [...curl, `-H 'Content-Type: ${type}'`, `--data-raw ${quoted(body)}`],
  };
}

/** @param {Field[]} parts */
function formOf(parts) {
  const body = new FormData();
  const curl = [];
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

/** @param {HTMLFormElement} form */
const acceptedBy = (form) => form.dataset.accepts?.split(" ").filter(Boolean) ?? [];

/**
 * Shows a form's request as curl, with names of variables in place of credentials.
 * @param {HTMLFormElement} form
 */
function showCurl(form) {
  const { method, target, curl } = shownRequest(form);
  const accepted = acceptedBy(form);
  const standIn = accepted.includes("bearer") ? '-H "Authorization: Bearer $TOKEN"' : '-u "$API_KEY:"';
  const authorization = accepted.length > 0 ? [credentialsFor(accepted)?.curl ?? standIn] : [];
  const download = form.dataset.path?.endsWith("/export") ? ["-OJ"] : [];
  const first = `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(location.origin + target)}`;
  within(form, ".curl pre").textContent = [first, ...download, ...authorization, ...curl].join(" \\\n  ");
}

/**
 * Shows the Unix timestamps of a form as dates.
 * @param {HTMLFormElement} form
 */
function showInstants(form) {
  for (const output of form.querySelectorAll("output")) {
    const text = /** @type {HTMLInputElement} */ (document.getElementById(output.htmlFor.value)).value;
    const instant = new Date(Number(text) * (Number(text) < 100_000_000_000 ? 1000 : 1));
    output.value = text === "" || Number.isNaN(instant.getTime()) ? "" : instant.toISOString();
  }
}

/**
 * @param {string} method
 * @param {string} target
 * @param {Credentials | undefined} credentials
 * @param {{ headers?: Record<string, string>, body?: string | FormData | undefined }} [content]
 */
function send(method, target, credentials, { headers = {}, body } = {}) {
  const authorization = credentials && { Authorization: credentials.header };
  // Omit the browser's credentials: the browser would ask for a password itself.
  return fetch(target, {
    method,
    headers: { ...headers, ...authorization },
    body: body ?? null,
    credentials: "omit",
    cache: "no-store",
  });
}

/** @param {HTMLFormElement} form */
async function sendForm(form) {
  const state = within(form, ".state");
  const accepted = acceptedBy(form);
  await examples;
  const { method, target, ...content } = shownRequest(form);
  const credentials = credentialsFor(accepted);
  if (accepted.length > 0 && !credentials) {
    const names = accepted.map((name) => (name === "bearer" ? "a token" : "an API key")).join(" or ");
    state.replaceChildren(
      `Not sent: enter ${names} under `,
      element("a", { href: "#authentication", textContent: "Authentication" }),
      ".",
    );
    return;
  }
  if (
    method === "DELETE" &&
    !confirm(`${method} ${decodeURIComponent(target)}\n\nThis cannot be undone. Send it?`)
  )
    return;
  state.textContent = `Sending with ${credentials?.name ?? "no credentials"} …`;
  const start = performance.now();
  const response = await send(method, target, credentials, content);
  const body = await response.blob();
  const duration = Math.round(performance.now() - start);
  const size =
    body.size < 10_000 ? `${body.size} bytes` : `${Math.round(body.size / 1024).toLocaleString("en")} KiB`;
  const status = element("strong", {
    className: response.ok ? "good" : "bad",
    textContent: `${response.status} ${response.statusText}`.trim(),
  });
  state.replaceChildren(
    status,
    ` in ${duration} ms, ${size}, sent with ${credentials?.name ?? "no credentials"}`,
  );
  await showResponse(within(form, ".response"), response, body);
}

/**
 * @param {HTMLElement} panel
 * @param {Response} response
 * @param {Blob} body
 */
async function showResponse(panel, response, body) {
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

/**
 * Marks up the parts of JSON, and turns URLs into links.
 * @param {string} json
 */
function* highlighted(json) {
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

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<HTMLElementTagNameMap[Name]>} properties
 * @param {Node[]} children
 */
function element(name, properties, ...children) {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
}

/**
 * Reads records of the caller from the API, so that reads can be tried as shown.
 * @param {Credentials} credentials
 */
async function findExamples(credentials) {
  const read = async (/** @type {string} */ target) => {
    const response = await send("GET", target, credentials);
    const body = await response.json();
    if (!response.ok) throw new Error(`${response.status} ${body.code}: ${body.message}`);
    return body.data;
  };
  const now = Math.floor(Date.now() / 1000);
  const [alert] = (await read(`/alerts?start=0&end=${now + dayInSeconds}&count=1`)).alerts;
  const [camera] = await read(alert ? `/cameras/${alert.cameraId}` : "/cameras");
  const [facility] = camera ? [{ id: camera.facilityId }] : await read("/facilities");
  const [job] = camera ? await read(`/cameras/${camera.id}/analysis_jobs`) : [];
  return {
    shown: camera?.name,
    values: {
      start: now - 7 * dayInSeconds,
      end: now,
      alertType: alert?.name,
      cameraId: camera?.id,
      facilityId: facility?.id,
      jobId: job?.id,
    },
  };
}

/** Fills existing values into the reads, except into edited fields. */
async function enterExamples() {
  const state = within(document, "#credentials-state");
  const credentials = credentialsFor(["bearer", "apiKey"]);
  state.textContent = "";
  if (!credentials) return;
  try {
    const { shown, values } = await findExamples(credentials);
    for (const [name, value] of Object.entries(values)) {
      const fields = /** @type {NodeListOf<HTMLInputElement>} */ (
        document.querySelectorAll(`[data-prefill="${name}"]`)
      );
      // An edited field keeps its value.
      for (const field of value === undefined ? [] : fields) field.defaultValue = String(value);
    }
    // The name may run from right to left.
    const camera = shown ? [" with the camera “", element("bdi", { textContent: shown }), "”"] : [];
    state.replaceChildren("Accepted. Reads are ready to try", ...camera, " and the last 7 days.");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    state.textContent = `${reason.startsWith("401 ") ? "Refused" : "Not checked"}: ${reason}`;
  }
}

function showRequests() {
  for (const form of forms) {
    showInstants(form);
    showCurl(form);
  }
}

// Show the requests before the examples arrive: growing them later would move the
// reader's place.
showRequests();
/** Settles once the examples are filled in. */
let examples = enterExamples().then(showRequests);

within(document, "#credentials").addEventListener("change", () => {
  examples = enterExamples().then(showRequests);
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
      within(form, ".state").textContent =
        `Not sent, or the response was cut off: ${error instanceof Error ? error.message : error}`;
    }
    form.ariaBusy = "false";
  });
  const copy = within(form, ".copy");
  // Browsers provide the clipboard only on localhost and over HTTPS.
  copy.hidden = !navigator.clipboard;
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(within(form, ".curl pre").textContent ?? "");
    within(form, ".state").textContent = "The curl command was copied.";
  });
}

contents.addEventListener("click", ({ target }) => {
  if (target instanceof Element && target.closest("a")) contents.hidePopover();
});

/** The links of the table of contents, by the id of their target. */
const links = new Map([...contents.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));

/**
 * Marks the link of the section that is being read.
 * @param {string} id
 */
function markCurrent(id) {
  const current = links.get(id);
  for (const link of links.values()) link.removeAttribute("aria-current");
  current?.setAttribute("aria-current", "true");
  const place = (current?.offsetTop ?? 0) - contents.scrollTop;
  // Avoid `scrollIntoView`, which would end a running scroll of the page.
  if (place < 0 || place > contents.clientHeight - 40)
    contents.scrollTop += place - contents.clientHeight / 2;
}

const reading = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) markCurrent(target.id);
  },
  // The section that crosses a line in the upper part of the window counts as being read.
  { rootMargin: "-20% 0px -80% 0px" },
);
for (const place of document.querySelectorAll("article, #authentication, #errors")) reading.observe(place);
