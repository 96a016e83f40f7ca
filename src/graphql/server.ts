import { ApolloServer } from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from "@apollo/server/plugin/disabled";
import { expressMiddleware } from "@as-integrations/express5";
import type { Request, RequestHandler, Response } from "express";
import type { GraphQLFormattedError, GraphQLSchema } from "graphql";
import { GraphQLError } from "graphql";
import { originOf } from "../http/request-origin.js";
import type { Logger } from "../platform/log.js";
import type { GatewayServices } from "../request/gateway-services.js";
import { RequestContext } from "../request/request-context.js";
import { withVerifiedCaller } from "../request/verified-caller.js";
import { type AdmissionRules, admitOperation, type IncomingOperation, presentError, receiveOperation, withHttpStatus } from "./admit.js";
import type { ExecuteOperation } from "./execute.js";
import { maxTokens } from "./limits.js";
import { uploadSessionOf } from "./uploads.js";

/** Starts Apollo Server, which parses and validates documents; the gateway admits and executes operations. */
export async function startApolloServer(
  schema: GraphQLSchema,
  execute: ExecuteOperation,
  log: Logger,
  rules: AdmissionRules,
): Promise<ApolloServer<IncomingOperation>> {
  const server = new ApolloServer<IncomingOperation>({
    // Apollo Server accepts a custom executor only from a gateway.
    gateway: {
      load: async () => ({
        executor: async ({ document, request: { operationName, variables }, context }) => {
          const operation = { document, operationName, variables };
          try {
            const admitted = await admitOperation(schema, operation, context as IncomingOperation, rules);
            if (!(admitted instanceof RequestContext)) return await execute(operation, admitted);
            return await withVerifiedCaller(admitted, (context) => execute(operation, context));
          } catch (error) {
            throw withHttpStatus(error, log);
          }
        },
      }),
      onSchemaLoadOrUpdate: (use) => {
        use({ apiSchema: schema, coreSupergraphSdl: "" });
        return () => {};
      },
      stop: async () => {},
    },
    introspection: true,
    hideSchemaDetailsFromClientErrors: !rules.allowAnonymousIntrospection,
    includeStacktraceInErrorResponses: false,
    persistedQueries: false,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens },
    logger: log,
    formatError: (formatted, error) => present(formatted, error, log),
    plugins: [
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

/** Runs operations that are sent by HTTP. */
export function graphqlMiddleware(apollo: ApolloServer<IncomingOperation>, services: GatewayServices): RequestHandler {
  const receive = async (request: Request, response: Response): Promise<IncomingOperation> => {
    const anonymous = { services, origin: originOf(request) };
    const session = uploadSessionOf(response);
    if (session) return { ...anonymous, identity: session.identity, session };
    return receiveOperation(anonymous).catch((error) => {
      throw withHttpStatus(error, services.log);
    });
  };
  return expressMiddleware(apollo, { context: ({ req, res }) => receive(req as Request, res as Response) });
}

/** The contract's codes for the errors that Apollo Server itself finds. */
const codeByApolloCode: Record<string, string> = {
  GRAPHQL_PARSE_FAILED: "GRAPHQL_PARSE_FAILED",
  GRAPHQL_VALIDATION_FAILED: "GRAPHQL_VALIDATION_FAILED",
  BAD_USER_INPUT: "BAD_REQUEST",
  BAD_REQUEST: "BAD_REQUEST",
  OPERATION_RESOLUTION_FAILURE: "BAD_REQUEST",
  PERSISTED_QUERY_NOT_SUPPORTED: "BAD_REQUEST",
};

function present(formatted: GraphQLFormattedError, error: unknown, log: Logger): GraphQLFormattedError {
  const code = codeByApolloCode[String(formatted.extensions?.code)];
  const original = error instanceof GraphQLError ? error : new GraphQLError("", { originalError: error as Error });
  if (code && !(original.originalError && "code" in original.originalError)) {
    const { locations } = formatted;
    // The parser is recursive: a document that is nested too deep overflows the stack.
    const message = formatted.message.includes("call stack") ? "The document is nested too deep" : formatted.message;
    return { message, ...(locations && { locations }), extensions: { code } };
  }
  return presentError(original, log);
}
