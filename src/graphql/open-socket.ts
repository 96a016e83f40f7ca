import { CloseCode } from "graphql-ws";
import { WebSocket } from "ws";
import type { Claim } from "../access/authenticate.js";
import type { RequestOrigin } from "../access/request-context.js";
import type { ErrorCode } from "../platform/errors.js";

/** Close codes that are not the protocol's own. */
export const goingAway = 1001;
export const tryAgainLater = 1013;

/** Bytes of a reason, by RFC 6455. */
const mostReasonBytes = 123;

/** Bytes that may wait for a client that does not read. */
const mostBuffered = 4 * 1024 * 1024;

/** Who opened a socket: what is known since `connection_init`. */
export interface SocketSession {
  callerId: string;
  claim: Claim;
  /** Stands for the credentials: the same for all sockets that came with the same. */
  credentials: string;
  /** Until when they are good, in milliseconds since 1970. */
  expiresAt: number;
  origin: RequestOrigin;
}

/** One WebSocket of a client. */
export class OpenSocket {
  readonly socket: WebSocket;
  /** The id that its log lines carry, and the client's address. */
  readonly id: string;
  readonly address: string;
  session: SocketSession | undefined;
  /** Whether what its caller may do is to be looked at again. */
  isSuspect = false;
  /** Whether it answered the last ping. */
  isAlive = true;
  /** Whether it counted against its address. */
  isCounted = false;
  /** What its running subscriptions are sent, and how many more are being started. */
  readonly subscriptions = new Set<{ return(): Promise<unknown> }>();
  starting = 0;

  constructor(socket: WebSocket, { id, address }: { id: string; address: string }) {
    this.socket = socket;
    this.id = id;
    this.address = address;
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Sends a text; done when the network has taken it, or when the socket is closed, of which others hear. */
  async send(text: string): Promise<void> {
    if (this.isOpen) await new Promise<void>((resolve) => this.socket.send(text, () => resolve()));
  }

  /** Closes it with a code and a reason that the client may show. */
  close(code: number, reason: string): void {
    let shown = reason.slice(0, mostReasonBytes);
    while (Buffer.byteLength(shown) > mostReasonBytes) shown = shown.slice(0, -1);
    this.socket.close(code, shown);
  }

  /** Ends what is sent to a socket that has closed. */
  endSubscriptions(): void {
    for (const subscription of this.subscriptions) void subscription.return();
  }

  /** Whether the client reads so slowly that it cannot be waited for any longer. */
  get isCongested(): boolean {
    return this.socket.bufferedAmount > mostBuffered;
  }

  /** Ends what belongs to somebody who may do nothing any more. */
  endAccess(): void {
    this.close(CloseCode.Unauthorized, "The caller's access has ended");
  }

  /** Gives up a client that is too slow; it may come again. */
  drop(): void {
    this.close(tryAgainLater, "Too slow: events wait to be read");
  }
}

/** The close code for a refusal. */
export function closeCodeOf(code: ErrorCode): number {
  if (code === "UNAUTHENTICATED") return CloseCode.Unauthorized;
  if (code === "FORBIDDEN") return CloseCode.Forbidden;
  if (code === "RATE_LIMITED") return CloseCode.TooManyInitialisationRequests;
  return code === "UNAVAILABLE" ? tryAgainLater : CloseCode.InternalServerError;
}
