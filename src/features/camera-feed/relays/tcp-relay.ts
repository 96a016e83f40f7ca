import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { type Duplex, pipeline, type Transform } from "node:stream";
import { listeningAddress } from "../../../platform/network/listening-address.js";
import { FeedError, type FeedErrorCode } from "../feed-error.js";

/** More connections than a program needs that follows a redirect, or proves who it is. */
const maxConnections = 4;

interface TcpRelayOptions {
  /** Connects to the camera. Fails with {@link FeedError}. */
  connect: () => Promise<Duplex>;
  /** Makes what reads the responses of a connection's camera on their way. */
  responses?: () => Transform;
  /** Is called when a connection fails. */
  onFailure: (code: FeedErrorCode) => void;
}

/** A port of the loopback address that leads to a camera, for one program. */
export class TcpRelay {
  readonly #server = createServer({ noDelay: true, pauseOnConnect: true }, (client) => {
    this.#relay(client).catch((error) => this.#fail(error, client));
  });
  /** What is open, and when it has closed. */
  readonly #sockets = new Map<Duplex, Promise<void>>();
  /** Connections on which the camera has sent nothing. */
  readonly #unanswered = new Set<Socket>();
  readonly #options: TcpRelayOptions;
  #port = 0;
  #accepted = 0;
  #isClosed = false;

  constructor(options: TcpRelayOptions) {
    this.#options = options;
  }

  async listen(): Promise<void> {
    // A connection that cannot be accepted is missed by ffmpeg alone.
    this.#server.on("error", () => undefined).listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = listeningAddress(this.#server).port;
  }

  get port(): number {
    return this.#port;
  }

  /** Whether the camera was, or is, waited for in vain. */
  get isUnanswered(): boolean {
    return this.#unanswered.size > 0;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const closed = [once(this.#server, "close"), ...this.#sockets.values()];
    this.#server.close();
    for (const socket of this.#sockets.keys()) socket.destroy();
    await Promise.all(closed);
  }

  async #relay(client: Socket): Promise<void> {
    this.#keep(client);
    this.#accepted += 1;
    if (this.#accepted > maxConnections) {
      client.destroy();
      return;
    }
    this.#unanswered.add(client);
    const camera = await this.#options.connect();
    this.#keep(camera);
    if (this.#isClosed) {
      camera.destroy();
      return;
    }
    camera.once("data", () => this.#unanswered.delete(client));
    const responses = this.#options.responses ? [this.#options.responses()] : [];
    pipeline([camera, ...responses, client], (error) => {
      const hangsUp = (camera.readableEnded && !client.readableEnded) || isReset(camera.errored);
      camera.destroy();
      this.#fail(hangsUp && this.#unanswered.has(client) ? new FeedError("REFUSED") : error, client);
    });
    pipeline(client, camera, () => undefined);
  }

  #fail(error: unknown, client: Socket): void {
    client.destroy();
    if (!(error instanceof FeedError)) return;
    this.#unanswered.delete(client);
    this.#options.onFailure(error.code);
  }

  #keep(socket: Duplex): void {
    const closed = new Promise<void>((resolve) => {
      socket.on("error", () => undefined).once("close", resolve);
    });
    this.#sockets.set(
      socket,
      closed.then(() => void this.#sockets.delete(socket)),
    );
  }
}

/** Whether an error came over the network rather than from this program. */
const isReset = (error: NodeJS.ErrnoException | null) => error?.syscall === "read";
