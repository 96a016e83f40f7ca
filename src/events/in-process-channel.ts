import type { GatewayEvent } from "../platform/topics.js";
import type { ChannelListener, EventChannel } from "./event-channel.js";

/** The channel of a gateway that has its database to itself. */
export class InProcessChannel implements EventChannel {
  readonly transport = "in process";
  readonly isConnected = true;
  readonly #listener: ChannelListener;

  constructor(listener: ChannelListener) {
    this.#listener = listener;
  }

  async enclose(): Promise<void> {}

  async publish(events: readonly GatewayEvent[]): Promise<void> {
    for (const event of events) this.#listener.received(event);
  }

  async close(): Promise<void> {}
}
