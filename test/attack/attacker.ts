import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pLimit from "p-limit";
import { WebSocket } from "ws";
import { type RawRequest, type RawResponse, sendRaw } from "../http/raw-request.js";
import type { Target } from "./target.js";

/**
 * A client with its own address and users, so that the limits of one attack do not affect
 * the next.
 */
export class Attacker {
  readonly #open = new Set<{ destroy(): void }>();

  constructor(
    readonly target: Target,
    /** The source address of the connections. */
    readonly address: string,
  ) {}

  /** The Authorization header of a new user, with all permissions or with none. */
  newUser(permissions: "all" | "none" = "all"): Promise<string> {
    return this.target.newUser(permissions);
  }

  /**
   * Sends a request on a new connection; undefined if the gateway closes it without an
   * answer.
   */
  async send(request: RawRequest): Promise<RawResponse | undefined> {
    const { localAddress = this.address, ...others } = request;
    try {
      return await sendRaw(this.target.url, { ...others, localAddress });
    } catch {
      return undefined;
    }
  }

  /**
   * Sends requests, at most a number at a time. Returns the number of requests per kind
   * of answer.
   */
  async sendAll(requests: readonly RawRequest[], concurrency = requests.length): Promise<string> {
    const limit = pLimit(concurrency);
    const answers = await Promise.all(requests.map((request) => limit(() => this.send(request))));
    return summaryOf(answers);
  }

  /**
   * Opens a connection; undefined if the gateway refuses. With `reads`, reads that number
   * of bytes per second, otherwise nothing.
   */
  async connect({ reads }: { reads?: number } = {}): Promise<Socket | undefined> {
    const { hostname, port } = new URL(this.target.url);
    const options = { host: hostname, port: Number(port), localAddress: this.address };
    // The callback's result pauses the socket after each chunk.
    const socket = reads
      ? connect({ ...options, onread: { buffer: Buffer.alloc(reads), callback: () => false } })
      : connect(options);
    const timer = reads ? setInterval(() => socket.resume(), 1_000) : undefined;
    this.#open.add(socket);
    socket.on("error", () => {}).once("close", () => clearInterval(timer));
    await Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => {});
    if (socket.destroyed) return undefined;
    if (!reads) socket.pause();
    return socket;
  }

  /**
   * Sends requests on one connection without waiting for answers; returns the statuses
   * that were read, or the number of bytes left unread.
   */
  async pipeline(
    requests: readonly RawRequest[],
    { reads = true, patienceMs = 20_000 } = {},
  ): Promise<string> {
    const socket = await this.connect();
    if (!socket) return "refused";
    const statuses = new Map<string, number>();
    let answers = 0;
    let rest = "";
    const finished = new Promise<void>((resolve) => {
      socket.once("close", () => resolve());
      if (!reads) return;
      socket.on("data", (chunk: Buffer) => {
        const text = rest + chunk.toString("latin1");
        let end = 0;
        for (const match of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
          const status = match[1] as string;
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          answers += 1;
          end = match.index + match[0].length;
        }
        // A status line may be split between two chunks.
        rest = text.slice(Math.max(end, text.length - "HTTP/1.1 200".length));
        if (answers >= requests.length) resolve();
      });
      socket.resume();
    });
    socket.write(requests.map((request) => encodeRequest(request)).join(""));
    await Promise.race([finished, sleep(patienceMs)]);
    if (!reads) return socket.destroyed ? "closed" : "left open";
    return `${summary(statuses)}${answers < requests.length ? `, ${requests.length - answers} unanswered` : ""}`;
  }

  /**
   * Opens a WebSocket on /graphql; undefined if the gateway refuses. Initializes the
   * socket if given an Authorization header.
   */
  async openSocket(authorization?: string): Promise<WebSocket | undefined> {
    const url = `${this.target.url.replace("http", "ws")}/graphql`;
    const socket = new WebSocket(url, ["graphql-transport-ws"], { localAddress: this.address });
    this.#open.add({ destroy: () => socket.terminate() });
    socket.on("error", () => {});
    const isOpen = await new Promise<boolean>((resolve) =>
      socket.once("open", () => resolve(true)).once("close", () => resolve(false)),
    );
    if (!isOpen) return undefined;
    if (authorization === undefined) return socket;
    socket.send(JSON.stringify({ type: "connection_init", payload: { authorization } }));
    const isAcknowledged = await new Promise<boolean>((resolve) =>
      socket.once("message", () => resolve(true)).once("close", () => resolve(false)),
    );
    return isAcknowledged ? socket : undefined;
  }

  /** Closes everything that the attack has left open. */
  close(): void {
    for (const each of this.#open) each.destroy();
    this.#open.clear();
  }
}

function encodeRequest({ method = "GET", path, headers = {}, body = "" }: RawRequest): string {
  const all = {
    host: "gateway.example",
    ...headers,
    ...(body.length > 0 && { "content-length": String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/** The number of answers per status. Throws on an internal error. */
export function summaryOf(answers: readonly (RawResponse | undefined)[]): string {
  const statuses = new Map<string, number>();
  for (const answer of answers) {
    const isFault = answer && (answer.status === 500 || answer.text.includes('"INTERNAL"'));
    if (isFault) throw new Error(`an answer with ${answer.status}: ${answer.text.slice(0, 200)}`);
    const code = /"code":"(\w+)"/.exec(answer?.text ?? "")?.[1];
    const status = [answer?.status ?? "closed", code].filter(Boolean).join(" ");
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  return summary(statuses);
}

const summary = (counts: ReadonlyMap<string, number>) =>
  [...counts].map(([what, count]) => `${count} × ${what}`).join(", ");
