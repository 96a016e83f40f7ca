import { ApolloServer, type ApolloServerPlugin } from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from "@apollo/server/plugin/disabled";
import type { GraphQLFormattedError, GraphQLSchema } from "graphql";
import { GraphQLError } from "graphql";
import type { RequestContext } from "../access/request-context.js";
import type { Logger } from "../platform/log.js";
import { type AdmissionRules, admitOperation, presentError, refusal } from "./admit.js";
import type { ExecuteOperation } from "./execute.js";
import { mostTokens } from "./limits.js";

/** Apollo Server over the schema: it parses and validates, we admit, it runs. */
export async function startApolloServer(
  schema: GraphQLSchema,
  execute: ExecuteOperation,
  log: Logger,
  rules: AdmissionRules,
): Promise<ApolloServer<RequestContext>> {
  const server = new ApolloServer<RequestContext>({
    // To Apollo Server we are a gateway: that is how an executor of one's own is brought.
    gateway: {
      load: async () => ({
        executor: async ({ document, request: { operationName, variables }, context }) => {
          try {
            return await execute({ document, operationName, variables }, context as RequestContext);
          } catch (error) {
            throw refusal(error, log);
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
    hideSchemaDetailsFromClientErrors: !rules.openIntrospection,
    includeStacktraceInErrorResponses: false,
    persistedQueries: false,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens: mostTokens },
    logger: log,
    formatError: (formatted, error) => present(formatted, error, log),
    plugins: [
      admission(rules, log),
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

function admission(rules: AdmissionRules, log: Logger): ApolloServerPlugin<RequestContext> {
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ schema, document, request, contextValue }) {
          try {
            await admitOperation(schema, { document, operationName: request.operationName, variables: request.variables }, contextValue, rules);
          } catch (error) {
            throw refusal(error, log);
          }
        },
      };
    },
  };
}

// What Apollo Server itself finds wrong with a request, in the words of our contract.
const codeOfApollo: Record<string, string> = {
  GRAPHQL_PARSE_FAILED: "GRAPHQL_PARSE_FAILED",
  GRAPHQL_VALIDATION_FAILED: "GRAPHQL_VALIDATION_FAILED",
  BAD_USER_INPUT: "BAD_REQUEST",
  BAD_REQUEST: "BAD_REQUEST",
  OPERATION_RESOLUTION_FAILURE: "BAD_REQUEST",
  PERSISTED_QUERY_NOT_SUPPORTED: "BAD_REQUEST",
};

function present(formatted: GraphQLFormattedError, error: unknown, log: Logger): GraphQLFormattedError {
  const code = codeOfApollo[String(formatted.extensions?.code)];
  const original = error instanceof GraphQLError ? error : new GraphQLError("", { originalError: error as Error });
  if (code && !(original.originalError && "code" in original.originalError)) {
    const { locations } = formatted;
    // The parser calls itself for each level.
    const message = formatted.message.includes("call stack") ? "The document is nested too deep" : formatted.message;
    return { message, ...(locations && { locations }), extensions: { code } };
  }
  return presentError(original, log);
}
