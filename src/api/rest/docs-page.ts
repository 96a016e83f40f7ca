import { defined } from "../../platform/defined.js";
import { statusOfCode } from "../../platform/errors/errors.js";
import { pageHeader } from "../../platform/pages/header.js";
import { type Html, html, type Inserted } from "../../platform/text/html.js";

/** The parts of a JSON Schema that the page shows. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  const?: unknown;
  enum?: string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
}

interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

interface Operation {
  tags: string[];
  operationId: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema; example?: Record<string, unknown> }> };
  security?: object[];
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
  "x-permission"?: string;
  "x-graphql-operation": { name: string; field: string; document: string };
}

/** The parts of an OpenAPI description that the page shows. */
export interface ApiDescription {
  info: { title: string; description: string };
  tags: { name: string; description: string }[];
  security: object[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, { description: string }> };
}

interface Endpoint extends Operation {
  method: string;
  path: string;
  /** The names of the security schemes that the endpoint accepts, one of which is needed; none for an open endpoint. */
  accepts: string[];
}

const prose = (text: string) =>
  text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));

/** A path with optional line breaks before its slashes. */
const pathText = (path: string) =>
  path.split(/(?=\/)/).map((part, index) => [index > 0 && html`<wbr>`, part]);

const idOf = (tag: string) => tag.toLowerCase().replaceAll(" ", "-");

/** The names of parameters that the page's script fills with records of the reader. */
const filled = new Set(["start", "end", "alertType", "facilityId", "cameraId", "jobId", "alertId"]);

/**
 * The page that documents a REST API and sends requests to it, with a placeholder for its settings. Without
 * its script, the page lacks only the sending.
 */
export function docsPage(document: ApiDescription): string {
  return new Page(document).html().toString();
}

class Page {
  readonly #document: ApiDescription;
  readonly #groups: { name: string; description: string; endpoints: Endpoint[] }[];

  constructor(document: ApiDescription) {
    this.#document = document;
    const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        path,
        method: method.toUpperCase(),
        accepts: (operation.security ?? document.security).flatMap((scheme) => Object.keys(scheme)),
      })),
    );
    this.#groups = document.tags.map((tag) => ({
      ...tag,
      endpoints: endpoints.filter(({ tags }) => tags.includes(tag.name)),
    }));
  }

  html(): Html {
    const { title, description } = this.#document.info;
    return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}: REST</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/docs.css">
<!--settings-->
<script type="module" src="/docs/docs.js"></script>
</head>
<body>
${pageHeader("docs")}
<div class="bar" lang="en"><button type="button" popovertarget="contents">Contents</button></div>
<div class="document" lang="en">
${this.#navigation()}
<main id="content" tabindex="-1">
<h1>${title}: REST</h1>
<p class="lead">${prose(description)}</p>
<p>The same data and rules are served as GraphQL: try it in the <a href="/graphql">playground</a>. For code generators there is
<a href="/openapi.json">openapi.json</a>.</p>
<noscript><p class="note">Sending requests from this page needs JavaScript. Reading it does not.</p></noscript>
${this.#authentication()}
<section id="errors" aria-labelledby="errors-title">
<h2 id="errors-title">Errors</h2>
<p>Failures have the status that fits, and this body. Each endpoint lists the codes that it responds with.</p>
${this.#fields(defined(this.#document.components.schemas.Error))}
</section>
${this.#groups.map((group) => this.#group(group))}
</main>
</div>
</body>
</html>
`;
  }

  #navigation(): Html {
    const link = ({ operationId, method, path, summary }: Endpoint) =>
      html`<li><a href="#${operationId}" title="${summary}">${methodLabel(method)} <span>${pathText(path)}</span></a></li>`;
    return html`<nav id="contents" aria-label="Contents" popover>
<ul><li><a href="#authentication">Authentication</a></li><li><a href="#errors">Errors</a></li></ul>
${this.#groups.map(({ name, endpoints }) => html`<h2><a href="#${idOf(name)}">${name}</a></h2><ul>${endpoints.map(link)}</ul>`)}
</nav>`;
  }

  #authentication(): Html {
    const { bearer, apiKey } = this.#document.components.securitySchemes;
    return html`<section id="authentication" aria-labelledby="authentication-title">
<h2 id="authentication-title">Authentication</h2>
<p>Send <code>Authorization: Bearer &lt;token&gt;</code>, or an API key with Basic authentication, as <code>curl -u "$API_KEY:"</code> does.</p>
<dl class="facts">
<div><dt>Token</dt><dd>${prose(bearer?.description ?? "")}</dd></div>
<div><dt>API key</dt><dd>${prose(apiKey?.description ?? "")}
The demo's key is printed at its first start, and kept as <code>demo-api-key</code> in its data folder.</dd></div>
</dl>
<p>The requests of this page are sent with your session, which all pages share. Where an API key is accepted, the one entered here is
sent instead, and kept nowhere.</p>
<form id="credentials" class="panel" autocomplete="off">
<div class="field"><label for="api-key">API key or token</label><p class="hint" id="api-key-hint">In place of your session.</p>
<input id="api-key" type="password" autocomplete="off" aria-describedby="api-key-hint"></div>
<p id="credentials-state" role="status"></p>
</form>
</section>`;
  }

  #group({
    name,
    description,
    endpoints,
  }: {
    name: string;
    description: string;
    endpoints: Endpoint[];
  }): Html {
    return html`<section id="${idOf(name)}" aria-labelledby="${idOf(name)}-title">
<h2 id="${idOf(name)}-title">${name}</h2>
<p>${prose(description)}</p>
${endpoints.map((endpoint) => this.#endpoint(endpoint))}
</section>`;
  }

  #endpoint(endpoint: Endpoint): Html {
    const {
      operationId,
      method,
      path,
      summary,
      description,
      "x-permission": permission,
      "x-graphql-operation": twin,
    } = endpoint;
    return html`<article id="${operationId}" aria-labelledby="${operationId}-title">
<h3 id="${operationId}-title"><a href="#${operationId}">${prose(summary)}</a></h3>
<p class="endpoint">${methodLabel(method)} <code>${pathText(path)}</code></p>
<div class="columns">
<div class="reference">
<p>${prose(description)}</p>
<dl class="facts">
<div><dt>Permission</dt><dd>${permission ? html`<code>${permission}</code>` : "none"}</dd></div>
<div><dt>Credentials</dt><dd>${credentialsOf(endpoint)}</dd></div>
<div><dt>GraphQL twin</dt><dd><code>${twin.field}</code></dd></div>
</dl>
<details><summary>GraphQL document <code>${twin.name}</code></summary><pre tabindex="0"><code>${twin.document}</code></pre></details>
${this.#responses(endpoint)}
</div>
${this.#request(endpoint)}
</div>
</article>`;
  }

  #responses({ responses }: Endpoint): Html {
    const { 200: success, ...others } = responses;
    const [type, content] = Object.entries(success?.content ?? {})[0] ?? [];
    const shown = content?.schema.format === "binary" ? undefined : content?.schema;
    return html`<h4>Response</h4>
<p>${success?.description}${type && html`, <code>${type}</code>`}</p>
${shown && this.#fields(shown)}
<details><summary>Other responses: ${Object.keys(others).join(", ")}</summary>
<ul class="fields">${Object.entries(others).map(([status, { description }]) => html`<li>${status} <code>${codeOf(status)}</code> ${prose(description)}</li>`)}</ul>
</details>`;
  }

  #request(endpoint: Endpoint): Html {
    const { operationId, method, path, parameters, requestBody, accepts } = endpoint;
    const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
    const isForm = type === "multipart/form-data";
    const optional = parameters.filter(({ required }) => !required);
    const name = `${method} ${path}`;
    return html`<form class="panel" autocomplete="off" aria-label="Request ${name}" data-method="${method}" data-path="${path}"
data-accepts="${accepts.join(" ")}" data-type="${type}">
<h4>Request</h4>
${parameters.filter(({ required }) => required).map((parameter) => this.#parameter(endpoint, parameter))}
${
  optional.length > 0 &&
  html`<details><summary>Optional: ${optional.map(({ name }) => name).join(", ")}</summary>${optional.map((each) => this.#parameter(endpoint, each))}</details>`
}
${body && (isForm ? this.#formParts(operationId, body.schema, body.example) : this.#jsonBody(endpoint, body.schema, body.example))}
${method !== "GET" && html`<p class="note">${safetyOf(endpoint)}</p>`}
<div class="curl" hidden>
<div class="title"><span>As curl</span><button type="button" class="copy">Copy<span class="visually-hidden"> curl for ${name}</span></button></div>
<pre tabindex="0" role="region" aria-label="${name} as curl"></pre>
</div>
<button type="submit" class="try" hidden>TRY <span class="visually-hidden">${name}</span></button>
<p class="state" role="status"></p>
<div class="response" hidden>
<dl class="facts headers"></dl>
<pre class="json" tabindex="0" role="region" aria-label="Response body of ${name}"></pre>
<p class="download"></p>
</div>
</form>`;
  }

  #parameter(
    { operationId }: Endpoint,
    { name, in: location, required, description = "", schema, example }: Parameter,
  ): Html {
    const id = `${operationId}-${location}-${name}`;
    const value = required ? [example].flat().join(",") : "";
    const prefill = required && filled.has(name) && html` data-prefill="${name}"`;
    const attributes = html`id="${id}" name="${name}" data-in="${location}" aria-describedby="${id}-hint"${prefill}${location === "path" && html` required`}`;
    const choices = schema.enum ?? (schema.type === "boolean" && ["true", "false"]);
    const type = [this.#typeOf(schema), ...limitsOf(schema)].join(", ");
    const hint = `${type}. ${sentence(description)}${required || choices ? "" : ` Example: \`${[example].flat().join(",")}\`.`}`;
    const option = (choice: string) => html`<option${choice === value && html` selected`}>${choice}</option>`;
    return field(id, name, required ? `${location}, required` : location, hint, [
      choices
        ? html`<select ${attributes}>${!required && html`<option value="">not sent</option>`}${choices.map(option)}</select>`
        : html`<input ${attributes} type="text" spellcheck="false" value="${value}"${schema.type === "integer" && html` inputmode="numeric"`}>`,
      schema.format === "int64" && html`<output class="hint" for="${id}"></output>`,
    ]);
  }

  #formParts(
    operationId: string,
    { properties = {}, required = [] }: Schema,
    example: Record<string, unknown> = {},
  ): Html[] {
    return Object.entries(properties).map(([name, schema]) => {
      const id = `${operationId}-body-${name}`;
      const attributes = html`id="${id}" name="${name}" data-in="body" aria-describedby="${id}-hint"`;
      const input =
        schema.format === "binary"
          ? html`<input ${attributes} type="file" accept="image/jpeg,image/png,image/webp" data-example="${String(example[name])}">`
          : html`<input ${attributes} type="text" spellcheck="false" value="${String(example[name])}">`;
      return field(
        id,
        name,
        required.includes(name) ? "required" : "",
        `${this.#typeOf(schema)}. ${sentence(schema.description ?? "")}`,
        [input],
      );
    });
  }

  #jsonBody(endpoint: Endpoint, schema: Schema, example: Record<string, unknown> = {}): Html {
    const id = `${endpoint.operationId}-body`;
    const shown = JSON.stringify(concernsCaller(endpoint) ? withoutTexts(example) : example, null, 2);
    const hint = concernsCaller(endpoint) ? `For example \`${JSON.stringify(example)}\`` : "";
    // Add a row, because a narrow window may break a line.
    const rows = shown.split("\n").length + 1;
    return html`${field(id, "Body", "application/json", hint, [
      html`<textarea id="${id}" data-in="body" aria-describedby="${id}-hint" rows="${rows}" spellcheck="false">${shown}</textarea>`,
    ])}
<details><summary>Fields of the body</summary>${this.#fields(schema, true)}</details>`;
  }

  #fields(schema: Schema, marksRequired = false): Html {
    const { properties = {}, required = [] } = this.#resolved(this.#objectIn(schema) ?? schema);
    const entries = Object.entries(properties).map(([name, each]) => {
      const inner = this.#objectIn(each);
      const described = each.description ?? this.#resolved(each).description ?? "";
      const type = [this.#typeOf(each), ...limitsOf(this.#resolved(each))].join(", ");
      return html`<li><code>${name}</code> <span class="type">${type}</span>
${marksRequired && required.includes(name) && html`<span class="kind">required</span>`} ${described && html`<span class="description">${prose(sentence(described))}</span>`}
${inner && html`<details><summary>Fields of <code>${name}</code></summary>${this.#fields(inner, marksRequired)}</details>`}</li>`;
    });
    return html`<ul class="fields">${entries}</ul>`;
  }

  /** The object that a schema describes, directly, in a list or as an alternative. */
  #objectIn(schema: Schema): Schema | undefined {
    const found = this.#resolved(schema);
    if (found.properties) return found;
    if (found.items) return this.#objectIn(found.items);
    return found.anyOf?.map((each) => this.#objectIn(each)).find(Boolean);
  }

  #resolved(schema: Schema): Schema {
    return schema.$ref
      ? defined(this.#document.components.schemas[schema.$ref.replace("#/components/schemas/", "")])
      : schema;
  }

  #typeOf(schema: Schema): string {
    const { $ref, anyOf, items } = schema;
    if ($ref)
      return this.#resolved(schema).properties
        ? $ref.replace("#/components/schemas/", "")
        : this.#typeOf(this.#resolved(schema));
    if (anyOf) return anyOf.map((each) => this.#typeOf(each)).join(" or ");
    if ("const" in schema) return JSON.stringify(schema.const);
    const name = items ? `list of ${this.#typeOf(items)}` : formats[schema.format ?? ""];
    return [schema.type ?? "string"]
      .flat()
      .map((type) => (type === "null" ? type : (name ?? type)))
      .join(" or ");
  }
}

const formats: Record<string, string> = {
  uuid: "UUID",
  "date-time": "timestamp",
  uri: "URL",
  email: "email address",
  binary: "file",
};

function limitsOf({ enum: values, minimum, maximum, maxItems, default: preset }: Schema): string[] {
  return [
    ...(values ? [`one of ${values.join(", ")}`] : []),
    ...(minimum !== undefined && maximum !== undefined
      ? [`${minimum} to ${maximum}`]
      : minimum !== undefined
        ? [`at least ${minimum}`]
        : []),
    ...(maxItems !== undefined ? [`at most ${maxItems}`] : []),
    ...(preset !== undefined ? [`by default ${preset}`] : []),
  ];
}

const sentence = (text: string) => text.replace(/(?<![.]|^)$/, ".");

const methodLabel = (method: string) => html`<span class="method ${method.toLowerCase()}">${method}</span>`;

function field(id: string, name: string, note: string, hint: string, controls: Inserted[]): Html {
  return html`<div class="field"><label for="${id}">${name} <span class="kind">${note}</span></label>
<p class="hint" id="${id}-hint">${prose(hint)}</p>${controls}</div>`;
}

function credentialsOf({ accepts }: Endpoint): string {
  if (accepts.length === 0) return "none";
  if (accepts.length > 1) return "token or API key";
  return accepts.includes("bearer") ? "token only" : "API key only, with Basic authentication";
}

const codeOf = (status: string) =>
  Object.entries(statusOfCode).find(
    ([code, each]) => String(each) === status && !code.startsWith("GRAPHQL_"),
  )?.[0];

/** Whether a request changes the caller. No id in such a request can be a placeholder. */
const concernsCaller = ({ parameters }: Endpoint) =>
  parameters.every(({ in: location }) => location === "header");

/** A body with the members of the example that the endpoint refuses. */
const withoutTexts = (example: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(example).map((name) => [name, ""]));

/** The effect of a write as the page shows it, before the reader has entered anything. */
function safetyOf(endpoint: Endpoint): Inserted[] {
  const { accepts, method, parameters } = endpoint;
  const isFilled = parameters.some(({ name, required }) => required && filled.has(name));
  return [
    concernsCaller(endpoint)
      ? "As shown it is refused and changes nothing: enter the values."
      : isFilled
        ? "With credentials, the ids become those of your records: it changes them."
        : "As shown it changes nothing: the id is a placeholder that nothing has.",
    isFilled &&
      (method === "DELETE"
        ? " You are asked before it is sent."
        : " You are asked before it is sent as shown."),
    accepts.join() === "apiKey" &&
      html` It is sent with the API key under <a href="#authentication">Authentication</a>.`,
  ];
}
