import { type BrokerConnection, connectToBroker } from "../connector/broker-connection.js";
import type { Connector } from "../connector/connector.js";
import { type FrigateListener, messageReader, topicsBelow } from "./frigate-topics.js";
import { Pulse } from "./pulse.js";

const minuteMs = 60_000;

export class FrigatePresence {
  readonly #broker: BrokerConnection;
  readonly #pulses: Pulse[] = [];
  #isAvailable = false;

  constructor(connector: Connector, topicPrefix: string, listener: Omit<FrigateListener, "onAvailable">) {
    const onAvailable = (isAvailable: boolean) => {
      const isBack = isAvailable && !this.#isAvailable;
      this.#isAvailable = isAvailable;
      if (isBack) this.#wake();
    };
    this.#broker = connectToBroker(connector, topicsBelow(topicPrefix), {
      onMessage: messageReader(topicPrefix, { ...listener, onAvailable }),
      onConnected: () => this.#wake(),
      onLost: () => {
        // The broker tells it anew with the next connection.
        this.#isAvailable = false;
      },
    });
  }

  get isThere(): boolean {
    return this.#broker.isConnected && this.#isAvailable;
  }

  /** Beats each minute, and when the broker or Frigate is back. */
  pulse(): Pulse {
    const pulse = new Pulse(minuteMs);
    this.#pulses.push(pulse);
    return pulse;
  }

  #wake(): void {
    for (const pulse of this.#pulses) pulse.wake();
  }
}
