import { EventEmitter, once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What a server does once it is asked. */
type Answer = (socket: Socket) => void | Promise<void>;
export type HostileAnswer = readonly [what: string, answer: Answer];

const ok = "HTTP/1.1 200 OK\r\n";
const playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n1.ts\n";
const empty = "HTTP/1.1 204 No Content\r\n\r\n";
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
const framed = (body: string) => `${ok}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** Sends bytes and waits. */
const sends =
  (...pieces: (string | Buffer)[]) =>
  (socket: Socket) => {
    for (const piece of pieces)
      socket.write(typeof piece === "string" ? Buffer.from(piece, "latin1") : piece);
  };
/** Sends bytes and hangs up. */
const hangsUpAfter =
  (...pieces: (string | Buffer)[]) =>
  (socket: Socket) => {
    sends(...pieces)(socket);
    socket.end();
  };
/** Sends bytes, and then a reset. */
const resetsAfter =
  (...pieces: (string | Buffer)[]) =>
  (socket: Socket) => {
    sends(...pieces)(socket);
    socket.resetAndDestroy();
  };
/** Sends something else once the first bytes have arrived. */
const sendsLater = (first: string, then: (socket: Socket) => void) => async (socket: Socket) => {
  socket.write(first);
  // By then, the first have been read, if not acted upon.
  await sleep(10);
  if (!socket.destroyed) then(socket);
};

/** Each way to have a body that a status forbids, and others that the framing does. */
const bodies: readonly (readonly [what: string, text: string])[] = [
  ["a letter", "x"],
  ["a line end and a letter", "\r\nx"],
  ["another answer", framed("x")],
  ["another answer without a body", empty],
  ["binary", "\0\x01\xff\x16\x03\x01\x80"],
  ["the beginning of an answer", "HTTP/1.1 2"],
];

const statuses = ["204 No Content", "304 Not Modified", "205 Reset Content"];

/**
 * What servers of HTTP should not answer. Each must be judged, and none may harm anybody who
 * asks other servers meanwhile.
 */
export const hostileAnswers: readonly HostileAnswer[] = [
  ...statuses.flatMap((status) =>
    bodies.map(
      ([what, text]): HostileAnswer => [
        `${status.slice(0, 3)} and ${what}`,
        sends(`HTTP/1.1 ${status}\r\n\r\n${text}`),
      ],
    ),
  ),
  ...bodies.map(
    ([what, text]): HostileAnswer => [`200 without a body and ${what}`, sends(framed("") + text)],
  ),
  ...bodies.map(([what, text]): HostileAnswer => [`all of a body and ${what}`, sends(framed("y") + text)]),
  ...bodies.map(
    ([what, text]): HostileAnswer => [
      `the last chunk and ${what}`,
      sends(`${chunked}1\r\ny\r\n0\r\n\r\n${text}`),
    ],
  ),
  ...bodies.map(
    ([what, text]): HostileAnswer => [
      `a redirect and ${what}`,
      sends(`HTTP/1.1 302 Found\r\nlocation: /moved\r\ncontent-length: 0\r\n\r\n${text}`),
    ],
  ),
  ["204 with a length, and a body", sends("HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello")],
  [
    "204 in chunks",
    sends("HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"),
  ],
  ["204, a letter and a reset", resetsAfter(`${empty}x`)],
  ["204 and a letter later", sendsLater(empty, sends("x"))],
  ["204 and a reset later", sendsLater(empty, (socket) => socket.resetAndDestroy())],
  ["a negative length", sends(`${ok}content-length: -1\r\n\r\nx`)],
  ["two lengths", sends(`${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`)],
  ["a length that is no number", sends(`${ok}content-length: one\r\n\r\nx`)],
  ["a length beyond all numbers", sends(`${ok}content-length: ${"9".repeat(40)}\r\n\r\nx`)],
  ["a length that does not arrive", hangsUpAfter(`${ok}content-length: 100\r\n\r\nx`)],
  [
    "a length and chunks",
    sends(`${ok}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`),
  ],
  ["an unknown transfer coding", hangsUpAfter(`${ok}transfer-encoding: squash\r\n\r\nx`)],
  ["chunks that are not the last coding", hangsUpAfter(`${ok}transfer-encoding: chunked, gzip\r\n\r\nx`)],
  ["a chunk size that is none", sends(`${chunked}zz\r\nx\r\n0\r\n\r\n`)],
  ["a chunk size beyond all numbers", sends(`${chunked}${"f".repeat(40)}\r\nx`)],
  ["a chunk longer than its size", sends(`${chunked}1\r\nxyz\r\n0\r\n\r\n`)],
  ["a chunk with an endless extension", sends(`${chunked}1;${"x".repeat(100_000)}`)],
  ["a chunk that does not arrive", hangsUpAfter(`${chunked}ff\r\nx`)],
  ["a bad chunk after a good one", sendsLater(`${chunked}1\r\nx\r\n`, sends("zz\r\n"))],
  ["trailers that are none", sends(`${chunked}1\r\nx\r\n0\r\n:\0:\r\n\r\n`)],
  ["headers without end", sends(ok, `x: ${"y".repeat(200_000)}`)],
  ["a header without a colon", sends(`${ok}nonsense\r\n\r\nx`)],
  ["a header with a NUL", sends(`${ok}x: a\0b\r\ncontent-length: 1\r\n\r\nx`)],
  ["a header with DEL", sends(`${ok}x: a\x7fb\r\ncontent-type: a\x7fb\r\ncontent-length: 1\r\n\r\nx`)],
  ["a header with a lone CR", sends(`${ok}x: a\rb: c\r\ncontent-length: 1\r\n\r\nx`)],
  [
    "a content type of bytes beyond ASCII",
    sends(`${ok}content-type: \xe9\xff\r\ncontent-length: 1\r\n\r\nx`),
  ],
  [
    "an encoding that nobody asked for",
    sends(`${ok}content-encoding: gzip\r\ncontent-length: 2\r\n\r\n\x1f\x8b`),
  ],
  ["a version of the future", hangsUpAfter("HTTP/3.7 200 OK\r\n\r\nx")],
  ["HTTP/0.9", hangsUpAfter("x")],
  ["TLS", sends("\x15\x03\x01\0\x02\x02\x28")],
  ["ICY", hangsUpAfter("ICY 200 OK\r\nicy-metaint: 1\r\n\r\nx")],
  ["no status", sends("HTTP/1.1 \r\n\r\nx")],
  ["the status 99", hangsUpAfter("HTTP/1.1 099 Odd\r\n\r\nx")],
  ["the status 999", hangsUpAfter("HTTP/1.1 999 Odd\r\n\r\nx")],
  ["a reason with bytes beyond ASCII", hangsUpAfter("HTTP/1.1 200 \xff\x01\r\n\r\nx")],
  ["100 without end", sends("HTTP/1.1 100 Continue\r\n\r\n".repeat(20_000))],
  ["100 with a body", sends("HTTP/1.1 100 Continue\r\ncontent-length: 1\r\n\r\nx")],
  ["101 without having been asked", sends("HTTP/1.1 101 Switching Protocols\r\n\r\nx")],
  [
    "101 to another protocol",
    sends("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n\x81\x01x"),
  ],
  [
    "101 to another protocol, and a reset",
    resetsAfter("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nx"),
  ],
  ["a redirect to nowhere", sends("HTTP/1.1 302 Found\r\nlocation: http://[::\r\ncontent-length: 0\r\n\r\n")],
  [
    "a redirect to bytes beyond ASCII",
    sends("HTTP/1.1 302 Found\r\nlocation: http://\xff\xfe\x7f/\r\ncontent-length: 0\r\n\r\n"),
  ],
  ["a redirect without end", sends("HTTP/1.1 302 Found\r\nlocation: ?\r\n\r\n")],
  [
    "300 with a playlist",
    sends(`HTTP/1.1 300 Multiple Choices\r\ncontent-length: ${playlist.length}\r\n\r\n${playlist}`),
  ],
  ["the end of the connection", (socket) => socket.end()],
  ["a reset", (socket) => socket.resetAndDestroy()],
  ["a reset in the headers", resetsAfter(`${ok}x: y`)],
  ["a reset in the body", resetsAfter(`${ok}content-length: 9\r\n\r\nx`)],
  ["half a playlist, and the end", hangsUpAfter(`${ok}content-length: 900\r\n\r\n#EXTM3U\n#EXT`)],
  ["a playlist and a bad chunk", sends(`${chunked}${playlist.length.toString(16)}\r\n${playlist}\r\nzz\r\n`)],
  ["half of the beginning of a playlist, and a bad chunk", sends(`${chunked}4\r\n#EXT\r\nzz\r\n`)],
  [
    "the end of its half of the connection at once",
    (socket) => {
      socket.end(`${ok}\r\n`);
    },
  ],
];

/**
 * A server that gives one of the answers: at a path that begins with its number, or wherever
 * the test says. At `/fine`, it gives a good one.
 */
export class HostileServer {
  answer: Answer = () => {};
  readonly #events = new EventEmitter();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((socket) => {
    this.#sockets.add(socket);
    socket.on("error", () => {}).once("close", () => this.#sockets.delete(socket));
    let request = "";
    socket.on("data", (bytes) => {
      request += bytes;
      if (!request.includes("\r\n\r\n")) return;
      const [, number = ""] = /^GET \/(\d+)\//.exec(request) ?? [];
      const answer = hostileAnswers[Number(number || Number.NaN)]?.[1] ?? this.answer;
      const isFine = /^GET \/fine/.test(request);
      request = "";
      if (isFine) socket.write(framed("fine"));
      else void Promise.resolve(answer(socket)).then(() => this.#events.emit("answered"));
    });
  });

  static async start(address: string): Promise<HostileServer> {
    const server = new HostileServer();
    server.#server.listen(0, address);
    await once(server.#server, "listening");
    return server;
  }

  get host(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return `${address}:${port}`;
  }

  /** Waits until the answer has been given. */
  async answered(): Promise<void> {
    await once(this.#events, "answered");
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
