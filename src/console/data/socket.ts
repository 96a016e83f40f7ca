import { createClient, type FormattedExecutionResult, type Sink, type SubscribePayload } from "graphql-ws";
import { authorization, renew } from "../session/session.js";
import { connected, connectionLost } from "./connection.js";
import { pauseBefore } from "./recovery.js";

/**
 * Codes for closing sockets: normally, without subscriptions; by the server, for
 * credentials that it refuses or that have expired.
 */
const normal = 1000;
const unauthorized = 4401;
const expired = 4403;
const pingInterval = 12_000;
const pongTimeout = 5_000;

type Result = FormattedExecutionResult<Record<string, unknown>, unknown>;

/** The connection for subscriptions. */
export interface Socket {
  /** Subscribes until the returned function is called. */
  subscribe: (payload: SubscribePayload, sink: Sink<Result>) => () => void;
  dispose: () => void;
}

/**
 * Opens the connection for subscriptions, and reopens it until disposed of. Calls
 * `onReconnect` after each reopening, because events were missed.
 */
export function createSocket(onReconnect: () => void): Socket {
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
        const { code } = event as CloseEvent;
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
          // graphql-ws gives up after some close codes. Other credentials may be
          // accepted, however, and limits pass.
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
  return { subscribe, dispose: () => void socket.dispose() };
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
