import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import pg from "pg";
import {
  encryptionCodes,
  errorResponse,
  MessageReader,
  message,
  startupCode,
  typeOf,
} from "./wire-protocol.js";

/** A statement as a client has sent it. */
export interface SentStatement {
  text: string;
  /** All that the client sent for it, with the values of its parameters. */
  bytes: Buffer;
  /** The server's process for the connection. */
  pid: number;
}

/**
 * The fate of a statement, once the server has answered all earlier ones:
 * - "forward": the server gets it at once.
 * - "terminate": an administrator ends the session, and the client gets 57P01.
 * - "answer and terminate": an administrator ends the session after the answer, and the
 *   client hears of both together.
 * - "cut": the connection is cut, and the server never gets the statement.
 * - "run and cut": the server answers, but the connection is cut without the answer.
 * - "forward and cut": the server gets it, and the connection is cut at once, while the
 *   server may still be at work.
 * - "reset" and "run and reset": like "cut" and "run and cut", but by resetting the
 *   connection instead of ending it.
 * - "withhold": the connection is cut for the client, while the server waits for more.
 * - an error code: the client gets this error, and the server never gets the statement.
 */
export type Fate =
  | "forward"
  | "terminate"
  | "answer and terminate"
  | "cut"
  | "run and cut"
  | "forward and cut"
  | "reset"
  | "run and reset"
  | "withhold"
  | { refuseWith: string };

/** One connection of a client, and its continuation to the server. */
interface Flow {
  client: Socket;
  server: Socket;
  reader: MessageReader;
  pid: number;
  /** The texts of prepared statements by their names. */
  texts: Map<string, string>;
  /** The number of outstanding answers. */
  unanswered: number;
  onAnswered: () => void;
  /**
   * Data from the server that the client has not received; undefined while the proxy
   * forwards everything at once.
   */
  withheld?: Buffer[];
}

/**
 * A proxy on loopback before a PostgreSQL server. Decides over every statement. The
 * server must trust all connections from loopback.
 */
export class StatementProxy {
  readonly #listener = createServer({ noDelay: true }, (client) => void this.#accept(client));
  readonly #target: URL;
  readonly #flows = new Set<Flow>();
  readonly #administrator: pg.Client;
  /** Decides the fate of each statement, which waits until then. */
  decide: (statement: SentStatement) => Fate | Promise<Fate> = () => "forward";

  private constructor(target: URL) {
    this.#target = target;
    this.#administrator = new pg.Client({ connectionString: target.href });
  }

  /** Opens a proxy to the database of a URL. */
  static async open(url: string): Promise<StatementProxy> {
    const proxy = new StatementProxy(new URL(url));
    await proxy.#administrator.connect();
    proxy.#listener.listen(0, "127.0.0.1");
    await once(proxy.#listener, "listening");
    return proxy;
  }

  /** The database's URL, by way of the proxy. */
  get url(): string {
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${(this.#listener.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Closes all connections and refuses new ones. */
  async close(): Promise<void> {
    const closed = once(this.#listener, "close");
    this.#listener.close();
    for (const { client, server } of this.#flows) {
      client.destroy();
      server.destroy();
    }
    await this.#administrator.end();
    await closed;
  }

  async #accept(client: Socket): Promise<void> {
    const { hostname, port } = this.#target;
    const server = connect({
      host: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port || 5432),
      noDelay: true,
    });
    const flow: Flow = {
      client,
      server,
      reader: new MessageReader(client),
      pid: 0,
      texts: new Map(),
      unanswered: 1,
      onAnswered: () => {},
    };
    this.#flows.add(flow);
    // Also an error that occurs when nothing is read any more must not go unhandled.
    for (const socket of [client, server]) socket.on("error", () => {});
    await Promise.allSettled([this.#serve(flow), tell(flow)]);
    this.#flows.delete(flow);
  }

  async #serve(flow: Flow): Promise<void> {
    const { reader, server } = flow;
    if (!(await startUp(flow))) return;
    for (
      let first = await reader.next("typed");
      first && typeOf(first) !== "X";
      first = await reader.next("typed")
    ) {
      const text = textOf(flow, first);
      const bytes = await readStatement(reader, first);
      const fate = text === undefined ? "forward" : await this.decide({ text, bytes, pid: flow.pid });
      if (fate === "forward") forward(flow, bytes);
      else if (!(await this.#meet(flow, fate, bytes))) return;
    }
    server.end();
  }

  /** Makes a statement meet its fate. Returns whether the connection continues. */
  async #meet(flow: Flow, fate: Exclude<Fate, "forward">, bytes: Buffer): Promise<boolean> {
    const { client, server } = flow;
    if (typeof fate === "object") {
      await answered(flow);
      client.write(
        Buffer.concat([
          errorResponse(fate.refuseWith, "refused by the proxy"),
          message("Z", Buffer.from("I")),
        ]),
      );
      return true;
    }
    const isRun = fate.includes(" and ");
    if (isRun) {
      flow.withheld = [];
      forward(flow, bytes);
    }
    if (fate !== "forward and cut") await answered(flow);
    if (fate.endsWith("terminate")) {
      // Once the session has ended, the client gets its remaining messages and its last
      // one. PostgreSQL itself would look for the end only every 100 ms.
      const closed = once(client, "close");
      await this.#administrator.query("SELECT pg_terminate_backend($1)", [flow.pid]);
      await closed;
    } else {
      if (fate.endsWith("reset")) client.resetAndDestroy();
      else client.destroy();
      if (fate !== "withhold") server.end();
    }
    return false;
  }
}

/** Forwards the client's first messages. Returns whether the connection continues. */
async function startUp({ client, server, reader }: Flow): Promise<boolean> {
  let startup = await reader.next("startup");
  while (startup && encryptionCodes.includes(startup.readInt32BE(4))) {
    client.write("N");
    startup = await reader.next("startup");
  }
  if (startup) server.write(startup);
  return startup?.readInt32BE(4) === startupCode;
}

/** Whether a message is the last of a statement. */
const isEnd = (sent: Buffer) => typeOf(sent) === "Q" || typeOf(sent) === "S";

/** Reads a statement to its end, or to that of the connection. */
async function readStatement(reader: MessageReader, first: Buffer): Promise<Buffer> {
  const messages = [first];
  for (let sent: Buffer | undefined = first; sent && !isEnd(sent); ) {
    sent = await reader.next("typed");
    if (sent) messages.push(sent);
  }
  return Buffer.concat(messages);
}

function forward(flow: Flow, statement: Buffer): void {
  flow.unanswered += 1;
  flow.server.write(statement);
}

/** Waits until the server has answered everything. */
const answered = async (flow: Flow): Promise<void> => {
  if (flow.unanswered === 0) return;
  await new Promise<void>((resolve) => {
    flow.onAnswered = resolve;
  });
};

/** Forwards the server's messages to the client. */
async function tell(flow: Flow): Promise<void> {
  const { client, server } = flow;
  const reader = new MessageReader(server);
  for (let said = await reader.next("typed"); said; said = await reader.next("typed")) {
    if (typeOf(said) === "K") flow.pid = said.readInt32BE(5);
    if (flow.withheld) flow.withheld.push(said);
    else client.write(said);
    if (typeOf(said) !== "Z") continue;
    flow.unanswered -= 1;
    if (flow.unanswered === 0) flow.onAnswered();
  }
  client.end(Buffer.concat(flow.withheld ?? []));
  flow.onAnswered();
}

/** The text of the statement that a message begins; undefined if it begins none. */
function textOf({ texts }: Flow, sent: Buffer): string | undefined {
  const fields = sent.toString("utf8", 5).split("\0");
  const type = typeOf(sent);
  if (type === "Q") return fields[0];
  if (type === "P") texts.set(fields[0] as string, fields[1] as string);
  // A bind names its portal first.
  return type === "P" ? fields[1] : type === "B" ? texts.get(fields[1] as string) : undefined;
}
