import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

const description = [
  "v=0",
  "o=- 1 1 IN IP4 127.0.0.1",
  "s=Camera",
  "t=0 0",
  "m=video 0 RTP/AVP 96",
  "a=rtpmap:96 H264/90000",
  "a=control:stream=0",
  "",
].join("\r\n");

/** An answer that differs from that of a camera in order. */
export interface RtspStubAnswer {
  /** The status and its reason. */
  status: string;
  headers?: Record<string, string>;
}

/**
 * A camera that answers RTSP requests up to SETUP, with wrong answers to some methods, and
 * sends no picture.
 */
export class RtspStub {
  /** The lines with the method of all requests so far. */
  readonly requests: string[] = [];
  readonly #answers: Partial<Record<string, RtspStubAnswer>>;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(answers: Partial<Record<string, RtspStubAnswer>>) {
    this.#answers = answers;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** `answers` by method, such as `{ SETUP: { status: "453 Not Enough Bandwidth" } }`. */
  static async start(answers: Partial<Record<string, RtspStubAnswer>>): Promise<RtspStub> {
    const camera = new RtspStub(answers);
    camera.#server.listen(0, "127.0.0.1");
    await once(camera.#server, "listening");
    return camera;
  }

  get url(): string {
    return `rtsp://127.0.0.1:${(this.#server.address() as AddressInfo).port}/stream`;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
    let received = "";
    socket.setEncoding("latin1").on("data", (text: string) => {
      received += text;
      for (;;) {
        const end = received.indexOf("\r\n\r\n");
        if (end < 0) return;
        const request = received.slice(0, end);
        received = received.slice(end + 4);
        socket.write(this.#answer(request));
      }
    });
  }

  #answer(request: string): string {
    const [line = ""] = request.split("\r\n");
    this.requests.push(line);
    const [method = ""] = line.split(" ");
    const { status = "200 OK", headers = {} } = this.#answers[method] ?? {};
    const body = method === "DESCRIBE" && status === "200 OK" ? description : "";
    const all: Record<string, string> = {
      CSeq: /^CSeq: *(\d+)/im.exec(request)?.[1] ?? "0",
      ...(method === "OPTIONS" && { Public: "OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN" }),
      ...(method === "SETUP" && { Session: "1", Transport: "RTP/AVP/TCP;unicast;interleaved=0-1" }),
      ...(body !== "" && { "Content-Type": "application/sdp", "Content-Length": String(body.length) }),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    return [`RTSP/1.0 ${status}`, ...lines, "", body].join("\r\n");
  }
}
