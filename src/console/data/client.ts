import { authExchange } from "@urql/exchange-auth";
import { type Cache, cacheExchange, type UpdatesConfig } from "@urql/exchange-graphcache";
import { createClient, type FormattedExecutionResult, type Sink, type SubscribePayload } from "graphql-ws";
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
import { memberIn } from "../../platform/record.js";
import { authorization, isToRenew, renew } from "../session/session.js";
import { activeQueries, forgetOperations, trackOperation } from "./active-operations.js";
import { connected, connectionLost, reconnected } from "./connection.js";
import { codeOf, isPassing, NotSentError } from "./failure.js";
import { answered, pauseBefore, tryAgainLater, tryAgainNow } from "./recovery.js";
import { noteServerDate } from "./server-time.js";

/** Tracks all operations including their ends, which `mapExchange` does not report. */
const tracking: Exchange =
  ({ forward }) =>
  (operations) =>
    forward(pipe(operations, tap(trackOperation)));

/** The longest wait for the gateway, in milliseconds: a network that drops packets silently reports no error. */
const timeout = 60_000;

/** Sends a request, and notes the gateway's time in the answer. */
const send: typeof fetch = async (address, init) => {
  if (!navigator.onLine) throw new NotSentError("The browser has no network");
  const sentAt = Date.now();
  const signal = AbortSignal.any([...(init?.signal ? [init.signal] : []), AbortSignal.timeout(timeout)]);
  const response = await fetch(address, { ...init, signal });
  noteServerDate(response.headers.get("date"), sentAt, Date.now());
  return response;
};

/** Repeats queries that failed for a reason that may pass, as long as their results are shown. */
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
interface ConsoleClient {
  client: Client;
  dispose: () => void;
}

/**
 * Creates the client of a session: urql with Graphcache, a normalised cache, so that an event about a camera changes it
 * in all views. Relay would also need a compiler, and fragments for each component. Graphcache finds objects by their
 * `id`, which all objects of the API except plain values have.
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

const cameraLists = ["cameras", "searchCameras", "cameraStateCounts", "facilities"];

/**
 * Changes of the cache after events, in addition to the fields of the objects in the events, which the cache
 * replaces by itself. By the field of each subscription.
 */
const updates: UpdatesConfig = {
  Mutation: {
    createFacility: forgetLists("facilities"),
    deleteFacility: forgetLists(...cameraLists),
    createCamera: forgetLists(...cameraLists),
    createClientCamera: forgetLists(...cameraLists),
    deleteCamera: forgetLists(...cameraLists),
    restoreCamera: forgetLists("camera", ...cameraLists),
    monitorFacility: forgetLists(...cameraLists),
    restoreAlertRule: forgetLists("camera"),
    deleteAlertRule: (_result, { id }, cache) =>
      cache.invalidate({ __typename: "AlertRule", id: String(id) }),
    // Their answers have the whole list. Without a function here, the cache takes an object that it does not know for new,
    // and forgets all others of the type: also those of this answer, which it then cannot read.
    createAlertRule: () => undefined,
    sendTestDelivery: () => undefined,
    createApiKey: forgetLists("workspace"),
    inviteUser: forgetLists("workspace"),
    revokeInvitation: forgetLists("workspace"),
    removeUser: forgetLists("workspace"),
    grantFacilityAccess: forgetLists("facilities"),
    removeFacilityAccess: forgetLists("facilities"),
  },
  Subscription: {
    alertRaised: ({ alertRaised }, _arguments, cache) => showAsNewest(alertRaised as RaisedAlert, cache),
    alertChanged: ({ alertChanged }, _arguments, cache) => {
      const { alertId, kind } = alertChanged as ChangedAlert;
      // The event contains the marks, but no comments.
      if (kind === "COMMENTED") forgetComments(alertId, cache);
    },
  },
};

/** Makes open views read lists again to which an object was added, or that lost one. */
function forgetLists(...fields: string[]) {
  return (_result: unknown, _arguments: unknown, cache: Cache) => {
    for (const { fieldName, fieldKey } of cache.inspectFields("Query"))
      if (fields.includes(fieldName)) cache.invalidate("Query", fieldKey);
  };
}

interface ChangedAlert {
  alertId: string;
  kind: string;
}

/** Makes an open alert read its comments again. */
function forgetComments(id: string, cache: Cache) {
  const alert = { __typename: "Alert", id };
  for (const { fieldName, arguments: given } of cache.inspectFields(alert))
    if (fieldName === "comments") cache.invalidate(alert, fieldName, given);
}

interface RaisedAlert {
  __typename: "Alert";
  id: string;
  createdAt: string;
  camera?: { __typename: "Camera"; id: string };
}

/** Makes an alert the newest of its camera, unless it is older than the present one: detectors may report late. */
function showAsNewest(alert: RaisedAlert, cache: Cache) {
  if (!alert.camera) return;
  const list = cache.resolve({ ...alert.camera }, "alerts", { first: 1 });
  if (typeof list !== "string") return;
  const [newest] = (cache.resolve(list, "nodes") ?? []) as string[];
  const time = newest === undefined ? undefined : cache.resolve(newest, "createdAt");
  if (typeof time === "string" && Date.parse(time) > Date.parse(alert.createdAt)) return;
  cache.link(list, "nodes", [cache.keyOfEntity({ ...alert })]);
}

/** Codes for closing sockets: normally; and by the server, for credentials that it refuses or that have expired. */
const normal = 1000;
const unauthorized = 4401;
const expired = 4403;
const pingInterval = 12_000;
const pongTimeout = 5_000;

type Result = FormattedExecutionResult<Record<string, unknown>, unknown>;

interface Socket {
  /** Subscribes until the returned function is called. */
  subscribe: (payload: SubscribePayload, sink: Sink<Result>) => () => void;
  dispose: () => void;
}

/**
 * Opens the connection for subscriptions, and reopens it until disposed of. Calls `onReconnect` after each reopening,
 * because events were missed.
 */
function createSocket(onReconnect: () => void): Socket {
  const url = new URL("/graphql", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  let missingPong: ReturnType<typeof setTimeout> | undefined;
  let renewal: Promise<void> | undefined;
  /** The number of closed connections since the last successful one. */
  let closings = 0;
  const socket = createClient({
    url: url.href,
    connectionParams: async () => {
      await renewal;
      return { authorization: authorization() };
    },
    keepAlive: pingInterval,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => authorization() !== undefined,
    retryWait: (retries) => wait(pauseBefore(retries)),
    on: {
      connected: () => {
        connected();
        if (closings > 0) onReconnect();
        closings = 0;
      },
      closed: (event) => {
        clearTimeout(missingPong);
        const code = memberIn(event, "code");
        if (code !== normal) closings += 1;
        if (code === unauthorized || code === expired) renewal = renew();
        else if (code !== normal) connectionLost();
      },
      ping: (received) => {
        // Treat a silent server as gone.
        if (!received) missingPong = setTimeout(() => socket.terminate(), pongTimeout);
      },
      pong: (received) => {
        if (received) clearTimeout(missingPong);
      },
    },
  });
  const subscribe: Socket["subscribe"] = (payload, sink) => {
    let unsubscribe = () => {};
    let hasEnded = false;
    const start = () => {
      unsubscribe = socket.subscribe<Record<string, unknown>>(payload, {
        next: (result) => sink.next(result),
        complete: () => sink.complete(),
        error: (error) => {
          // graphql-ws gives up after some close codes, but other credentials may be accepted, and limits pass.
          if (error instanceof CloseEvent && authorization() !== undefined) void startAgain();
          else sink.error(error);
        },
      });
    };
    const startAgain = async () => {
      await renewal;
      await wait(pauseBefore(closings));
      if (!hasEnded && authorization() !== undefined) start();
    };
    start();
    return () => {
      hasEnded = true;
      unsubscribe();
    };
  };
  // Otherwise, it would be noticed only when a pong is missing.
  const terminate = () => socket.terminate();
  window.addEventListener("offline", terminate);
  const dispose = () => {
    window.removeEventListener("offline", terminate);
    void socket.dispose();
  };
  return { subscribe, dispose };
}

/** Waits for some milliseconds, or until the browser is back on the network. */
function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      window.removeEventListener("online", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    window.addEventListener("online", end);
  });
}
