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
import { type ErrorCode, leastServerError, statusOfCode } from "../errors.js";

/** How many alerts are remembered with the trace in which they were recorded. */
const maxRememberedAlerts = 10_000;
/** How many traces one message may be linked to. */
const maxLinks = 16;
/** The longest part of a statement that a span shows. */
const maxStatementLength = 2_000;

/** What {@link Tracing} works with. */
export interface TracingOptions {
  tracer: Tracer;
  /** Reads and writes the headers `traceparent` and `tracestate`. */
  propagator: TextMapPropagator;
  /** The name under which traces know a GraphQL operation: clients may choose any. */
  operationName: (name: string | undefined) => string;
}

/** Headers that continue a trace elsewhere. */
export type TraceHeaders = Readonly<Record<string, string>>;

/** What a span says about a statement. */
export interface StatementDescription {
  /** What it does, such as `SELECT Camera` or `Camera findMany`. */
  summary: string;
  /** Its text, with parameters instead of values. */
  text?: string | undefined;
}

/**
 * Records what the gateway does as OpenTelemetry spans, without values of statements and
 * without ids, names and addresses of customers. There is none unless traces are
 * exported.
 */
export class Tracing {
  readonly #options: TracingOptions;
  /** In which traces alerts were recorded, for the messages about them. */
  readonly #tracesOfAlerts = new LRUCache<string, SpanContext>({ max: maxRememberedAlerts });

  constructor(options: TracingOptions) {
    this.#options = options;
  }

  /** Starts the span of a request, which continues the trace in its headers. */
  startRequest(name: string, headers: object = {}, attributes: Attributes = {}): RequestTrace {
    const { tracer, propagator } = this.#options;
    const remote = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    return new RequestTrace(
      tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, remote),
      this.#options,
    );
  }

  /** Remembers in which trace alerts were recorded, on whichever instance. */
  rememberAlerts(alertIds: readonly string[], traceparent: string): void {
    const { propagator } = this.#options;
    const context = trace.getSpanContext(
      propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter),
    );
    if (context) for (const id of alertIds) this.#tracesOfAlerts.set(id, context);
  }

  /**
   * Starts the span of a message to another system. One about a single alert continues
   * the alert's trace, others are linked to the traces of theirs.
   */
  startMessage(name: string, attributes: Attributes, alertIds: readonly string[] = []): OutgoingMessage {
    const { tracer, propagator } = this.#options;
    const known = new Map(
      alertIds
        .flatMap((id) => this.#tracesOfAlerts.get(id) ?? [])
        .map((context) => [context.spanId, context]),
    );
    const [only] = alertIds.length === 1 ? known.values() : [];
    const parent = only ? trace.setSpanContext(ROOT_CONTEXT, only) : ROOT_CONTEXT;
    const links = only ? [] : [...known.values()].slice(0, maxLinks).map((context) => ({ context }));
    return new OutgoingMessage(
      tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, links }, parent),
      propagator,
    );
  }
}

/**
 * The trace of one request. It is passed along with the log entry of the request: an
 * AsyncLocalStorage would cost every request more than most statements do.
 */
export class RequestTrace {
  readonly #options: TracingOptions;
  readonly #span: Span;
  /**
   * The span that statements belong to: that of the running operation, or else of the
   * request.
   */
  #current: Context;

  constructor(span: Span, options: TracingOptions) {
    this.#span = span;
    this.#options = options;
    this.#current = trace.setSpan(ROOT_CONTEXT, span);
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  /** The header with which others continue this trace. */
  get traceparent(): string | undefined {
    return headersOf(this.#current, this.#options.propagator).traceparent;
  }

  /**
   * Runs a GraphQL operation in a span of its own; `errorOf` returns the first error in
   * its result.
   */
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

  /** Runs a statement in a span of its own. */
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

  /**
   * Ends the span of the request, with the codes of the errors in its answer, and with
   * the type of another failure if there was one.
   */
  end(name: string, errorCodes: Iterable<string>, attributes: Attributes = {}, failure?: string): void {
    this.#span.updateName(name).setAttributes(attributes);
    if (failure !== undefined) markFailed(this.#span, failure);
    markErrors(this.#span, [...errorCodes]);
    this.#span.end();
  }
}

/** The span of a message that is being sent to another system. */
export class OutgoingMessage {
  readonly #span: Span;
  readonly headers: TraceHeaders;

  constructor(span: Span, propagator: TextMapPropagator) {
    this.#span = span;
    this.headers = headersOf(trace.setSpan(ROOT_CONTEXT, span), propagator);
  }

  /** Ends the span; with the type of the error if the message was not accepted. */
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

/**
 * Without the message of the error, which may quote what a client sent or what is stored.
 */
function markFailed(span: Span, errorType: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute("error.type", errorType);
}

/**
 * Only what the gateway has to answer for is a failure of its own; the errors of clients
 * are ordinary answers.
 */
function markErrors(span: Span, codes: string[]): void {
  if (codes.length === 0) return;
  span.setAttribute("gateway.error_codes", codes);
  const failure = codes.find((code) => statusOfCode[code as ErrorCode] >= leastServerError);
  if (failure !== undefined) markFailed(span, failure);
}

/**
 * The code of an error that clients may see; of any other, that it is an internal one.
 */
function codeOf(error: unknown): string {
  const original = (error as { originalError?: unknown }).originalError ?? error;
  const { code } = original as { code?: unknown };
  return typeof code === "string" && Object.hasOwn(statusOfCode, code) ? code : "INTERNAL";
}

/** The code of PostgreSQL, of the system or of Prisma. */
function databaseCodeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && /^\w{1,32}$/.test(code) ? code : "_OTHER";
}
