import {
  ApolloServer,
  type ApolloServerPlugin,
  type GraphQLResponse,
  HeaderMap,
  type HTTPGraphQLHead,
  type HTTPGraphQLRequest,
} from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from "@apollo/server/plugin/disabled";
import type { Request, RequestHandler } from "express";
import {
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
} from "graphql";
import { type BodySender, parseJsonBody } from "../../engine/http/json-body.js";
import { sendJson } from "../../engine/http/json-response.js";
import { originOf } from "../../engine/http/request-origin.js";
import type { GatewayServices } from "../../engine/operation/gateway-services.js";
import { assertAnswerLength } from "../../engine/reading/answer-size.js";
import { searchParameters } from "../../engine/route/input.js";
import { defined } from "../../platform/defined.js";
import { ServiceError, toServiceError } from "../../platform/errors/errors.js";
import { stringifyInSlices } from "../../platform/json/sliced-json.js";
import { networkOf } from "../../platform/network/ip-address.js";
import { inSlices } from "../../platform/queues/slices.js";
import type { Logger } from "../../platform/telemetry/log.js";
import type { LogEntry } from "../../platform/telemetry/log-entry.js";
import { errorOf } from "../../platform/thrown.js";
import {
  type AdmissionOptions,
  authenticateRequest,
  type IncomingOperation,
  type OperationRequest,
  presentError,
} from "./admit.js";
import type { DocumentOrErrors, DocumentRequest, Documents } from "./documents.js";
import { maxTokens } from "./limits.js";
import { OperationDocument } from "./operation-document.js";
import { runAdmitted } from "./run-admitted.js";
import { uploadOf } from "./uploads.js";

/** A request with the document that it names. */
interface DocumentedRequest extends IncomingOperation {
  found: DocumentOrErrors | undefined;
}

/** Starts Apollo Server for GraphQL over HTTP. The gateway itself parses, validates, admits and executes operations. */
export async function startApolloServer(
  { schema, documents }: { schema: GraphQLSchema; documents: Documents },
  log: Logger,
  options: AdmissionOptions,
): Promise<ApolloServer<DocumentedRequest>> {
  // Apollo Server does not pass the request when it has results written.
  const entriesByData: EntriesByData = new WeakMap();
  const server = new ApolloServer<DocumentedRequest>({
    schema,
    introspection: true,
    includeStacktraceInErrorResponses: false,
    persistedQueries: false,
    documentStore: documents,
    // `documents` has only valid ones. What is not valid gets no further than its response.
    dangerouslyDisableValidation: true,
    parseOptions: { maxTokens },
    stopOnTerminationSignals: false,
    logger: log,
    stringifyResult: (result) => stringifyResult(result, entriesByData, log),
    formatError: (formatted, error) => present(formatted, error, log),
    plugins: [
      operationRunner(log, options, entriesByData),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
  await server.start();
  return server;
}

/** Admits and executes an operation. Returns Apollo Server's response, also for a failed operation. */
async function respond(
  operation: OperationRequest,
  incoming: IncomingOperation,
  { log, options }: { log: Logger; options: AdmissionOptions },
): Promise<GraphQLResponse> {
  try {
    const result = await runAdmitted(operation, incoming, options);
    const { errors } = result;
    if (!errors)
      return { http: newHead(), body: { kind: "single", singleResult: result as FormattedExecutionResult } };
    const singleResult = { ...result, errors: errors.map((error) => presentError(error, log)) };
    return { http: withRetryAfter(newHead(), errors), body: { kind: "single", singleResult } };
  } catch (error) {
    return responseTo(
      [toServiceError(error, (cause) => log.error({ err: cause }, "an operation could not be started"))],
      log,
    );
  }
}

const newHead = (): HTTPGraphQLHead => ({ headers: new HeaderMap() });

/** The JSON of a result, or of the error that it is too long. The line break is for terminals, as Apollo Server's. */
async function stringifyResult(
  result: FormattedExecutionResult,
  entriesByData: EntriesByData,
  log: Logger,
): Promise<string> {
  try {
    return `${await inSlices(result, stringifyInSlices(result, assertAnswerLength))}\n`;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const logEntry = result.data && entriesByData.get(result.data);
    const errors = [presentError(error, log)];
    return `${JSON.stringify({ errors: logEntry ? recorded(errors, logEntry) : errors })}\n`;
  }
}

/** Records the codes of errors. Returns the errors for the client, with the id of the trace if there is one. */
function recorded(
  errors: readonly GraphQLFormattedError[],
  { errorCodes, trace }: LogEntry,
): readonly GraphQLFormattedError[] {
  for (const { extensions } of errors) errorCodes.add(String(extensions?.code));
  return trace
    ? errors.map((error) => ({ ...error, extensions: { ...error.extensions, traceId: trace.traceId } }))
    : errors;
}

/** The log entries of requests by the data that is about to be written. */
type EntriesByData = WeakMap<object, LogEntry>;

/**
 * Responds to operations and invalid documents. Records the error codes of responses for the log. Adds the cost of the
 * operation to the response if the client has asked for it.
 */
function operationRunner(
  log: Logger,
  options: AdmissionOptions,
  entriesByData: EntriesByData,
): ApolloServerPlugin<DocumentedRequest> {
  return {
    requestDidStart: async ({ contextValue: { found, ...incoming } }) => {
      const errors = found && "errors" in found ? found.errors : undefined;
      const refused = errors?.map((error) => presentError(error, log));
      return {
        responseForOperation: async ({ request: { operationName, variables } }) =>
          found instanceof OperationDocument
            ? respond({ document: found, operationName, variables }, incoming, { log, options })
            : responseTo(errors ?? [], log),
        willSendResponse: async ({ request, response: { body } }) => {
          if (body.kind !== "single") return;
          const { logEntry } = incoming.origin;
          const { singleResult: result } = body;
          const errors = refused ?? result.errors;
          if (errors) result.errors = recorded(errors, logEntry);
          if (result.data) entriesByData.set(result.data, logEntry);
          if (request.http?.headers.get("graphql-cost") === "1") addCost(result, incoming);
        },
      };
    },
  };
}

function addCost(result: FormattedExecutionResult, { services, origin }: IncomingOperation): void {
  const { cost: requestedQueryCost } = origin.logEntry;
  if (requestedQueryCost === undefined) return;
  const { maxQueryCost } = services.settings;
  result.extensions = { ...result.extensions, cost: { requestedQueryCost, maxQueryCost } };
}

/** Sets the time in a response after which its last error may be over. */
function withRetryAfter(head: HTTPGraphQLHead, errors: readonly GraphQLError[]): HTTPGraphQLHead {
  const seconds = errors.map((error) => Number(toServiceError(error, () => {}).headers["retry-after"] ?? 0));
  const longest = Math.max(0, ...seconds);
  if (longest > 0) head.headers.set("retry-after", String(longest));
  return head;
}

function responseTo(errors: readonly ServiceError[], log: Logger): GraphQLResponse {
  const { status, headers } = defined(errors[0]);
  return {
    http: { status, headers: new HeaderMap(Object.entries(headers)) },
    body: { kind: "single", singleResult: { errors: errors.map((error) => presentError(error, log)) } },
  };
}

/** Runs operations sent by HTTP. The sender is authenticated, or counted, before a byte of the body is read. */
export function graphqlHandler(
  apollo: ApolloServer<DocumentedRequest>,
  documents: Documents,
  services: GatewayServices,
): RequestHandler {
  return async (request, response) => {
    const upload = uploadOf(response);
    const incoming =
      upload ?? (await authenticateRequest({ services, origin: originOf(request, "GRAPHQL") }));
    if (request.method === "GET" || request.method === "HEAD")
      response.vary("Authorization").vary("GraphQL-Cost");
    if (!upload) await parseJsonBody(request, response, bodySenderOf(incoming));
    const found = await documents.find(documentRequest(request), incoming.origin);
    const context = async () => ({ ...incoming, found });
    // Apollo Server knows nothing of ids.
    const httpGraphQLRequest = apolloRequest(request, documents.areRestricted ? found : undefined);
    const {
      status = 200,
      headers,
      body,
    } = await apollo.executeHTTPGraphQLRequest({ httpGraphQLRequest, context });
    if (body.kind !== "complete") throw new Error("No operation has its result sent in parts");
    response.statusCode = status;
    for (const [name, value] of headers) response.setHeader(name, value);
    const { errorCodes } = incoming.origin.logEntry;
    // Apollo Server refuses malformed requests without telling any plugin, all with the same code.
    if (status >= 400 && errorCodes.size === 0) errorCodes.add("BAD_REQUEST");
    sendJson(request, response, body.string);
  };
}

const bodySenderOf = ({ sender, origin }: IncomingOperation): BodySender =>
  sender
    ? { limit: "graphql", owner: sender.caller.id }
    : { limit: "anonymous", owner: networkOf(origin.address) };

function documentRequest(request: Request): DocumentRequest {
  const { query, documentId, extensions }: DocumentRequest =
    request.method === "GET" ? parametersOf(request) : Object(request.body);
  return { query: typeof query === "string" ? query : undefined, documentId, extensions };
}

function parametersOf(request: Request): DocumentRequest {
  const { extensions, ...parameters } = Object.fromEntries(searchParameters(request));
  try {
    return { ...parameters, extensions: extensions && JSON.parse(extensions) };
  } catch {
    // Apollo Server refuses it.
    return parameters;
  }
}

/** A request as Apollo Server takes it, with the text of a document that it may name otherwise. */
function apolloRequest(request: Request, named: DocumentOrErrors | undefined): HTTPGraphQLRequest {
  const text = named instanceof OperationDocument ? named.text : undefined;
  const { method, body } = request;
  const headers = new HeaderMap();
  for (const name in request.headers) {
    const value = request.headers[name];
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  if (isPreflighted(request)) headers.set("apollo-require-preflight", "1");
  if (method !== "GET")
    return {
      method,
      headers,
      search: "",
      body: text === undefined ? body : { ...body, query: text, extensions: null },
    };
  const parameters = searchParameters(request);
  if (text !== undefined) {
    parameters.set("query", text);
    parameters.delete("extensions");
  }
  return { method, headers, search: String(parameters), body };
}

/**
 * Whether a browser asks first before another site can send this request. Apollo Server wants a header as proof. JSON
 * as the content type is proof, too, and so is the Bearer token of a GET. Basic credentials prove nothing, because
 * browsers add them on their own.
 */
function isPreflighted({ method, headers }: Request): boolean {
  return (
    headers["content-type"] === "application/json" ||
    (method === "GET" && /^bearer /i.test(headers.authorization ?? ""))
  );
}

/** The codes for Apollo Server's own errors. */
const codeByApolloCode = new Map([
  ["BAD_USER_INPUT", "BAD_REQUEST"],
  ["BAD_REQUEST", "BAD_REQUEST"],
  ["OPERATION_RESOLUTION_FAILURE", "BAD_REQUEST"],
  // The document is the client's, and is refused with the gateway's own errors.
  ["GRAPHQL_PARSE_FAILED", "GRAPHQL_PARSE_FAILED"],
  // On this code, clients stop sending the hashes of their documents.
  ["PERSISTED_QUERY_NOT_SUPPORTED", "PERSISTED_QUERY_NOT_SUPPORTED"],
]);

function present(formatted: GraphQLFormattedError, error: unknown, log: Logger): GraphQLFormattedError {
  const code = codeByApolloCode.get(String(formatted.extensions?.code));
  const original =
    error instanceof GraphQLError ? error : new GraphQLError("", { originalError: errorOf(error) });
  if (code && !(original.originalError && "code" in original.originalError)) {
    return { message: formatted.message, extensions: { code } };
  }
  return presentError(original, log);
}
