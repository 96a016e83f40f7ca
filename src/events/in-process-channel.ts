import type { ChannelListener, EventChannel } from "./event-channel.js";
import type { GatewayEvent } from "./gateway-event.js";

/** The channel of a single instance with an embedded database. */
export class InProcessChannel implements EventChannel {
  readonly transport = "in process";
  readonly isConnected = true;
  readonly #listener: ChannelListener;

  constructor(listener: ChannelListener) {
    this.#listener = listener;
  }

  async publishInTransaction(): Promise<void> {}

  async publish(events: readonly GatewayEvent[]): Promise<void> {
    for (const event of events) this.#listener.onEvent(event);
  }

  async close(): Promise<void> {}
}
