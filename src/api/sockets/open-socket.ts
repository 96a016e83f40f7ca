import { CloseCode } from "graphql-ws";
import { WebSocket } from "ws";
import type { RequestOrigin, Session } from "../../engine/access/authenticator.js";
import type { AuthenticationReason, ServiceError } from "../../platform/errors/errors.js";
import { LogEntry } from "../../platform/telemetry/log-entry.js";

/** Close codes of RFC 6455, in addition to those of graphql-transport-ws. */
export const goingAway = 1001;
const messageTooBig = 1009;
const tryAgainLater = 1013;

/** The maximum length of a close reason in RFC 6455. */
const maxReasonBytes = 123;

/** The maximum buffered for a client that does not read. */
const maxBufferedBytes = 4 * 1024 * 1024;

/** The client of a socket, known once `connection_init` was accepted. */
export interface SocketClient {
  session: Session;
  origin: RequestOrigin;
  /** Equal for all sockets opened with the same credentials. */
  credentialsKey: string;
}

export class OpenSocket {
  readonly socket: WebSocket;
  /** The id of the socket in the log. */
  readonly id: string;
  /** The log entry for the opening and closing of the socket. */
  readonly logEntry: LogEntry;
  readonly openedAt = performance.now();
  client: SocketClient | undefined;
  /** Whether the caller's access may have changed, and must be checked again. */
  needsAccessCheck = false;
  /** Whether the client has answered the last ping. */
  isAlive = true;
  /**
   * Whether `connection_init` has arrived. From then on, authentication has counted the socket against the
   * address or the caller.
   */
  isInitialized = false;
  /** The length of the message that is handled. */
  messageLength = 0;
  /** The results of the running subscriptions, and the number of subscriptions being started. */
  readonly subscriptions = new Set<{ return(): Promise<unknown> }>();
  starting = 0;

  constructor(socket: WebSocket, { id, address }: { id: string; address: string }) {
    this.socket = socket;
    this.id = id;
    this.logEntry = new LogEntry(address);
  }

  get address(): string {
    return this.logEntry.address;
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Resolves once the text was written to the network, or the socket has closed, which other listeners handle. */
  async send(text: string): Promise<void> {
    if (this.isOpen) await new Promise<void>((resolve) => this.socket.send(text, () => resolve()));
  }

  /** Closes the socket with a code and a reason. The reason is cut to the allowed length. */
  close(code: number, reason: string): void {
    let shown = reason.slice(0, maxReasonBytes);
    while (Buffer.byteLength(shown) > maxReasonBytes) shown = shown.slice(0, -1);
    this.socket.close(code, shown);
  }

  endSubscriptions(): void {
    for (const subscription of this.subscriptions) void subscription.return();
  }

  /** Whether the client reads too slowly to buffer more. */
  get isCongested(): boolean {
    return this.socket.bufferedAmount > maxBufferedBytes;
  }

  /** Closes the socket because its credentials have expired, or its caller has been removed or revoked. */
  endAccess(reason: AuthenticationReason | undefined): void {
    if (reason === "EXPIRED") this.close(CloseCode.Forbidden, "The credentials have expired");
    else this.close(CloseCode.Unauthorized, "The caller's access has ended");
  }

  /** Closes the socket because of a message larger than its unauthenticated client may send. */
  closeAsTooLarge(): void {
    this.close(messageTooBig, "The message is too large");
  }

  /** Closes the socket because its client reads too slowly. The client may reconnect. */
  closeAsTooSlow(): void {
    this.close(tryAgainLater, "Too slow: events wait to be read");
  }
}

/**
 * The close code for an error. Clients retry with new credentials if theirs have expired, but not if they are invalid.
 */
export function closeCodeOf({ code, reason }: ServiceError): number {
  if (code === "UNAUTHENTICATED") return reason === "EXPIRED" ? CloseCode.Forbidden : CloseCode.Unauthorized;
  if (code === "FORBIDDEN") return CloseCode.Forbidden;
  if (code === "RATE_LIMITED") return CloseCode.TooManyInitialisationRequests;
  return code === "UNAVAILABLE" ? tryAgainLater : CloseCode.InternalServerError;
}
