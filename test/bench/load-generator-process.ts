import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { listOf } from "../support/list-of.js";
import type { HttpRequest } from "./load.js";
import type { GeneratedLoad, LoadJob } from "./load-generator.js";
import { percentile } from "./measured-process.js";

// A process that sends its parent's requests: see load-generator.ts. Reads only the
// status and the end of an answer, because it shares the cores with the measured server.

/** The maximum lateness of timers, in milliseconds, which is not the server's fault. */
const timerResolution = 1;

const endOfHead = Buffer.from("\r\n\r\n");
const lastChunk = Buffer.from("\r\n0\r\n\r\n");

/** A connection that is kept alive, with one request at a time. */
class Connection {
  #onAnswer: ((status: number) => void) | undefined;
  #head: Buffer = Buffer.alloc(0);
  #status = 0;
  /**
   * The number of outstanding bytes of the body. NaN for a body in chunks; then {@link
   * #tail} has the end so far.
   */
  #missing: number | undefined;
  #tail: Buffer = Buffer.alloc(0);

  #socket: Socket;

  private constructor(private readonly address: URL) {
    this.#socket = this.#connect();
  }

  static async open(address: URL): Promise<Connection> {
    const connection = new Connection(address);
    await once(connection.#socket, "connect");
    return connection;
  }

  /**
   * Sends a request, on a new connection if the server has closed this one. If the server
   * closes it before the answer is complete, the status is 0.
   */
  send(message: Buffer, onAnswer: (status: number) => void): void {
    this.#onAnswer = onAnswer;
    if (!this.#socket.writable) this.#socket = this.#connect();
    this.#socket.write(message);
  }

  close(): void {
    this.#onAnswer = undefined;
    this.#socket.destroy();
  }

  #connect(): Socket {
    const socket = connect({ host: this.address.hostname, port: Number(this.address.port), noDelay: true });
    socket.on("data", (data) => this.#receive(data));
    socket.on("close", () => {
      if (socket === this.#socket) this.#finish(0);
    });
    socket.on("error", (error) => console.error(`A connection failed: ${error.message}`));
    return socket;
  }

  #receive(data: Buffer): void {
    if (this.#missing === undefined) this.#receiveHead(data);
    else this.#receiveBody(data);
  }

  #receiveHead(data: Buffer): void {
    this.#head = this.#head.length > 0 ? Buffer.concat([this.#head, data]) : data;
    const end = this.#head.indexOf(endOfHead);
    if (end < 0) return;
    const head = this.#head.toString("latin1", 0, end).toLowerCase();
    const body = this.#head.subarray(end + endOfHead.length);
    this.#status = Number(head.slice(9, 12));
    this.#missing = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1]);
    this.#receiveBody(body);
  }

  #receiveBody(data: Buffer): void {
    const missing = (this.#missing as number) - data.length;
    this.#missing = missing;
    if (Number.isNaN(missing)) this.#tail = Buffer.concat([this.#tail, data]).subarray(-lastChunk.length);
    if (Number.isNaN(missing) ? this.#tail.equals(lastChunk) : missing <= 0) this.#finish(this.#status);
  }

  #finish(status: number): void {
    const onAnswer = this.#onAnswer;
    this.#head = this.#tail = Buffer.alloc(0);
    this.#missing = this.#onAnswer = undefined;
    onAnswer?.(status);
  }
}

function messageOf({ host }: URL, { method, path, headers, body = "" }: HttpRequest): Buffer {
  const fields = {
    host,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, "", body].join("\r\n"));
}

async function generate({ url, requests, connections, seconds, perSecond }: LoadJob): Promise<GeneratedLoad> {
  const address = new URL(url);
  const messages = requests.map((request) => messageOf(address, request));
  const opened = await Promise.all(listOf(connections, () => Connection.open(address)));
  const idle = [...opened];
  /** The due times of requests for which no connection was free. */
  const waiting: number[] = [];
  const latencies: number[] = [];
  let [sent, refused] = [0, 0];
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  const end = started + seconds * 1000;
  const send = (connection: Connection, due: number) => {
    connection.send(messages[sent % messages.length] as Buffer, (status) => {
      const now = performance.now();
      if (status === 200) latencies.push(now - due);
      else refused += 1;
      const next = perSecond === undefined && now < end ? now : waiting.shift();
      if (next === undefined) idle.push(connection);
      else send(connection, next);
    });
    sent += 1;
  };
  if (perSecond === undefined) for (const connection of idle.splice(0)) send(connection, started);
  // Sends requests at random times like independent callers, whether or not earlier ones
  // are answered.
  const gap = () => (-Math.log(1 - Math.random()) * 1000) / (perSecond as number);
  for (let due = perSecond === undefined ? end : started + gap(); performance.now() < end; ) {
    for (const now = performance.now(); due <= now && due < end; due += gap()) {
      // An answer that is late because this process had to wait counts as if its request
      // had been sent in time.
      const from = Math.min(now, due + timerResolution);
      const connection = idle.shift();
      if (connection) send(connection, from);
      else waiting.push(from);
    }
    await new Promise((resolve) =>
      setTimeout(resolve, Math.max(timerResolution, Math.min(due, end) - performance.now())),
    );
  }
  while (idle.length < connections) await new Promise((resolve) => setTimeout(resolve, 5));
  const elapsed = (performance.now() - started) / 1000;
  for (const connection of opened) connection.close();
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    rate: latencies.length / elapsed,
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    p99: percentile(latencies, 0.99),
    refused: refused + waiting.length,
    cpuShare: (user + system) / 1e6 / elapsed,
  };
}

process.on("message", async (job: LoadJob) => process.send?.(await generate(job)));
