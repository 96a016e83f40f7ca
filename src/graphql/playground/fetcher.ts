import { createGraphiQLFetcher, type Fetcher } from "@graphiql/toolkit";
import { createClient } from "graphql-ws";

type Headers = Record<string, string>;

/**
 * Sends operations to the gateway that served the page: queries and mutations by POST,
 * subscriptions over WebSocket on the same path.
 */
export function createGatewayFetcher(url: string, readyHeaders: Headers | undefined): Fetcher {
  const socketUrl = new URL(url, window.location.href);
  socketUrl.protocol = socketUrl.protocol === "https:" ? "wss:" : "ws:";

  // The socket opens when a subscription starts and closes when it ends, so the headers
  // of the last operation are the headers of the subscription.
  let authorization: string | undefined;
  const fetcher = createGraphiQLFetcher({
    url,
    enableIncrementalDelivery: false,
    wsClient: createClient({
      url: socketUrl.href,
      connectionParams: () => (authorization === undefined ? {} : { authorization }),
    }),
  });

  return (operation, options) => {
    // GraphiQL may send the introspection query before its headers editor has loaded.
    const isIntrospection = operation.operationName === "IntrospectionQuery";
    const headers: Headers | undefined = options?.headers ?? (isIntrospection ? readyHeaders : undefined);
    if (!isIntrospection) {
      authorization = findAuthorization(headers);
    }
    return fetcher(operation, headers === undefined ? options : { ...options, headers });
  };
}

function findAuthorization(headers: Headers = {}): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === "authorization")?.[1];
}
