import type { ChannelEmitter, EventChannel } from "./event-channel.js";

/** The channel of a single instance with an embedded database. */
export function inProcessChannel(emitter: ChannelEmitter): EventChannel {
  return {
    transport: "in process",
    isConnected: true,
    publish: async (events) => {
      for (const event of events) emitter.emit("event", event);
    },
    close: async () => {},
  };
}
