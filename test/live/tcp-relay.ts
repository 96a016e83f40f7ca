import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy between the gateway and a server that can be disconnected. */
export interface Relay {
  port: number;
  /** Closes all connections and accepts no new ones. */
  disconnect(): Promise<void>;
  /** Accepts connections again. */
  reconnect(): Promise<void>;
}

export async function relayTo(host: string, port: number): Promise<Relay> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(port, host);
    for (const [source, destination] of [
      [client, target],
      [target, client],
    ] as const) {
      open.add(source);
      source.pipe(destination);
      source.on("error", () => destination.destroy());
      source.on("close", () => {
        open.delete(source);
        destination.destroy();
      });
    }
  });
  const listen = async (requestedPort: number) => {
    server.listen(requestedPort, "127.0.0.1");
    await once(server, "listening");
  };
  await listen(0);
  const { port: assignedPort } = server.address() as AddressInfo;
  return {
    port: assignedPort,
    disconnect: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
    reconnect: () => listen(assignedPort),
  };
}
