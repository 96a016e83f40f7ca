import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { LRUCache } from "lru-cache";
import { type ErrorCode, leastServerError, statusOfCode } from "../errors/errors.js";

/** The number of objects whose trace is remembered. */
const maxRememberedTraces = 10_000;
/** The maximum number of traces that one message links to. */
const maxLinks = 16;
const maxStatementLength = 2_000;

interface TracingOptions {
  tracer: Tracer;
  /** Reads and writes the headers `traceparent` and `tracestate`. */
  propagator: TextMapPropagator;
  /** The name of a GraphQL operation in traces. Clients may choose any name. */
  operationName: (name: string | undefined) => string;
}

/** Headers that continue a trace in another system. */
export type TraceHeaders = Readonly<Record<string, string>>;

export interface StatementDescription {
  /** The operation and its subject, such as `SELECT Camera` or `Camera findMany`. */
  summary: string;
  /** The text, with parameters instead of values. */
  text?: string | undefined;
}

/**
 * Records the gateway's work as OpenTelemetry spans, without values of statements and without ids, names and
 * addresses of customers. Exists only if traces are exported.
 */
export class Tracing {
  readonly #options: TracingOptions;
  /** The traces in which objects were recorded, by the ids of the objects: for messages about them. */
  readonly #recordingTraces = new LRUCache<string, SpanContext>({ max: maxRememberedTraces });

  constructor(options: TracingOptions) {
    this.#options = options;
  }

  /** Starts the span of a request. It continues the trace in the headers. */
  startRequest(name: string, headers: object = {}, attributes: Attributes = {}): RequestTrace {
    const { tracer, propagator } = this.#options;
    const remote = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    return new RequestTrace(
      tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, remote),
      this.#options,
    );
  }

  /** Remembers the trace in which any instance recorded these objects. */
  rememberRecording(ids: readonly string[], traceparent: string): void {
    const { propagator } = this.#options;
    const context = trace.getSpanContext(
      propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter),
    );
    if (context) for (const id of ids) this.#recordingTraces.set(id, context);
  }

  /**
   * Starts the span of a message to another system. A message about a single object continues the trace that recorded
   * it; others link to the traces of their objects.
   */
  startMessage(name: string, attributes: Attributes, ids: readonly string[] = []): OutgoingMessage {
    const { tracer, propagator } = this.#options;
    const known = new Map(
      ids.flatMap((id) => this.#recordingTraces.get(id) ?? []).map((context) => [context.spanId, context]),
    );
    const [only] = ids.length === 1 ? known.values() : [];
    const parent = only ? trace.setSpanContext(ROOT_CONTEXT, only) : ROOT_CONTEXT;
    const links = only ? [] : [...known.values()].slice(0, maxLinks).map((context) => ({ context }));
    return new OutgoingMessage(
      tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, links }, parent),
      propagator,
    );
  }
}

/** A request's trace. It travels with its log entry: an AsyncLocalStorage would cost more than most statements do. */
export class RequestTrace {
  readonly #options: TracingOptions;
  readonly #span: Span;
  /** The parent span of statements: the running operation's, or else the request's. */
  #current: Context;

  constructor(span: Span, options: TracingOptions) {
    this.#span = span;
    this.#options = options;
    this.#current = trace.setSpan(ROOT_CONTEXT, span);
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  get traceparent(): string | undefined {
    return headersOf(this.#current, this.#options.propagator).traceparent;
  }

  /** Runs a GraphQL operation in its own span. `errorOf` returns the first error of a result. */
  async operation<Result>(
    { type, name }: { readonly type: string; readonly name: string | undefined },
    run: () => Promise<Result>,
    errorOf: (result: Result) => unknown = () => undefined,
  ): Promise<Result> {
    const { tracer, operationName } = this.#options;
    const known = operationName(name);
    const attributes = { "graphql.operation.type": type, "graphql.operation.name": known };
    const outer = this.#current;
    const span = tracer.startSpan(`${type} ${known}`, { kind: SpanKind.INTERNAL, attributes }, outer);
    this.#current = trace.setSpan(outer, span);
    try {
      const result = await run();
      const error = errorOf(result);
      if (error !== undefined) markErrors(span, [codeOf(error)]);
      return result;
    } catch (error) {
      markErrors(span, [codeOf(error)]);
      throw error;
    } finally {
      this.#current = outer;
      span.end();
    }
  }

  async statement<Result>(
    { summary, text }: StatementDescription,
    run: () => Promise<Result> | Result,
  ): Promise<Result> {
    const attributes = {
      "db.system.name": "postgresql",
      "db.query.summary": summary,
      ...(text !== undefined && { "db.query.text": text.slice(0, maxStatementLength) }),
    };
    const span = this.#options.tracer.startSpan(
      summary,
      { kind: SpanKind.CLIENT, attributes },
      this.#current,
    );
    try {
      return await run();
    } catch (error) {
      markFailed(span, databaseCodeOf(error));
      throw error;
    } finally {
      span.end();
    }
  }

  /** Ends the span of the request, with the codes of the errors in the answer, and the type of any other failure. */
  end(name: string, errorCodes: Iterable<string>, attributes: Attributes = {}, failure?: string): void {
    this.#span.updateName(name).setAttributes(attributes);
    if (failure !== undefined) markFailed(this.#span, failure);
    markErrors(this.#span, [...errorCodes]);
    this.#span.end();
  }
}

export class OutgoingMessage {
  readonly #span: Span;
  readonly headers: TraceHeaders;

  constructor(span: Span, propagator: TextMapPropagator) {
    this.#span = span;
    this.headers = headersOf(trace.setSpan(ROOT_CONTEXT, span), propagator);
  }

  /** Ends the span. Pass the type of the error if the other system did not accept the message. */
  end(errorType?: string): void {
    if (errorType !== undefined) markFailed(this.#span, errorType);
    this.#span.end();
  }
}

function headersOf(context: Context, propagator: TextMapPropagator): Record<string, string> {
  const headers: Record<string, string> = {};
  propagator.inject(context, headers, defaultTextMapSetter);
  return headers;
}

/** Leave out the message of the error: it may quote a client or stored data. */
function markFailed(span: Span, errorType: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute("error.type", errorType);
}

/** Only errors that the gateway is responsible for are failures. Errors of clients are ordinary answers. */
function markErrors(span: Span, codes: string[]): void {
  if (codes.length === 0) return;
  span.setAttribute("gateway.error_codes", codes);
  const failure = codes.find((code) => statusOfCode[code as ErrorCode] >= leastServerError);
  if (failure !== undefined) markFailed(span, failure);
}

/** The code of an error that clients may see. All other errors are internal. */
function codeOf(error: unknown): string {
  const original = (error as { originalError?: unknown }).originalError ?? error;
  const { code } = original as { code?: unknown };
  return typeof code === "string" && Object.hasOwn(statusOfCode, code) ? code : "INTERNAL";
}

/** The error code from PostgreSQL, the system or Prisma. */
function databaseCodeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && /^\w{1,32}$/.test(code) ? code : "_OTHER";
}
