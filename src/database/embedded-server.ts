import { Duplex } from "node:stream";
import { setFlagsFromString } from "node:v8";
import type { PGlite } from "@electric-sql/pglite";
import { ConnectionPool } from "./connection-pool.js";
import { setEmbedded } from "./session-settings.js";

/** Half the default: all of it is resident, and cleared at each start. */
const sharedBuffers = "64MB";

/** The message by which a client ends its connection. */
const terminate = "X".charCodeAt(0);

/** A PostgreSQL server within this process. It has one session. */
export class EmbeddedServer {
  readonly #server: PGlite;

  private constructor(server: PGlite) {
    this.#server = server;
  }

  /** Starts a server on the files in a directory, which are made if there are none. */
  static async start(directory: string): Promise<EmbeddedServer> {
    // V8 would soon optimize what runs at the start and hardly later, which takes a third
    // of the start.
    setFlagsFromString("--wasm-tiering-budget=500000000");
    // Loaded on demand, as all that takes tens of milliseconds to load and that not every
    // gateway needs.
    const { PGlite } = await import("@electric-sql/pglite");
    return new EmbeddedServer(
      await PGlite.create(directory, {
        startParams: [...PGlite.defaultStartParams, "-c", `shared_buffers=${sharedBuffers}`],
      }),
    );
  }

  /** Whether it has been closed, and runs nothing any more. */
  get isClosed(): boolean {
    return this.#server.closed;
  }

  /**
   * Creates a pool with the one connection that may be open, whatever the environment
   * says of others.
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

/** The messages between `pg` and an embedded server, in place of a socket. */
class EmbeddedStream extends Duplex {
  readonly #server: PGlite;

  constructor(server: PGlite) {
    super();
    this.#server = server;
  }

  /**
   * Leaves nothing of the connection before this one in the session, which is the same.
   */
  connect(): this {
    this.#server.exec(`ROLLBACK; DEALLOCATE ALL; ${setEmbedded}`).then(
      () => this.emit("connect"),
      (error) => this.destroy(error),
    );
    return this;
  }

  // What `pg` and our connections set of a socket has no meaning here.
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

  /** Has the server answer messages. `pg` writes none of them in parts. */
  async #send(written: Buffer[]): Promise<void> {
    // With the session, the server would end.
    const messages = written.filter((message) => message[0] !== terminate);
    if (messages.length > 0) this.push(await this.#server.execProtocolRaw(Buffer.concat(messages)));
  }
}
