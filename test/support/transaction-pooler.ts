import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import pg from "pg";
import { onTestFinished } from "vitest";

interface PoolerOptions {
  /** Whether each client has names of its own, and its statements are prepared wherever they are run. */
  renamesStatements: boolean;
  /** Settings of the server connections, as a role has them. */
  settings?: Record<string, string | number>;
}

/** A connection to the server, and the names of the statements that are prepared there. */
interface ServerConnection {
  client: pg.Client;
  socket: Socket;
  prepared: Set<string>;
}

interface Message {
  type: string;
  bytes: Buffer;
}

/** As PgBouncer: these reach the server with any of its connections, others are refused. */
const trackedParameters = ["user", "database", "client_encoding", "application_name", "TimeZone"];
const sslRequest = 80_877_103;
const serverConnections = 3;

/**
 * A pooler on loopback that, as PgBouncer with `pool_mode = transaction`, gives each transaction another server connection: always
 * the one that has been idle for longest.
 */
export class TransactionPooler {
  renamesStatements: boolean;
  /** The database's URL through the pooler. */
  url = "";
  readonly #listener: Server;
  readonly #idle: ServerConnection[] = [];
  readonly #all: ServerConnection[] = [];
  readonly #waiting: ((server: ServerConnection) => void)[] = [];
  readonly #clients = new Set<Socket>();
  #lastClient = 0;

  private constructor({ renamesStatements }: PoolerOptions) {
    this.renamesStatements = renamesStatements;
    this.#listener = createServer({ noDelay: true }, (socket) => {
      this.#lastClient += 1;
      this.#clients.add(socket);
      // A client that goes away in the middle ends its service only.
      socket.on("error", () => {});
      socket.on("close", () => this.#clients.delete(socket));
      void this.#serve(socket, this.#lastClient);
    });
  }

  /** Starts a pooler before the server of a database's URL, which ends with the running test. */
  static async start(target: string, options: PoolerOptions): Promise<TransactionPooler> {
    const pooler = new TransactionPooler(options);
    for (let index = 0; index < serverConnections; index += 1) await pooler.#connect(target, options.settings ?? {});
    pooler.#listener.listen(0, "127.0.0.1");
    await once(pooler.#listener, "listening");
    const url = new URL(target);
    url.host = `127.0.0.1:${(pooler.#listener.address() as AddressInfo).port}`;
    pooler.url = url.href;
    onTestFinished(() => pooler.#close());
    return pooler;
  }

  async #connect(target: string, settings: Record<string, string | number>): Promise<void> {
    // The library logs in; then its connection is used without it.
    const client = new pg.Client({ connectionString: target });
    client.on("error", () => {});
    await client.connect();
    for (const [name, value] of Object.entries(settings)) await client.query("SELECT set_config($1, $2, false)", [name, String(value)]);
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    stream.removeAllListeners("data");
    stream.pause();
    const server = { client, socket: stream, prepared: new Set<string>() };
    this.#all.push(server);
    this.#idle.push(server);
  }

  async #close(): Promise<void> {
    this.#listener.close();
    for (const client of this.#clients) client.destroy();
    for (const { socket } of this.#all) socket.destroy();
  }

  async #serve(client: Socket, number: number): Promise<void> {
    const parameters = await logIn(client, number);
    if (!parameters) return;
    const texts = new Map<string, Buffer>();
    let server: ServerConnection | undefined;
    let batch: Message[] = [];
    try {
      for await (const message of messagesOf(client)) {
        if (message.type === "X") break;
        batch.push(message);
        // Only these are answered with ReadyForQuery.
        if (message.type !== "Q" && message.type !== "S") continue;
        if (!server) {
          server = await this.#take();
          await this.#setTimeZone(server, parameters.get("TimeZone"));
        }
        const isIdle = await exchange(
          client,
          server,
          this.renamesStatements ? renamed(batch, { server, texts, number }) : { sent: batch, isAdded: false },
        );
        batch = [];
        if (isIdle) {
          this.#giveBack(server);
          server = undefined;
        }
      }
    } finally {
      client.destroy();
      if (server) {
        await exchange(undefined, server, { sent: [query("ROLLBACK")], isAdded: false });
        this.#giveBack(server);
      }
    }
  }

  async #setTimeZone(server: ServerConnection, timeZone: string | undefined): Promise<void> {
    if (timeZone) await exchange(undefined, server, { sent: [query(`SET TimeZone = '${timeZone}'`)], isAdded: false });
  }

  async #take(): Promise<ServerConnection> {
    return this.#idle.shift() ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  #giveBack(server: ServerConnection): void {
    const next = this.#waiting.shift();
    if (next) next(server);
    else this.#idle.push(server);
  }
}

/** Takes a client's startup message, and answers that it is logged in. Undefined if it is refused. */
async function logIn(client: Socket, number: number): Promise<Map<string, string> | undefined> {
  let body = await startupMessage(client);
  if (body.length === 4 && body.readInt32BE() === sslRequest) {
    client.write("N");
    body = await startupMessage(client);
  }
  const parts = body.toString("utf8", 4).split("\0");
  const parameters = new Map<string, string>();
  for (let index = 0; parts[index]; index += 2) parameters.set(parts[index] as string, parts[index + 1] ?? "");
  const untracked = [...parameters.keys()].find((name) => !trackedParameters.includes(name));
  if (untracked) {
    client.end(framed("E", Buffer.from(`SFATAL\0C08P01\0Munsupported startup parameter: ${untracked}\0\0`)));
    return undefined;
  }
  const key = Buffer.alloc(8);
  key.writeInt32BE(-number);
  client.write(Buffer.concat([framed("R", Buffer.alloc(4)), framed("K", key), framed("Z", Buffer.from("I"))]));
  return parameters;
}

async function startupMessage(client: Socket): Promise<Buffer> {
  const length = (await read(client, 4)).readInt32BE();
  return read(client, length - 4);
}

/** The messages that a logged-in client or the server sends. */
async function* messagesOf(socket: Socket): AsyncGenerator<Message> {
  for (;;) {
    const head = await read(socket, 5).catch(() => undefined);
    if (!head) return;
    const body = await read(socket, head.readInt32BE(1) - 4);
    yield { type: head.toString("latin1", 0, 1), bytes: Buffer.concat([head, body]) };
  }
}

async function read(socket: Socket, length: number): Promise<Buffer> {
  if (length === 0) return Buffer.alloc(0);
  for (;;) {
    const bytes = socket.read(length) as Buffer | null;
    if (bytes?.length === length) return bytes;
    if (bytes || socket.destroyed || socket.readableEnded) throw new Error("The connection was closed");
    await new Promise<void>((resolve) => {
      const go = () => {
        for (const event of ["readable", "end", "close"]) socket.off(event, go);
        resolve();
      };
      for (const event of ["readable", "end", "close"]) socket.on(event, go);
    });
  }
}

const framed = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type, "latin1");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

const query = (sql: string): Message => ({ type: "Q", bytes: framed("Q", Buffer.from(`${sql}\0`)) });

/** Sends messages to the server and its answers to the client, if there is one. Answers whether the connection is in no transaction. */
async function exchange(
  client: Socket | undefined,
  server: ServerConnection,
  { sent, isAdded }: { sent: Message[]; isAdded: boolean },
): Promise<boolean> {
  server.socket.write(Buffer.concat(sent.map(({ bytes }) => bytes)));
  let isFirst = true;
  for await (const { type, bytes } of messagesOf(server.socket)) {
    // The client knows nothing of a Parse message that was added.
    if (!(isAdded && isFirst && type === "1")) client?.write(bytes);
    isFirst = false;
    if (type === "Z") return bytes.toString("latin1", 5) === "I";
  }
  throw new Error("The server closed a connection of the pooler");
}

/** Messages of a client under names of its own, with a Parse message before them if the statement is not prepared on this connection. */
function renamed(batch: Message[], { server, texts, number }: { server: ServerConnection; texts: Map<string, Buffer>; number: number }) {
  const sent: Message[] = [];
  let isAdded = false;
  for (const message of batch) {
    const body = message.bytes.subarray(5);
    if (message.type === "P") {
      const end = body.indexOf(0);
      const name = body.toString("utf8", 0, end);
      if (name) {
        const ownName = `client_${number}_${name}`.slice(0, 63);
        const bytes = framed("P", Buffer.concat([Buffer.from(ownName), body.subarray(end)]));
        texts.set(name, bytes);
        server.prepared.add(ownName);
        sent.push({ type: "P", bytes });
        continue;
      }
    }
    if (message.type === "B") {
      const start = body.indexOf(0) + 1;
      const end = body.indexOf(0, start);
      const name = body.toString("utf8", start, end);
      const parse = texts.get(name);
      if (parse) {
        const ownName = `client_${number}_${name}`.slice(0, 63);
        if (!server.prepared.has(ownName)) {
          server.prepared.add(ownName);
          isAdded = true;
          sent.push({ type: "P", bytes: parse });
        }
        sent.push({ type: "B", bytes: framed("B", Buffer.concat([body.subarray(0, start), Buffer.from(ownName), body.subarray(end)])) });
        continue;
      }
    }
    sent.push(message);
  }
  return { sent, isAdded };
}
