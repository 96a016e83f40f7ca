import { Duplex } from "node:stream";
import { setFlagsFromString } from "node:v8";
import type { PGlite } from "@electric-sql/pglite";
import { ConnectionPool } from "./connection-pool.js";
import { setEmbedded } from "./session-settings.js";

/** Half the default: the buffers are always resident, and cleared at each start. */
const sharedBuffers = "64MB";

/** The type of the message that ends a client's connection. */
const terminate = "X".charCodeAt(0);

/** A PostgreSQL server within this process, with a single session. */
export class EmbeddedServer {
  readonly #server: PGlite;

  private constructor(server: PGlite) {
    this.#server = server;
  }

  /** Starts a server on the files of a directory, and creates missing files. */
  static async start(directory: string): Promise<EmbeddedServer> {
    // Delay V8's optimisation of WebAssembly. It would spend a third of the start on code
    // that hardly runs later.
    setFlagsFromString("--wasm-tiering-budget=500000000");
    // Load on demand, like everything that takes tens of milliseconds and that some
    // gateways never need.
    const { PGlite } = await import("@electric-sql/pglite");
    return new EmbeddedServer(
      await PGlite.create(directory, {
        startParams: [...PGlite.defaultStartParams, "-c", `shared_buffers=${sharedBuffers}`],
      }),
    );
  }

  /** Whether the server has been closed, and runs nothing any more. */
  get isClosed(): boolean {
    return this.#server.closed;
  }

  /**
   * Creates a pool with the only possible connection. Ignores settings of connections in
   * the environment.
   */
  createPool(onStatementEnd?: (milliseconds: number) => void): ConnectionPool {
    const config = {
      stream: () => new EmbeddedStream(this.#server),
      host: "embedded",
      user: "postgres",
      database: "postgres",
      password: "",
      options: "",
      ssl: false,
    };
    return new ConnectionPool(config, { size: 1, statementTimeoutMs: 0, keepsIdle: true, onStatementEnd });
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

/** Carries the messages between `pg` and an embedded server, in place of a socket. */
class EmbeddedStream extends Duplex {
  readonly #server: PGlite;

  constructor(server: PGlite) {
    super();
    this.#server = server;
  }

  /** Clears all state of the previous connection, because both share the same session. */
  connect(): this {
    this.#server.exec(`ROLLBACK; DEALLOCATE ALL; ${setEmbedded}`).then(
      () => this.emit("connect"),
      (error) => this.destroy(error),
    );
    return this;
  }

  // Socket options of `pg` and our connections have no meaning here.
  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _writev(writes: { chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this.#send(writes.map(({ chunk }) => chunk)).then(() => callback(), callback);
  }

  override _final(callback: () => void): void {
    this.push(null);
    callback();
  }

  /**
   * Passes messages to the server and emits its answers. `pg` writes each message as a
   * whole.
   */
  async #send(written: Buffer[]): Promise<void> {
    // Withhold the end of the session: the server would end with it.
    const messages = written.filter((message) => message[0] !== terminate);
    if (messages.length > 0) this.push(await this.#server.execProtocolRaw(Buffer.concat(messages)));
  }
}
