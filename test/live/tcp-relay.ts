import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Stands between the gateway and a server, and can be cut. */
export interface Relay {
  port: number;
  /** Breaks all connections, and takes no new ones. */
  cut(): Promise<void>;
  /** Takes connections again. */
  mend(): Promise<void>;
}

export async function relayTo(host: string, port: number): Promise<Relay> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(port, host);
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  const listen = async (wanted: number) => {
    server.listen(wanted, "127.0.0.1");
    await once(server, "listening");
  };
  await listen(0);
  const { port: own } = server.address() as AddressInfo;
  return {
    port: own,
    cut: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
    mend: () => listen(own),
  };
}
