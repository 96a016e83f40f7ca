import { createClient, type FormattedExecutionResult, type Sink, type SubscribePayload } from "graphql-ws";
import { authorization, renew } from "../session/session.js";
import { connected, connectionLost } from "./connection.js";
import { pauseBefore } from "./recovery.js";

/**
 * How sockets are closed: when nobody subscribes to anything, and by the server with
 * credentials that it does not accept, or that have expired.
 */
const normal = 1000;
const unauthorized = 4401;
const expired = 4403;
const pingInterval = 12_000;
const pongTimeout = 5_000;

type Result = FormattedExecutionResult<Record<string, unknown>, unknown>;

/** The connection for subscriptions. */
export interface Socket {
  /** Subscribes until what it returns is called. */
  subscribe: (payload: SubscribePayload, sink: Sink<Result>) => () => void;
  dispose: () => void;
}

/**
 * Opens the connection for subscriptions, and again until it is disposed of;
 * `onReconnect` is called each time, as events were missed.
 */
export function createSocket(onReconnect: () => void): Socket {
  const url = new URL("/graphql", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  let missingPong: ReturnType<typeof setTimeout> | undefined;
  let renewal: Promise<void> | undefined;
  /** How often the connection was closed since it was last there. */
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
        // A server that has fallen silent is as good as gone.
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
          // graphql-ws gives up on some reasons for closing. But other credentials may be
          // accepted, and limits pass.
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

/** Waits, but not longer than until the browser is back on the network. */
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
