import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** How a camera answers a request: with the answer of an orderly one, changed. */
export type Quirk = (
  answer: string,
  request: { method: string; text: string },
) => string | { answer: string; closes: true };

/**
 * A camera that stands before an RTSP server and changes its answers. What it closes, the
 * server keeps, so that only the client notices.
 */
export class QuirkyCamera {
  /** The requests so far, as text. */
  readonly requests: string[] = [];
  readonly #port: number;
  readonly #quirk: Quirk;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  /** A connection to the server whose client was left. */
  #kept: Socket | undefined;

  private constructor(port: number, quirk: Quirk) {
    this.#port = port;
    this.#quirk = quirk;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** `port` is that of the server on loopback. */
  static async start(port: number, quirk: Quirk): Promise<QuirkyCamera> {
    const camera = new QuirkyCamera(port, quirk);
    camera.#server.listen(0, "127.0.0.1");
    await once(camera.#server, "listening");
    return camera;
  }

  url(path: string, account = ""): string {
    return `rtsp://${account}127.0.0.1:${(this.#server.address() as AddressInfo).port}/${path}`;
  }

  /** The methods of all requests so far. */
  get methods(): string[] {
    return this.requests.map((request) => request.slice(0, request.indexOf(" ")));
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(client: Socket): void {
    const server = this.#kept ?? connect(this.#port, "127.0.0.1");
    this.#kept = undefined;
    server.removeAllListeners();
    let unanswered: string[] = [];
    let isPlaying = false;
    let isLeft = false;
    let received = Buffer.alloc(0);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket
        .on("error", () => {})
        .once("close", () => {
          if (!isLeft) other.destroy();
        });
    }
    client.on("data", (bytes) => {
      const text = bytes.toString("latin1");
      const requests = text.startsWith("$") ? [] : text.split("\r\n\r\n").filter((each) => each !== "");
      this.requests.push(...requests);
      unanswered = [...unanswered, ...requests];
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      received = Buffer.concat([received, bytes]);
      for (let length = lengthOf(received); !isPlaying && length > 0; length = lengthOf(received)) {
        const answer = received.toString("latin1", 0, length);
        received = received.subarray(length);
        const text = unanswered.shift() ?? "";
        const [method = ""] = text.split(" ");
        isPlaying = method === "PLAY";
        isLeft = this.#pass(client, this.#quirk(answer, { method, text }));
        if (isLeft) this.#kept = server;
      }
      if (!isPlaying) return;
      client.write(received);
      received = Buffer.alloc(0);
    });
  }

  /** Sends an answer. Returns whether the client was left with it. */
  #pass(client: Socket, changed: ReturnType<Quirk>): boolean {
    client.write(withLength(typeof changed === "string" ? changed : changed.answer), "latin1");
    if (typeof changed === "string") return false;
    client.removeAllListeners("data").resume().end();
    return true;
  }
}

/** The length of the first answer; 0 unless it is there as a whole. */
function lengthOf(received: Buffer): number {
  const end = received.indexOf("\r\n\r\n") + 4;
  const length = /^Content-Length: *(\d+)/im.exec(received.toString("latin1", 0, end))?.[1] ?? 0;
  return end < 4 || received.length < end + Number(length) ? 0 : end + Number(length);
}

/** An answer with the length of its body. */
function withLength(answer: string): string {
  const end = answer.indexOf("\r\n\r\n") + 4;
  return answer.replace(/^(Content-Length): *\d+/im, `$1: ${answer.length - end}`);
}
