import { CloseCode } from "graphql-ws";
import { WebSocket } from "ws";
import type { RequestOrigin, Session } from "../access/authenticator.js";
import type { ServiceError } from "../platform/errors.js";
import { LogEntry } from "../platform/telemetry/log-entry.js";

/** Close codes of RFC 6455, beside those of graphql-transport-ws. */
export const goingAway = 1001;
const messageTooBig = 1009;
const tryAgainLater = 1013;

/** The limit of RFC 6455. */
const maxReasonBytes = 123;

/** The most that is buffered for a client that does not read. */
const maxBufferedBytes = 4 * 1024 * 1024;

/** Who opened a socket, known once `connection_init` has been accepted. */
export interface SocketClient {
  session: Session;
  origin: RequestOrigin;
  /** Equal for all sockets that were opened with the same credentials. */
  credentialsKey: string;
}

/** One WebSocket of a client. */
export class OpenSocket {
  readonly socket: WebSocket;
  /** Its id in the log. */
  readonly id: string;
  /** What the log says about it when it opens and when it closes. */
  readonly logEntry: LogEntry;
  readonly openedAt = performance.now();
  client: SocketClient | undefined;
  /** Whether the access of its caller may have changed and has to be checked again. */
  needsAccessCheck = false;
  /** Whether it has answered the last ping. */
  isAlive = true;
  /**
   * Whether `connection_init` has arrived: from then on, authentication has counted it
   * against the address or the caller.
   */
  isInitialized = false;
  /**
   * The results of its running subscriptions, and the number of subscriptions that are
   * being started.
   */
  readonly subscriptions = new Set<{ return(): Promise<unknown> }>();
  starting = 0;

  constructor(socket: WebSocket, { id, address }: { id: string; address: string }) {
    this.socket = socket;
    this.id = id;
    this.logEntry = new LogEntry(address);
  }

  /** The client's address. */
  get address(): string {
    return this.logEntry.address;
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /**
   * Sends a text. Resolves when it has been written to the network, and also when the
   * socket has closed, which other listeners handle.
   */
  async send(text: string): Promise<void> {
    if (this.isOpen) await new Promise<void>((resolve) => this.socket.send(text, () => resolve()));
  }

  /**
   * Closes the socket with a code and a reason, which is cut to the length that is
   * allowed.
   */
  close(code: number, reason: string): void {
    let shown = reason.slice(0, maxReasonBytes);
    while (Buffer.byteLength(shown) > maxReasonBytes) shown = shown.slice(0, -1);
    this.socket.close(code, shown);
  }

  /** Ends the subscriptions of a socket that has closed. */
  endSubscriptions(): void {
    for (const subscription of this.subscriptions) void subscription.return();
  }

  /** Whether the client reads too slowly for more to be buffered. */
  get isCongested(): boolean {
    return this.socket.bufferedAmount > maxBufferedBytes;
  }

  /** Closes the socket because its caller has been removed or revoked. */
  endAccess(): void {
    this.close(CloseCode.Unauthorized, "The caller's access has ended");
  }

  /**
   * Closes the socket because of a message that is larger than its client may send before
   * it is authenticated.
   */
  closeAsTooLarge(): void {
    this.close(messageTooBig, "The message is too large");
  }

  /** Closes the socket because its client reads too slowly; it may reconnect. */
  closeAsTooSlow(): void {
    this.close(tryAgainLater, "Too slow: events wait to be read");
  }
}

/**
 * The close code for an error. Clients try again with new credentials if theirs have
 * expired, and not if they are invalid.
 */
export function closeCodeOf({ code, reason }: ServiceError): number {
  if (code === "UNAUTHENTICATED") return reason === "EXPIRED" ? CloseCode.Forbidden : CloseCode.Unauthorized;
  if (code === "FORBIDDEN") return CloseCode.Forbidden;
  if (code === "RATE_LIMITED") return CloseCode.TooManyInitialisationRequests;
  return code === "UNAVAILABLE" ? tryAgainLater : CloseCode.InternalServerError;
}
