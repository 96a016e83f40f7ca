import { randomInt } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { listOf } from "./list-of.js";
import {
  encryptionCodes,
  errorResponse,
  int32,
  MessageReader,
  message,
  packet,
  startupCode,
  typeOf,
} from "./wire-protocol.js";

/**
 * The time for which a client keeps a server connection: during a transaction, or while
 * connected.
 */
type PoolMode = "transaction" | "session";

interface PoolerOptions {
  mode: PoolMode;
  /** The number of connections to the server. */
  size?: number;
}

interface Client {
  socket: Socket;
  parameters: StartupParameters;
  server?: ServerConnection;
}

type StartupParameters = Record<string, string>;

/** The startup parameters that PgBouncer hands on; it refuses others. */
const trackedParameters = [
  "user",
  "database",
  "client_encoding",
  "datestyle",
  "timezone",
  "standard_conforming_strings",
  "application_name",
];

/**
 * A connection pooler on loopback before a PostgreSQL server that trusts all connections
 * from there. Forwards statements unchanged: in transaction mode like a PgBouncer that
 * does not rename prepared statements.
 */
export class TcpPooler {
  readonly #server = createServer({ noDelay: true }, (socket) => void this.#accept(socket));
  readonly #target: URL;
  readonly #mode: PoolMode;
  readonly #size: number;
  readonly #clients = new Set<Socket>();
  readonly #servers = new Set<ServerConnection>();
  /** Server connections without a client, the one that was used last at the end. */
  readonly #idle: ServerConnection[] = [];
  /**
   * Clients without a server connection. Each is called with a free one, or without one
   * when there may be another.
   */
  readonly #waiting: ((server?: ServerConnection) => void)[] = [];
  /** A server's first messages to a client, without the key. */
  #greeting: Promise<Buffer> | undefined;
  /** The number of server connections, including those that are being opened. */
  #opened = 0;

  private constructor(target: URL, { mode, size = 10 }: PoolerOptions) {
    this.#target = target;
    this.#mode = mode;
    this.#size = size;
  }

  /** Opens a pooler to the database of a URL. */
  static async open(url: string, options: PoolerOptions): Promise<TcpPooler> {
    const pooler = new TcpPooler(new URL(url), options);
    pooler.#server.listen(0, "127.0.0.1");
    await once(pooler.#server, "listening");
    return pooler;
  }

  /** The database's URL, by way of the pooler. */
  get url(): string {
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Closes all connections and refuses new ones. */
  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#clients) socket.destroy();
    for (const { socket } of this.#servers) socket.destroy();
    await closed;
  }

  async #accept(socket: Socket): Promise<void> {
    this.#clients.add(socket);
    socket.once("close", () => void this.#clients.delete(socket));
    // Also an error that occurs when nothing is read any more must not go unhandled.
    socket.on("error", () => {});
    const reader = new MessageReader(socket);
    try {
      const parameters = await this.#admit(socket, reader);
      if (parameters) await this.#serve({ socket, parameters }, reader);
    } catch (error) {
      socket.write(errorResponse("08006", (error as Error).message));
    }
    // Reading is the only way to notice the end of the client.
    socket.resume().end();
  }

  /**
   * Answers messages before the first statement; undefined if none can follow, such as
   * after a CancelRequest.
   */
  async #admit(socket: Socket, reader: MessageReader): Promise<StartupParameters | undefined> {
    let startup = await reader.next("startup");
    while (startup && encryptionCodes.includes(startup.readInt32BE(4))) {
      socket.write("N");
      startup = await reader.next("startup");
    }
    if (startup?.readInt32BE(4) !== startupCode) return undefined;
    const parameters = startupParameters(startup);
    const untracked = Object.keys(parameters).find((name) => !trackedParameters.includes(name.toLowerCase()));
    if (untracked) {
      socket.write(errorResponse("08P01", `unsupported startup parameter: ${untracked}`));
      return undefined;
    }
    this.#greeting ??= this.#learnGreeting(parameters);
    const greeting = await this.#greeting;
    // The number for cancelling statements is larger than that of any process.
    const key = Buffer.concat([int32(randomInt(2 ** 30, 2 ** 31)), int32(randomInt(2 ** 31))]);
    socket.write(Buffer.concat([greeting, message("K", key), message("Z", Buffer.from("I"))]));
    return parameters;
  }

  async #serve(client: Client, reader: MessageReader): Promise<void> {
    try {
      for (
        let sent = await reader.next("typed");
        sent && typeOf(sent) !== "X";
        sent = await reader.next("typed")
      ) {
        client.server ??= await this.#assign(client);
        client.server.send(sent);
      }
    } finally {
      // In the middle of a transaction or a session, no other client could use the server
      // connection.
      client.server?.socket.destroy();
    }
  }

  /** Makes a server connection serve a client, as soon as one is free. */
  async #assign(client: Client): Promise<ServerConnection> {
    for (;;) {
      const server =
        this.#idle.pop() ??
        (this.#opened < this.#size ? await this.#openServer(client.parameters) : await this.#nextServer());
      if (server) return Object.assign(server, { client });
    }
  }

  #nextServer(): Promise<ServerConnection | undefined> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async #learnGreeting(parameters: StartupParameters): Promise<Buffer> {
    const server = await this.#openServer(parameters);
    this.#release(server);
    return server.greeting;
  }

  async #openServer(parameters: StartupParameters): Promise<ServerConnection> {
    this.#opened += 1;
    try {
      const server = await ServerConnection.open(this.#target, parameters);
      this.#servers.add(server);
      void this.#relay(server);
      return server;
    } catch (error) {
      this.#vacate();
      throw error;
    }
  }

  /** Hands the server's messages to its client until the connection ends. */
  async #relay(server: ServerConnection): Promise<void> {
    try {
      for (let said = await server.receive(); said; said = await server.receive()) {
        const { client } = server;
        client?.socket.write(said);
        if (this.#mode === "transaction" && client && server.isBetweenTransactions) {
          delete client.server;
          this.#release(server);
        }
      }
    } catch {
      // A failed connection counts as ended.
    }
    server.socket.destroy();
    server.client?.socket.end();
    this.#servers.delete(server);
    const index = this.#idle.indexOf(server);
    if (index >= 0) this.#idle.splice(index, 1);
    this.#vacate();
  }

  /** Lets another server connection be opened. */
  #vacate(): void {
    this.#opened -= 1;
    this.#waiting.shift()?.();
  }

  #release(server: ServerConnection): void {
    delete server.client;
    const waiting = this.#waiting.shift();
    if (waiting) waiting(server);
    else this.#idle.push(server);
  }
}

class ServerConnection {
  client?: Client;
  readonly socket: Socket;
  /** The server's messages at the start, for clients. */
  readonly greeting: Buffer;
  readonly #reader: MessageReader;
  /** The number of messages that still expect a ReadyForQuery. */
  #expected = 0;
  /** Whether a message of the extended protocol was sent whose Sync is still missing. */
  #isUnsynchronized = false;
  #status = "I";

  private constructor(socket: Socket, reader: MessageReader, greeting: Buffer) {
    this.socket = socket;
    this.#reader = reader;
    this.greeting = greeting;
  }

  static async open({ hostname, port }: URL, parameters: StartupParameters): Promise<ServerConnection> {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port || 5432),
      noDelay: true,
    });
    socket.on("error", () => {});
    const reader = new MessageReader(socket);
    const body = Object.entries(parameters).flat();
    socket.write(packet(int32(startupCode), Buffer.from([...body, "", ""].join("\0"))));
    const greeting: Buffer[] = [];
    for (;;) {
      const said = await reader.next("typed");
      if (!said) throw new Error("The server ended the connection");
      const type = typeOf(said);
      if (type === "E") throw new Error(said.toString("utf8", 5).replaceAll("\0", " "));
      if (type === "R" && said.readInt32BE(5) !== 0)
        throw new Error("The server must not ask for a password (trust authentication)");
      if (type === "Z") return new ServerConnection(socket, reader, Buffer.concat(greeting));
      // AuthenticationOk and ParameterStatus.
      if ("RS".includes(type)) greeting.push(said);
    }
  }

  get isBetweenTransactions(): boolean {
    return this.#expected === 0 && !this.#isUnsynchronized && this.#status === "I";
  }

  send(sent: Buffer): void {
    const type = typeOf(sent);
    // Query, FunctionCall and Sync.
    if ("QFS".includes(type)) {
      this.#expected += 1;
      this.#isUnsynchronized = false;
    } else if (!"dcf".includes(type)) this.#isUnsynchronized = true;
    this.socket.write(sent);
  }

  async receive(): Promise<Buffer | undefined> {
    const said = await this.#reader.next("typed");
    if (said && typeOf(said) === "Z") {
      this.#expected -= 1;
      this.#status = said.toString("latin1", 5);
    }
    return said;
  }
}

function startupParameters(startup: Buffer): StartupParameters {
  const texts = startup.toString("utf8", 8).split("\0").slice(0, -2);
  return Object.fromEntries(listOf(texts.length / 2, (index) => texts.slice(2 * index, 2 * index + 2)));
}
