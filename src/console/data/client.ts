import { authExchange } from "@urql/exchange-auth";
import { cacheExchange } from "@urql/exchange-graphcache";
import type { Sink } from "graphql-ws";
import {
  Client,
  type Exchange,
  fetchExchange,
  makeOperation,
  type Operation,
  type OperationResult,
  subscriptionExchange,
} from "urql";
import { pipe, tap } from "wonka";
import { authorization, isToRenew, renew } from "../session/session.js";
import { activeQueries, forgetOperations, trackOperation } from "./active-operations.js";
import { updates } from "./cache-updates.js";
import { reconnected } from "./connection.js";
import { codeOf, isPassing } from "./failure.js";
import { answered, tryAgainLater, tryAgainNow } from "./recovery.js";
import { noteServerDate } from "./server-time.js";
import { createSocket } from "./socket.js";

/** Tracks all operations including their ends, which `mapExchange` does not report. */
const tracking: Exchange =
  ({ forward }) =>
  (operations) =>
    forward(pipe(operations, tap(trackOperation)));

/**
 * The maximum time for an answer of the gateway, in milliseconds. A network that drops
 * packets silently reports no error.
 */
const timeout = 60_000;

/** Sends a request, and notes the gateway's time in the answer. */
const send: typeof fetch = async (address, init) => {
  const sentAt = Date.now();
  const signal = AbortSignal.any([...(init?.signal ? [init.signal] : []), AbortSignal.timeout(timeout)]);
  const response = await fetch(address, { ...init, signal });
  noteServerDate(response.headers.get("date"), sentAt, Date.now());
  return response;
};

/**
 * Repeats queries that failed for a reason that may pass, as long as their results are
 * shown.
 */
const recovering =
  (readAgain: (operation: Operation) => void): Exchange =>
  ({ forward }) =>
  (operations) => {
    const failed = new Set<number>();
    const readFailed = () => {
      const again = activeQueries().filter(({ key }) => failed.delete(key));
      failed.clear();
      for (const operation of again) readAgain(operation);
    };
    const see = ({ operation, error }: OperationResult) => {
      if (operation.kind !== "query") return;
      if (!error) answered();
      else if (isPassing(error)) {
        failed.add(operation.key);
        tryAgainLater(readFailed);
      }
    };
    return pipe(forward(operations), tap(see));
  };

/** The client of one session, with a function that ends it. */
export interface ConsoleClient {
  client: Client;
  dispose: () => void;
}

/**
 * Creates the client of a session: urql with Graphcache, a normalised cache. An event
 * about a camera changes the camera in all views. Relay would also need a compiler, and
 * fragments for each component. Graphcache finds objects by their `id`, which all objects
 * of the API except plain values have.
 */
export function createConsoleClient(): ConsoleClient {
  const refresh = () => {
    reconnected();
    for (const operation of activeQueries()) readAgain(operation);
    tryAgainNow();
  };
  const readAgain = (operation: Operation) =>
    client.reexecuteOperation(
      makeOperation("query", operation, { ...operation.context, requestPolicy: "network-only" }),
    );
  const socket = createSocket(refresh);
  const client = new Client({
    url: "/graphql",
    fetch: send,
    // The gateway requires it of requests with a file, which any web page can send.
    fetchOptions: { headers: { "apollo-require-preflight": "true" } },
    preferGetMethod: false,
    // Show data from the cache at once, then replace it with the gateway's answer.
    requestPolicy: "cache-and-network",
    exchanges: [
      recovering((operation) => readAgain(operation)),
      tracking,
      cacheExchange({ updates }),
      authExchange(async ({ appendHeaders }) => ({
        addAuthToOperation: (operation) => appendHeaders(operation, { authorization: authorization() ?? "" }),
        didAuthError: (error) => codeOf(error) === "UNAUTHENTICATED",
        willAuthError: isToRenew,
        refreshAuth: renew,
      })),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query, variables }) => ({
          subscribe: (sink) => ({
            unsubscribe: socket.subscribe(
              { query: query ?? "", ...(variables && { variables }) },
              sink as Sink,
            ),
          }),
        }),
      }),
    ],
  });
  const dispose = () => {
    forgetOperations();
    socket.dispose();
  };
  return { client, dispose };
}
