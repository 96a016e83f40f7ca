import { createGraphiQLFetcher, type Fetcher } from "@graphiql/toolkit";
import type { IntrospectionQuery } from "graphql";
import { createClient } from "graphql-ws";
import { authorization, isToRenew, renew } from "../../../console/session/session.js";
import { fetchWithSession } from "../../../console/session/session-fetch.js";
import { memberIn } from "../../../platform/record.js";
import { inDocumentationOrder } from "./documentation-order.js";
import type { OperationFiles } from "./operation-files.js";

type Headers = Record<string, string>;

/** A socket's codes for credentials that the gateway refuses or that have expired. */
const refusedCodes = [4401, 4403];

/**
 * Sends operations to the gateway that served the page: queries and mutations by POST, subscriptions over WebSocket on
 * the same path. Uses the session, unless the headers have other credentials.
 */
export function createGatewayFetcher(url: string, files: OperationFiles): Fetcher {
  const socketUrl = new URL(url, window.location.href);
  socketUrl.protocol = socketUrl.protocol === "https:" ? "wss:" : "ws:";

  // The socket opens when a subscription starts and closes when it ends, so the headers
  // of the last operation are the headers of the subscription.
  let given: string | undefined;
  let renewal: Promise<void> | undefined;
  const wsClient = createClient({
    url: socketUrl.href,
    connectionParams: async () => {
      await renewal;
      if (given === undefined && isToRenew()) await renew();
      const present = given ?? authorization();
      return present === undefined ? {} : { authorization: present };
    },
    on: {
      closed: (event) => {
        if (given === undefined && refusedCodes.some((code) => code === memberIn(event, "code")))
          renewal = renew();
      },
    },
  });
  const fetcher = createGraphiQLFetcher({
    url,
    enableIncrementalDelivery: false,
    wsClient,
    fetch: (address, init) => send(String(address), init),
  });

  return async (operation, options) => {
    if (operation.operationName === "IntrospectionQuery") {
      const result = (await fetcher(operation, options)) as { data?: IntrospectionQuery };
      return result.data?.__schema
        ? { ...result, data: { ...result.data, ...inDocumentationOrder(result.data) } }
        : result;
    }
    const headers = (options?.headers ?? {}) as Headers;
    const form = files.formOf(operation);
    if (form) {
      const response = await send(url, { method: "POST", headers: uploadHeaders(headers), body: form });
      return response.json();
    }
    given = authorizationIn(headers);
    return fetcher(operation, options);
  };
}

/** Sends a request, as the viewer unless it has credentials of its own. */
function send(address: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
  const given = headers as Headers | undefined;
  if (authorizationIn(given) !== undefined)
    return fetch(address, { ...init, headers: given as Headers, credentials: "omit" });
  return fetchWithSession(address, { ...init, ...(given && { headers: given }) });
}

/** The headers of a request with files, which the gateway takes only from own pages. */
const uploadHeaders = (headers: Headers): Headers => ({ ...headers, "apollo-require-preflight": "true" });

function authorizationIn(headers: Headers = {}): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === "authorization")?.[1];
}
