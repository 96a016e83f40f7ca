// Needs no gateway.

import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { connect, type Socket } from "node:net";
import { type ConnectionLimits, limitConnections } from "../../src/engine/http/connections.js";
import { createLog } from "../../src/platform/telemetry/log.js";
import { createHttpServer } from "../../src/programs/gateway/http/http-server.js";
import { listenForTest } from "../support/listening.js";

const unlimited: ConnectionLimits = { total: 100, perAddress: 100 };
const mebibyte = 1024 * 1024;

/**
 * Starts a server with limits. Returns a function that connects to it from an address of
 * this machine, and its log.
 */
async function serve(
  limits: Partial<ConnectionLimits>,
  { handle, trusted }: { handle?: RequestListener; trusted?: string } = {},
) {
  const lines: string[] = [];
  const server = createServer(handle ?? ((_request, response) => void response.end("done")));
  const log = createLog("info", { write: (line) => void lines.push(line) });
  limitConnections(
    server,
    { ...unlimited, ...limits },
    { isTrustedProxy: (address) => address === trusted, log },
  );
  const port = await listenForTest(server);
  const open = async (localAddress = "127.0.0.1") => {
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    return socket;
  };
  return { open, lines };
}

/** Sends a request. Returns the response as far as it arrives. */
async function ask(socket: Socket): Promise<string> {
  let received = "";
  socket.setEncoding("utf8").on("data", (text) => {
    received += text;
  });
  const ended = new Promise((resolve) => socket.once("error", resolve).once("close", resolve));
  if (!socket.destroyed) socket.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  await ended;
  return received;
}

const answer = expect.stringMatching(/^HTTP\/1\.1 200 OK/);

it("refuses connections beyond those of one address until one is closed, but not those of other addresses", async () => {
  const { open, lines } = await serve({ perAddress: 2 });
  const [first, second] = [await open(), await open()];
  for (let refused = 0; refused < 5; refused += 1) expect(await ask(await open())).toBe("");
  expect(await ask(await open("127.0.0.2"))).toEqual(answer);
  expect(await ask(second)).toEqual(answer);
  await expect.poll(async () => ask(await open())).toEqual(answer);
  expect(await ask(first)).toEqual(answer);
  expect(lines).toEqual([expect.stringContaining("connections over the limit were refused")]);
});

it("limits the connections of a trusted proxy only by the limit for all", async () => {
  const { open } = await serve({ perAddress: 1, total: 3 }, { trusted: "127.0.0.1" });
  const sockets = [await open(), await open(), await open()];
  expect(await ask(await open())).toBe("");
  expect(await Promise.all(sockets.map(ask))).toEqual([answer, answer, answer]);
});

const large: RequestListener = (_request, response) => void response.end(Buffer.alloc(20 * mebibyte));

it("ends the connection of a client that does not read, but not of one that does", async () => {
  const { open } = await serve({ leastRate: { bytesPerSecond: 1024, windowMs: 600 } }, { handle: large });
  const [unread, read] = [await open(), await open()];
  unread.pause().write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  unread.on("error", () => {});
  expect((await ask(read)).length).toBeGreaterThan(20 * mebibyte);
  // A client that does not read notices when it writes.
  const isEnded = () => {
    unread.write(" ");
    return unread.destroyed;
  };
  await expect.poll(isEnded, { interval: 50 }).toBe(true);
});

it("ends connections while more waits to be read than is kept, first of the client with the most", async () => {
  const { open } = await serve({ maxUnreadBytes: 40 * mebibyte }, { handle: large });
  const greedy = [await open("127.0.0.2"), await open("127.0.0.2"), await open("127.0.0.2")];
  const modest = await open();
  for (const socket of [...greedy, modest]) {
    socket.pause().write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    socket.on("error", () => {});
  }
  const ended = () => {
    for (const socket of greedy) socket.write(" ");
    return greedy.filter(({ destroyed }) => destroyed).length;
  };
  await expect.poll(ended, { interval: 50 }).toBeGreaterThan(0);
  let received = 0;
  modest.on("data", (chunk) => {
    received += chunk.length;
  });
  modest.resume();
  await once(modest, "close");
  expect(received).toBeGreaterThan(20 * mebibyte);
});

it("says with the response to the 10,000th request of a connection that no more are taken", async () => {
  const server = createHttpServer().on("request", (_request, response) => void response.end());
  const socket = connect(await listenForTest(server), "127.0.0.1");
  let received = "";
  socket.setEncoding("latin1").on("data", (text) => {
    received += text;
  });
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(10_000));
  const answered = () => received.split("HTTP/1.1 200").slice(1);
  await expect.poll(() => answered().length).toBe(10_000);
  socket.destroy();
  const responses = answered();
  expect(responses.findIndex((response) => /connection: close/i.test(response))).toBe(9_999);
});
