import { once } from "node:events";
import { Duplex } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { builtFile } from "../../platform/project-files.js";
import { ConnectionPool } from "./connection-pool.js";
import { setEmbedded } from "./session-settings.js";

/** Half the default: the buffers are always resident, and cleared at each start. */
const sharedBuffers = "64MB";

/** The program of the thread. */
const program = builtFile("src/engine/database/embedded-thread.js", "dist/database/embedded-thread.js");

/** The type of the message that ends a client's connection. */
const terminate = "X".charCodeAt(0);

interface Waiting {
  resolve(answer: Uint8Array | undefined): void;
  reject(error: unknown): void;
}

/**
 * A PostgreSQL server within this process, with a single session. It has a thread of its own, so that long
 * statements keep nobody else waiting who needs no database.
 */
export class EmbeddedServer {
  readonly #thread: Worker;
  /** Those who wait for answers, which come in order. */
  readonly #waiting: Waiting[] = [];
  #isClosed = false;

  private constructor(thread: Worker) {
    this.#thread = thread;
    const end = (error: Error) => {
      this.#isClosed = true;
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    };
    thread.on("message", ({ answer, error }: { answer?: Uint8Array; error?: unknown }) => {
      const waiting = this.#waiting.shift();
      if (error) waiting?.reject(error);
      else waiting?.resolve(answer);
    });
    thread.on("error", end);
    thread.on("exit", () => end(new Error("PGlite is closed")));
  }

  /** Starts a server on the files of a directory, and creates missing files. */
  static async start(directory: string): Promise<EmbeddedServer> {
    // Delay V8's optimisation of WebAssembly. It would spend a third of the start on code that hardly runs later.
    setFlagsFromString("--wasm-tiering-budget=500000000");
    const thread = new Worker(program, { workerData: { directory, sharedBuffers }, execArgv: [] });
    await once(thread, "message");
    return new EmbeddedServer(thread);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Runs a script, or messages of the protocol, and returns the answers to these. */
  run(sent: string | Uint8Array): Promise<Uint8Array | undefined> {
    if (this.#isClosed) return Promise.reject(new Error("PGlite is closed"));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#thread.postMessage(sent);
    });
  }

  /** Creates a pool with the only possible connection. Ignores settings of connections in the environment. */
  createPool(onStatementEnd?: (milliseconds: number) => void): ConnectionPool {
    const config = {
      stream: () => new EmbeddedStream(this),
      host: "embedded",
      user: "postgres",
      database: "postgres",
      password: "",
      options: "",
      ssl: false,
    };
    return new ConnectionPool(config, { size: 1, statementTimeoutMs: 0, keepsIdle: true, onStatementEnd });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#thread.postMessage("close");
    await once(this.#thread, "exit");
  }
}

/** Carries the messages between `pg` and an embedded server, in place of a socket. */
class EmbeddedStream extends Duplex {
  readonly #server: EmbeddedServer;

  constructor(server: EmbeddedServer) {
    super();
    this.#server = server;
  }

  /** Clears all state of the previous connection, because both share the same session. */
  connect(): this {
    this.#server.run(`ROLLBACK; DEALLOCATE ALL; ${setEmbedded}`).then(
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

  /** Passes messages to the server and emits its answers. `pg` writes each message as a whole. */
  async #send(written: Buffer[]): Promise<void> {
    // Withhold the end of the session: the server would end with it.
    const messages = written.filter((message) => message[0] !== terminate);
    if (messages.length > 0) this.push(await this.#server.run(Buffer.concat(messages)));
  }
}
