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
import { authorization, renew } from "../session/session.js";
import { activeQueries, forgetOperations, trackOperation } from "./active-operations.js";
import { updates } from "./cache-updates.js";
import { reconnected } from "./connection.js";
import { codeOf, isPassing } from "./failure.js";
import { answered, tryAgainLater, tryAgainNow } from "./recovery.js";
import { noteServerDate } from "./server-time.js";
import { createSocket } from "./socket.js";

/** Sees all operations, also their ends, which `mapExchange` keeps to itself. */
const tracking: Exchange =
  ({ forward }) =>
  (operations) =>
    forward(pipe(operations, tap(trackOperation)));

/**
 * How long the gateway may take to answer, in milliseconds: of a network that swallows
 * everything nobody is told.
 */
const timeout = 60_000;

/** Sends a request, and notes what its answer says about the gateway's clock. */
const send: typeof fetch = async (address, init) => {
  const sentAt = Date.now();
  const signal = AbortSignal.any([...(init?.signal ? [init.signal] : []), AbortSignal.timeout(timeout)]);
  const response = await fetch(address, { ...init, signal });
  noteServerDate(response.headers.get("date"), sentAt, Date.now());
  return response;
};

/**
 * Reads again what could not be read for a reason that may pass, as long as it is shown.
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

/** A client of one session, and how to end it. */
export interface ConsoleClient {
  client: Client;
  dispose: () => void;
}

/**
 * Creates the client of a session. It is urql with Graphcache: a normalised cache, so
 * that an event about a camera changes it wherever it is shown, without the compiler and
 * the fragments for each component that Relay wants. All objects of the API that are more
 * than a value have an `id`, by which it finds them.
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
    preferGetMethod: false,
    // What the cache has is shown at once, and then replaced by what has changed.
    requestPolicy: "cache-and-network",
    exchanges: [
      recovering((operation) => readAgain(operation)),
      tracking,
      cacheExchange({ updates }),
      authExchange(async ({ appendHeaders }) => ({
        addAuthToOperation: (operation) => appendHeaders(operation, { authorization: authorization() ?? "" }),
        didAuthError: (error) => codeOf(error) === "UNAUTHENTICATED",
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
