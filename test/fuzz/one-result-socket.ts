import { once } from "node:events";
import { WebSocket } from "ws";
import { samplesIn, sumOf } from "../monitoring/exposition.js";
import { answerTimeoutMs } from "./fuzz-case.js";

interface Message {
  type: string;
  id?: string;
  payload?: unknown;
  /** The whole message as sent. */
  text: string;
}

/**
 * A WebSocket with one subscription at a time. Callers wait for its results one by one.
 */
export class OneResultSocket {
  readonly #messages: Message[] = [];
  #id = 0;

  private constructor(
    private readonly socket: WebSocket,
    private readonly url: string,
  ) {
    socket.on("message", (text) => {
      this.#messages.push({ ...JSON.parse(String(text)), text: String(text) });
      socket.emit("received");
    });
  }

  static async open(url: string, authorization: string): Promise<OneResultSocket> {
    const socket = new WebSocket(`${url.replace("http", "ws")}/graphql`, ["graphql-transport-ws"]);
    const opened = new OneResultSocket(socket, url);
    await once(socket, "open", { signal: AbortSignal.timeout(answerTimeoutMs) });
    opened.#send({ type: "connection_init", payload: { authorization } });
    await opened.#next("connection_ack");
    return opened;
  }

  /**
   * Subscribes, and returns once the subscription has started. The returned function
   * waits for the next result, and returns its text.
   */
  async subscribe(payload: object): Promise<() => Promise<string>> {
    this.#id += 1;
    this.#messages.length = 0;
    this.#send({ type: "subscribe", id: String(this.#id), payload });
    await this.#untilOpen(1);
    return async () => payloadText((await this.#next("next")).text);
  }

  async complete(): Promise<void> {
    this.#send({ type: "complete", id: String(this.#id) });
    await this.#untilOpen(0);
  }

  close(): void {
    this.socket.terminate();
  }

  /**
   * Waits until a number of subscriptions is active, unless the gateway refuses this one.
   */
  async #untilOpen(count: number): Promise<void> {
    const isRefused = () =>
      this.#messages.some(({ type, id }) => type === "error" && id === String(this.#id));
    const signal = AbortSignal.timeout(answerTimeoutMs);
    while (!isRefused()) {
      const metrics = samplesIn(await (await fetch(`${this.url}/metrics`, { signal })).text());
      if (sumOf(metrics, "gateway_subscriptions_open") === count) return;
    }
  }

  #send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  async #next(type: string, id = type === "connection_ack" ? undefined : String(this.#id)): Promise<Message> {
    const signal = AbortSignal.timeout(answerTimeoutMs);
    for (;;) {
      const index = this.#messages.findIndex((message) => message.type === type && message.id === id);
      if (index >= 0) return this.#messages.splice(index, 1)[0] as Message;
      const failure = this.#messages.find(
        (message) => message.type === "error" && message.id === String(this.#id),
      );
      if (failure) throw new Error(`The subscription failed: ${JSON.stringify(failure.payload)}`);
      await once(this.socket, "received", { signal });
    }
  }
}

/** The payload of a message as sent. */
function payloadText(message: string): string {
  const [before] = /^.*?"payload":/s.exec(message) as RegExpExecArray;
  return message.slice(before.length, -1);
}
