import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

/** The address of the tests' cameras. It is allowed, and 127.0.0.1 is not. */
export const cameraAddress = "127.0.0.2";
export const cameraNetworks = [`${cameraAddress}/32`];

/** The length of what a client of RTMP sends first. */
const rtmpGreeting = 1 + 1536;

/** A TCP server for a test. Remembers what it received. */
export class ScriptedServer {
  /** What was received on each connection, as text. */
  readonly received: string[] = [];
  readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly address: string,
  ) {}

  /**
   * Starts a server that stops after the running test. `answer` gets each piece that ends
   * in an empty line, and what a client of RTMP greets with.
   */
  static async start(
    answer: (request: string, socket: Socket) => void,
    address = cameraAddress,
  ): Promise<ScriptedServer> {
    const server = createServer();
    const scripted = new ScriptedServer(server, address);
    server.on("connection", (socket) => {
      const index = scripted.received.push("") - 1;
      scripted.sockets.add(socket);
      socket.on("error", () => {}).on("close", () => scripted.sockets.delete(socket));
      let rest = "";
      socket.on("data", (bytes) => {
        scripted.received[index] += bytes.toString("latin1");
        const pieces = (rest + bytes.toString("latin1")).split("\r\n\r\n");
        rest = pieces.pop() as string;
        for (const piece of pieces) answer(piece, socket);
        if (rest.length === rtmpGreeting) answer(rest, socket);
      });
    });
    server.listen(0, address);
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
      for (const socket of scripted.sockets) socket.destroy();
    });
    return scripted;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The number of connections that were ever accepted. */
  get connections(): number {
    return this.received.length;
  }
}

/** A server at an address that no camera may have. It must see no connection. */
export const startCanary = (): Promise<ScriptedServer> => ScriptedServer.start(() => {}, "127.0.0.1");
