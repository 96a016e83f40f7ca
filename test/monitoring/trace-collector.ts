import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { close, listen } from "../support/listening.js";

/** A value in OTLP's JSON. */
interface Value {
  stringValue?: string;
  intValue?: number | string;
  boolValue?: boolean;
  arrayValue?: { values: Value[] };
}

interface ExportedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Value }[];
  links?: { traceId: string; spanId: string }[];
  status: { code?: number };
}

interface ExportRequest {
  resourceSpans: {
    resource: { attributes: ExportedSpan["attributes"] };
    scopeSpans: { spans: ExportedSpan[] }[];
  }[];
}

/** An exported span. */
export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: "internal" | "server" | "client";
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  isFailed: boolean;
}

const kinds: Record<number, Span["kind"]> = { 1: "internal", 2: "server", 3: "client" };

/** A collector that receives spans by OTLP, as JSON over HTTP. */
export interface TraceCollector {
  url: string;
  spans: Span[];
  /** The services that sent them. */
  services: Set<unknown>;
  close(): void;
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: Span[] = [];
  const services = new Set<unknown>();
  const server = createServer(async (request, response) => {
    const isGzip = request.headers["content-encoding"] === "gzip";
    const body = isGzip ? gunzipSync(Buffer.concat(await request.toArray())).toString() : await text(request);
    if (request.method !== "POST" || request.url !== "/v1/traces") return void response.writeHead(404).end();
    const { resourceSpans } = JSON.parse(body) as ExportRequest;
    for (const { resource, scopeSpans } of resourceSpans) {
      services.add(attributesOf(resource.attributes)["service.name"]);
      spans.push(...scopeSpans.flatMap((scope) => scope.spans.map(readSpan)));
    }
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    spans,
    services,
    close: () => close(server),
  };
}

function readSpan({ parentSpanId, kind, attributes, links = [], status, ...span }: ExportedSpan): Span {
  return {
    ...span,
    parentSpanId: parentSpanId || undefined,
    kind: kinds[kind] as Span["kind"],
    attributes: attributesOf(attributes),
    links: links.map(({ traceId, spanId }) => ({ traceId, spanId })),
    isFailed: status.code === 2,
  };
}

const attributesOf = (attributes: ExportedSpan["attributes"]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]));

function readValue({ stringValue, intValue, boolValue, arrayValue }: Value): unknown {
  if (arrayValue) return arrayValue.values.map(readValue);
  return stringValue ?? (intValue === undefined ? boolValue : Number(intValue));
}
