import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { authorizationOf, type Sender } from "../support/harness.js";
import type { RawUpload } from "./raw-uploads.js";
import { storedFilesIn, type UploadSite } from "./upload-site.js";

/** A received response. */
export interface RawResponse {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** The request line and headers of a request. */
export interface RequestHead {
  method: string;
  path: string;
  headers: Record<string, string | number>;
}

/**
 * A client that controls the times of sending the parts of a request and of reading.
 * Closed at the end of the test.
 */
export class SlowClient {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #isClosed = false;
  #listeners: (() => void)[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
    const notify = () => {
      for (const listener of this.#listeners.splice(0)) listener();
    };
    socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      notify();
    });
    // Data received before a reset is still read.
    socket.on("error", () => {});
    socket.once("close", () => {
      this.#isClosed = true;
      notify();
    });
    onTestFinished(() => void socket.destroy());
  }

  static async connect(url: string): Promise<SlowClient> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    return new SlowClient(socket);
  }

  /** Sends the request line and headers. */
  async sendHead({ method, path, headers }: RequestHead): Promise<void> {
    const lines = Object.entries({ host: "gateway.example", ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    await this.send(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  }

  /** Sends data, and waits until it has been written. Returns whether that succeeded. */
  async send(content: string | Uint8Array): Promise<boolean> {
    if (this.#isClosed) return false;
    return new Promise((resolve) => this.#socket.write(content, (error) => resolve(!error)));
  }

  /** Stops reading until {@link response} is called. */
  pauseReading(): void {
    this.#socket.pause();
  }

  /** The next response; undefined if the connection ends without one. */
  async response(): Promise<RawResponse | undefined> {
    this.#socket.resume();
    for (;;) {
      const response = this.#takeResponse();
      if (response || this.#isClosed) return response;
      await new Promise<void>((resolve) => this.#listeners.push(resolve));
    }
  }

  /** Closes the connection immediately, with FIN or with RST. */
  async disconnect(how: "cleanly" | "abruptly"): Promise<void> {
    const closed = this.#isClosed ? undefined : once(this.#socket, "close");
    if (how === "cleanly") this.#socket.destroy();
    else this.#socket.resetAndDestroy();
    await closed;
  }

  #takeResponse(): RawResponse | undefined {
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const [first = "", ...lines] = this.#received.toString("latin1", 0, end).split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(":")).toLowerCase(),
        line.slice(line.indexOf(":") + 2),
      ]),
    );
    const length = Number(headers["content-length"] ?? 0);
    if (this.#received.length < end + 4 + length) return undefined;
    const text = this.#received.toString("utf8", end + 4, end + 4 + length);
    this.#received = this.#received.subarray(end + 4 + length);
    return { status: Number(first.split(" ")[1]), headers, text };
  }
}

/** Sends only the headers of an upload. */
export async function startUpload(
  { gateway, admin }: Pick<UploadSite, "gateway" | "admin">,
  upload: RawUpload,
  { as = admin, headers = {} }: { as?: Sender; headers?: RequestHead["headers"] } = {},
): Promise<SlowClient> {
  const client = await SlowClient.connect(gateway.url);
  const authorization = await authorizationOf(as);
  await client.sendHead({
    ...upload.head,
    headers: { ...upload.head.headers, ...(authorization && { authorization }), ...headers },
  });
  return client;
}

/**
 * Sends an upload up to the middle of its file and waits until a part of it has been
 * written to disk.
 */
export async function sendHalf(site: UploadSite, upload: RawUpload, as?: Sender): Promise<SlowClient> {
  const files = async () =>
    (await storedFilesIn(site.dataDirectory)).temporary.filter((name) => /(part|source)$/.test(name));
  const known = await files();
  const client = await startUpload(site, upload, { as });
  await client.send(upload.body.subarray(0, upload.fileAt + upload.fileLength / 2));
  await expect
    .poll(async () => (await files()).filter((name) => !known.includes(name)), { interval: 5 })
    .toHaveLength(1);
  return client;
}

/** The part of the body that {@link sendHalf} did not send. */
export const secondHalf = (upload: RawUpload) => upload.body.subarray(upload.fileAt + upload.fileLength / 2);
