import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished } from "vitest";
import { authorizationOf, type Sender } from "../support/harness.js";
import type { UploadSite } from "./upload-site.js";
import type { Upload } from "./uploads-by-hand.js";

/** An answer as it came over the wire. */
export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** What a request says before its body. */
export interface Head {
  method: string;
  path: string;
  headers: Record<string, string | number>;
}

/** A client that sends a request piece by piece, and reads when it likes; it goes with the running test. */
export class SlowClient {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #isClosed = false;
  #heard: (() => void)[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
    const hear = () => {
      for (const listener of this.#heard.splice(0)) listener();
    };
    socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      hear();
    });
    // What was received before a reset counts.
    socket.on("error", () => {});
    socket.once("close", () => {
      this.#isClosed = true;
      hear();
    });
    onTestFinished(() => void socket.destroy());
  }

  static async connect(url: string): Promise<SlowClient> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    return new SlowClient(socket);
  }

  /** Sends the head of a request. */
  async begin({ method, path, headers }: Head): Promise<void> {
    const lines = Object.entries({ host: "gateway.example", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    await this.send(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  }

  /** Sends something and waits until it is on its way; answers whether that was possible. */
  async send(content: string | Uint8Array): Promise<boolean> {
    if (this.#isClosed) return false;
    return new Promise((resolve) => this.#socket.write(content, (error) => resolve(!error)));
  }

  /** Stops reading until the next answer is asked for. */
  lookAway(): void {
    this.#socket.pause();
  }

  /** The next answer; undefined when the connection ends without one. */
  async answer(): Promise<WireAnswer | undefined> {
    this.#socket.resume();
    for (;;) {
      const answer = this.#takeAnswer();
      if (answer || this.#isClosed) return answer;
      await new Promise<void>((resolve) => this.#heard.push(resolve));
    }
  }

  /** Ends the connection in the middle of whatever goes on, with a farewell or without. */
  async hangUp(how: "politely" | "abruptly"): Promise<void> {
    const closed = this.#isClosed ? undefined : once(this.#socket, "close");
    if (how === "politely") this.#socket.destroy();
    else this.#socket.resetAndDestroy();
    await closed;
  }

  #takeAnswer(): WireAnswer | undefined {
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const [first = "", ...lines] = this.#received.toString("latin1", 0, end).split("\r\n");
    const headers = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]));
    const length = Number(headers["content-length"] ?? 0);
    if (this.#received.length < end + 4 + length) return undefined;
    const text = this.#received.toString("utf8", end + 4, end + 4 + length);
    this.#received = this.#received.subarray(end + 4 + length);
    return { status: Number(first.split(" ")[1]), headers, text };
  }
}

/** Sends the head of an upload as somebody, and nothing else yet. */
export async function beginUpload(
  { gateway, admin }: Pick<UploadSite, "gateway" | "admin">,
  upload: Upload,
  { as = admin, headers = {} }: { as?: Sender; headers?: Head["headers"] } = {},
): Promise<SlowClient> {
  const client = await SlowClient.connect(gateway.url);
  const authorization = await authorizationOf(as);
  await client.begin({ ...upload.head, headers: { ...upload.head.headers, ...(authorization && { authorization }), ...headers } });
  return client;
}

/** Sends an upload up to the middle of its file; something of that has reached the disk when this is done. */
export async function sendHalf(site: UploadSite, upload: Upload, as?: Sender): Promise<SlowClient> {
  const files = async () => (await site.traces()).temporary.filter((name) => /(part|source)$/.test(name));
  const known = await files();
  const client = await beginUpload(site, upload, { as });
  await client.send(upload.body.subarray(0, upload.fileAt + upload.fileLength / 2));
  await expect.poll(async () => (await files()).filter((name) => !known.includes(name)), { interval: 5 }).toHaveLength(1);
  return client;
}

/** What {@link sendHalf} did not send. */
export const secondHalf = (upload: Upload) => upload.body.subarray(upload.fileAt + upload.fileLength / 2);
