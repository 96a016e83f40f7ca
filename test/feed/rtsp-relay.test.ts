// Needs no gateway.

import type { Socket } from "node:net";
import { listOf } from "../support/list-of.js";
import { nameServer } from "../support/name-server.js";
import { openStream, RelayClient } from "./relay-client.js";
import { cameraAddress, ScriptedServer, startCanary } from "./scripted-server.js";

/** A response with a body. */
const response = (status: string, headers: string[] = [], body = "") =>
  ["RTSP/1.0 ", status, "\r\n", ...headers.map((line) => `${line}\r\n`), "\r\n", body].join("");

const description = "v=0\r\nm=video 0 RTP/AVP 96\r\n";
const described = (...headers: string[]) =>
  response("200 OK", ["CSeq: 2", ...headers, `Content-Length: ${description.length}`], description);

/** A camera that answers each request alike. */
const cameraWith = (answer: string | Buffer) =>
  ScriptedServer.start((_request, socket) => void socket.write(answer));

/** Asks a camera, by way of a relay, for a stream. */
async function ask(camera: ScriptedServer, account = "") {
  const stream = await openStream(`rtsp://${account}${cameraAddress}:${camera.port}/live`);
  const client = await RelayClient.connect(stream);
  client.socket.write(`DESCRIBE ${stream.url} RTSP/1.0\r\nCSeq: 2\r\n\r\n`);
  return { stream, client };
}

it("ffmpeg gets the relay's address with the path and the query of the camera's URL, and no password", async () => {
  const camera = await cameraWith(described());
  const stream = await openStream(
    `rtsp://us@er:p%23'w:x@${cameraAddress}:${camera.port}/a%20b/ü?c=1&d=%2F;e#f`,
  );
  expect(stream.url).toMatch(/^rtsp:\/\/127\.0\.0\.1:\d+\/a%20b\/ü\?c=1&d=%2F;e#f$/);
  expect(stream.options).toMatchObject({ rtsp_transport: "tcp", protocol_whitelist: "rtsp,tcp" });
});

it("requests and answers pass, however they are cut, and frames byte by byte", async () => {
  const frame = (payload: string) =>
    Buffer.concat([Buffer.from([0x24, 0, 0, payload.length]), Buffer.from(payload)]);
  // Frames may come between answers, and hold what looks like one.
  const answers = Buffer.concat([
    frame("RTSP/1.0 302 Moved\r\nLocation: rtsp://127.0.0.1/\r\n\r\n"),
    Buffer.from(described("X-Odd : kept", "no header", "Content-Base: rtsp://camera/live/")),
    Buffer.from("\r\n"),
    frame("$$$$ a second frame"),
    Buffer.from("OPTIONS * RTSP/1.0\nCSeq: 7\n\n"),
    frame("the last frame"),
  ]);
  const expected = Buffer.concat([
    frame("RTSP/1.0 302 Moved\r\nLocation: rtsp://127.0.0.1/\r\n\r\n"),
    Buffer.from(described("X-Odd: kept", "Content-Base: rtsp://camera/live/")),
    frame("$$$$ a second frame"),
    Buffer.from("OPTIONS * RTSP/1.0\r\nCSeq: 7\r\n\r\n"),
    frame("the last frame"),
  ]);
  for (const size of [1, 2, 3, 7, 50, 1000]) {
    const camera = await ScriptedServer.start((_request, socket) => {
      // The client's acknowledgement of a piece makes the next one a piece of its own.
      for (let at = 0; at < answers.length; at += size) socket.write(answers.subarray(at, at + size));
    });
    const { client, stream } = await ask(camera);
    await client.until("the last frame");
    expect(client.bytes.toString("latin1")).toBe(expected.toString("latin1"));
    expect(camera.received).toEqual([`DESCRIBE ${stream.url} RTSP/1.0\r\nCSeq: 2\r\n\r\n`]);
    expect(stream.failure).toBeUndefined();
  }
});

it("a large stream of frames passes unchanged, but for frames too short to be packets", async () => {
  const frames = listOf(3000, (index) => {
    const payload = Buffer.alloc(index % 5 === 0 ? index % 8 : (index * 37) % 60_000, index % 251);
    return Buffer.concat([
      Buffer.from([0x24, index % 4, payload.length >> 8, payload.length & 255]),
      payload,
    ]);
  });
  const expected = Buffer.concat(frames.filter(({ length }) => length >= 4 + 8));
  const camera = await cameraWith(Buffer.concat([...frames, Buffer.from(response("200 The End"))]));
  const { client } = await ask(camera);
  const chunks: Buffer[] = [];
  client.socket.removeAllListeners("data");
  for await (const chunk of client.socket) {
    chunks.push(chunk);
    if (chunk.includes("The End")) break;
  }
  const received = Buffer.concat(chunks);
  expect(received.subarray(0, expected.length).equals(expected)).toBe(true);
  expect(received.subarray(expected.length).toString()).toBe(response("200 The End"));
});

it.each([
  ["403 Forbidden", "UNAUTHORIZED"],
  ["404 Not Found", "NOT_FOUND"],
  ["453 Not Enough Bandwidth", "BUSY"],
  ["461 Unsupported Transport", "UNSUPPORTED"],
  ["500 Internal Server Error", "CAMERA_ERROR"],
  ["503 Service Unavailable", "CAMERA_ERROR"],
  ["200 OK", undefined],
])("a camera that answers %s: %s", async (status, code) => {
  const { client, stream } = await ask(await cameraWith(response(status, ["CSeq: 2"])));
  expect(await client.until("\r\n\r\n")).toContain(status);
  expect(stream.failure).toBe(code);
});

/** A camera that answers requests with an Authorization with its stream. */
const asking = (...challenges: string[]) =>
  ScriptedServer.start((request, socket) => {
    const isKnown = /^Authorization:/im.test(request);
    const asked = challenges.map((each) => `WWW-Authenticate: ${each}`);
    socket.write(isKnown ? described() : response("401 Unauthorized", asked));
  });

it("a camera that asks who wants its stream is answered by the relay alone", async () => {
  const camera = await asking('Basic realm="x"');
  const { client, stream } = await ask(camera, "us%65r:p%3Aw@");
  await client.until("m=video");
  expect(client.text).not.toMatch(/401|authenticate/i);
  expect(camera.received.join()).toContain(`Authorization: Basic ${btoa("user:p:w")}\r\n`);
  expect(stream.failure).toBeUndefined();
});

it.each([
  ["nobody is named in its URL", "", ['Basic realm="x"'], "UNAUTHORIZED"],
  ["it says not how to answer", "ada:word@", [], "UNAUTHORIZED"],
  [
    "nobody can answer it",
    "ada:word@",
    ["Negotiate", 'Digest realm="x", nonce="y", algorithm=SHA3'],
    "UNSUPPORTED",
  ],
])("a camera that asks who wants its stream is left where %s", async (_what, before, challenges, code) => {
  const { client, stream } = await ask(await asking(...challenges), before);
  expect(await client.ended()).toBe("");
  expect(stream.failure).toBe(code);
});

it("a camera that stops to answer once it knows who asks has not refused", async () => {
  const camera = await ScriptedServer.start((request, socket) => {
    if (!request.includes("Authorization"))
      socket.write(response("401 Unauthorized", ['WWW-Authenticate: Basic realm="x"']));
  });
  const { stream } = await ask(camera, "ada:word@");
  await expect.poll(() => camera.received[0]).toContain("Authorization");
  expect(stream).toMatchObject({ failure: undefined, isWaiting: true });
});

it.each<[where: string, to: (camera: ScriptedServer, other: ScriptedServer) => string, isTold: boolean]>([
  ["another port", (_camera, other) => `rtsp://${cameraAddress}:${other.port}/x`, false],
  ["another name for it", (camera) => `rtsp://camera.example:${camera.port}/x`, false],
  ["another path", (camera) => `RTSP://${cameraAddress}:${camera.port}/x`, true],
  ["a path", () => "/x", true],
  ["another port with a user", (_camera, other) => `rtsp://new:one@${cameraAddress}:${other.port}/x`, true],
])(
  "after a redirect to %s, user and password are told to none but whom they were given for",
  async (_where, to, isTold) => {
    const other = await asking('Basic realm="x"', 'Digest realm="x", nonce="y"');
    const camera = await ScriptedServer.start((request, socket) => {
      const [, path] = / rtsp:\/\/[^/]*(\S*) /.exec(request) ?? [];
      if (!/^Authorization:/im.test(request))
        socket.write(response("401 Who", ['WWW-Authenticate: Basic realm="x"']));
      else if (path === "/live") socket.write(response("302 Moved", [`Location: ${to(camera, other)}`]));
      else socket.write(described());
    });
    const nameServers = [await nameServer(() => cameraAddress)];
    const stream = await openStream(`rtsp://ada:word@${cameraAddress}:${camera.port}/live`, { nameServers });
    const client = await RelayClient.connect(stream);
    client.socket.write(`DESCRIBE ${stream.url} RTSP/1.0\r\nCSeq: 2\r\n\r\n`);
    const [, location] = /Location: (\S+)/.exec(await client.until("\r\n\r\n")) ?? [];
    client.socket.end();
    const told = () =>
      [...camera.received.slice(1), ...other.received].join().match(/^Authorization: .*$/gim) ?? [];
    const next = await RelayClient.connect(stream);
    next.socket.write(`DESCRIBE ${location} RTSP/1.0\r\nCSeq: 3\r\n\r\n`);
    await (isTold ? next.until("m=video") : next.ended());
    expect(stream.failure).toBe(isTold ? undefined : "UNAUTHORIZED");
    expect(told()).toHaveLength(isTold ? 1 : 0);
  },
);

it.each([
  ["a name of this machine", "localhost", "ADDRESS_NOT_ALLOWED"],
  ["a name that does not exist", "camera.invalid", "NAME_NOT_FOUND"],
])("nothing is sent to %s", async (_what, host, code) => {
  const canary = await startCanary();
  const stream = await openStream(`rtsp://${host}:${canary.port}/live`);
  const client = await RelayClient.connect(stream);
  client.socket.write("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n");
  expect(await client.ended()).toBe("");
  expect(stream.failure).toBe(code);
  expect(canary.connections).toBe(0);
});

it("a port of the loopback address with a stream of our own is the one exception", async () => {
  const own = await ScriptedServer.start((_request, socket) => void socket.write(described()), "127.0.0.1");
  const canary = await startCanary();
  const options = { allowedNetworks: [], loopbackPorts: [own.port] };
  const stream = await openStream(`rtsp://127.0.0.1:${own.port}/live`, options);
  const client = await RelayClient.connect(stream);
  client.socket.write("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n");
  await client.until("m=video");
  const other = await openStream(`rtsp://127.0.0.1:${canary.port}/live`, options);
  await (await RelayClient.connect(other)).ended();
  expect(other.failure).toBe("ADDRESS_NOT_ALLOWED");
  expect(canary.connections).toBe(0);
});

it("a redirect leads back to the relay, which follows it once", async () => {
  const second = await ScriptedServer.start((request, socket) => {
    const isAgain = request.startsWith("OPTIONS");
    socket.write(isAgain ? response("302 Again", [`Location: rtsp://${cameraAddress}/`]) : described());
  });
  const camera = await cameraWith(
    response("302 Moved", ["CSeq: 2", `Location: rtsp://new:word@${cameraAddress}:${second.port}/other?x=1`]),
  );
  const { client, stream } = await ask(camera);
  const { port } = new URL(stream.url);
  const moved = `RTSP/1.0 302 Moved\r\nCSeq: 2\r\nLocation: rtsp://127.0.0.1:${port}/other?x=1\r\n\r\n`;
  expect(await client.until("\r\n\r\n")).toBe(moved);
  client.socket.end();
  const next = await RelayClient.connect(stream);
  next.socket.write("DESCRIBE / RTSP/1.0\r\n\r\n");
  await next.until("m=video");
  expect([camera.connections, second.connections]).toEqual([1, 1]);
  expect(stream.failure).toBeUndefined();
  next.socket.write("OPTIONS / RTSP/1.0\r\n\r\n");
  expect(await next.ended()).not.toContain("302");
  expect(stream.failure).toBe("CAMERA_ERROR");
});

const redirects = (port: number): [what: string, location: string, code: string][] => [
  ["an address", `rtsp://127.0.0.1:${port}/`, "ADDRESS_NOT_ALLOWED"],
  ["a name", `rtsp://localhost:${port}/`, "ADDRESS_NOT_ALLOWED"],
  ["another scheme", `http://127.0.0.1:${port}/`, "UNSUPPORTED"],
  ["an encrypted address", `rtsps://127.0.0.1:${port}/`, "ADDRESS_NOT_ALLOWED"],
  ["what is no URL", "rtsp://", "UNSUPPORTED"],
];

it.each(redirects(0).map(([what], index) => [what, index] as const))(
  "no redirect is followed to %s",
  async (_what, index) => {
    const canary = await startCanary();
    const [, location, code] = redirects(canary.port)[index] as [string, string, string];
    const camera = await cameraWith(response("301 Moved", [`Location: ${location}`]));
    const { client, stream } = await ask(camera);
    await Promise.race([client.until("Location").catch(() => ""), client.ended()]);
    // What names the address only when it is looked up fails then.
    if (client.text !== "") await (await RelayClient.connect(stream)).ended();
    expect(stream.failure).toBe(code);
    expect(client.text).not.toContain(String(canary.port));
    expect(canary.connections).toBe(0);
  },
);

it("a redirect to nowhere is an error of the camera", async () => {
  const { client, stream } = await ask(await cameraWith(response("304 Not Modified")));
  expect(await client.ended()).toBe("");
  expect(stream.failure).toBe("CAMERA_ERROR");
});

it.each([
  ["an address that is not allowed", "rtsp://127.0.0.1:9/live/", true],
  ["a path", "/live/", true],
  ["an IPv4 address in an IPv6 address", "rtsp://[::ffff:127.0.0.1]/live/", true],
  ["an address of its own network", "rtsp://user@192.168.1.64:554/live/", true],
  ["an allowed address", `rtsp://${cameraAddress}/live/`, false],
  ["a name", "rtsp://camera/live/", false],
])("a Content-Base with %s leads nowhere but to the camera", async (_what, base, isReplaced) => {
  const { client, stream } = await ask(await cameraWith(described(`Content-Base: ${base}`)));
  const { port } = new URL(stream.url);
  await client.until("m=video");
  expect(client.text).toContain(`Content-Base: ${isReplaced ? `rtsp://127.0.0.1:${port}/live/` : base}\r\n`);
});

it("a Location that is no redirect is not passed on", async () => {
  const { client } = await ask(await cameraWith(described("location: rtsp://127.0.0.1/")));
  expect(await client.until("m=video")).not.toMatch(/location/i);
});

it.each([
  [
    "a line end within a line",
    "RTSP/1.0 200 OK\r\nX: a\rLocation: rtsp://127.0.0.1/\r\n\r\n",
    /X: aLocation/,
  ],
  ["a zero byte", "RTSP/1.0 200 OK\r\nX: a\0b\r\n\r\n", /X: ab/],
])("%s becomes no line of its own", async (_what, answer, expected) => {
  const { client } = await ask(await cameraWith(answer));
  expect(await client.until("\r\n\r\n")).toMatch(expected);
  expect(client.text.split("\r\n")).toHaveLength(4);
});

it.each([
  ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n", "UNSUPPORTED"],
  ["HTTP", "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n", "UNSUPPORTED"],
  ["headers without end", `RTSP/1.0 200 OK\r\n${"X: y\r\n".repeat(4000)}`, "UNSUPPORTED"],
  ["two lengths", "RTSP/1.0 200 OK\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\n", "UNSUPPORTED"],
  ["a negative length", "RTSP/1.0 200 OK\r\nContent-Length: -1\r\n\r\n", "UNSUPPORTED"],
  ["a description of a gigabyte", "RTSP/1.0 200 OK\r\nContent-Length: 999999999\r\n\r\n", "TOO_LARGE"],
])("a camera that sends %s is left: %s", async (_what, answer, code) => {
  const { client, stream } = await ask(await cameraWith(answer));
  expect(await client.ended()).toBe("");
  expect(stream.failure).toBe(code);
});

it("a camera that accepts no connection, hangs up or does not answer is told apart", async () => {
  const refused = await openStream(`rtsp://${cameraAddress}:1/live`);
  await (await RelayClient.connect(refused)).ended();
  expect(refused.failure).toBe("REFUSED");

  const { client, stream } = await ask(await ScriptedServer.start((_request, socket) => void socket.end()));
  await client.ended();
  expect(stream.failure).toBe("REFUSED");

  const silent = await ScriptedServer.start(() => {});
  const waiting = await ask(silent);
  await expect.poll(() => silent.received[0]).toContain("DESCRIBE");
  expect(waiting.stream).toMatchObject({ failure: undefined, isWaiting: true });
  waiting.client.socket.destroy();
  await expect.poll(() => silent.sockets.size).toBe(0);
  expect(waiting.stream).toMatchObject({ failure: undefined, isWaiting: true });
});

/** A camera with a session, which it keeps until it is torn down. `answer` may withhold an answer. */
const cameraWithSession = (
  answer = (text: string, _method: string, socket: Socket) => void socket.write(text),
) =>
  ScriptedServer.start((request, socket) => {
    const [method = ""] = request.split(" ");
    if (!/^Authorization:/im.test(request))
      socket.write(response("401 Who", ['WWW-Authenticate: Basic realm="x"']));
    else if (method === "DESCRIBE") socket.write(described());
    else answer(response("200 OK", ["Session: 12ab;timeout=60"]), method, socket);
  });

/** Sets up a session, and plays it. */
async function play(camera: ScriptedServer) {
  const { client, stream } = await ask(camera, "ada:word@");
  await client.until("m=video");
  client.socket.write(`SETUP ${stream.url}/track RTSP/1.0\r\nCSeq: 3\r\n\r\n`);
  await client.until("Session: ");
  client.socket.write(`PLAY ${stream.url}/ RTSP/1.0\r\nCSeq: 4\r\nSession: 12ab\r\n\r\n`);
  await client.until(/(?:Session: .*){2}/s);
  return { client, stream };
}

it.each<[how: string, leave: (client: RelayClient) => void]>([
  ["closes its connection", ({ socket }) => void socket.end()],
  ["is killed", ({ socket }) => void socket.resetAndDestroy()],
  ["goes on", () => {}],
  [
    "tears it down, and waits for no answer",
    ({ socket }) =>
      void socket.end("TEARDOWN rtsp://camera/ RTSP/1.0\r\nCSeq: 5\r\nSession: 12ab\r\n\r\n", () =>
        socket.destroy(),
      ),
  ],
])(
  "the session of a client that %s has ended at the camera once the relay is closed",
  async (_how, leave) => {
    const camera = await cameraWithSession();
    const { client, stream } = await play(camera);
    leave(client);
    await stream.close();
    const [, teardown = "", ...others] = camera.received.join().split("TEARDOWN ");
    expect(others).toEqual([]);
    expect(teardown).toMatch(
      /^rtsp:[^ ]*\/ RTSP\/1.0\r\nCSeq: 5\r\nSession: 12ab\r\nAuthorization: Basic .*\r\n\r\n$/,
    );
    expect(camera.sockets.size).toBe(0);
    expect(stream.failure).toBeUndefined();
  },
);

it("a session that the camera sets up after its client has left is ended, too", async () => {
  let setUp: (() => void) | undefined;
  const camera = await cameraWithSession((text, method, socket) => {
    if (method === "SETUP") setUp = () => void socket.write(text);
    else socket.write(text);
  });
  const { client, stream } = await ask(camera, "ada:word@");
  await client.until("m=video");
  client.socket.write(`SETUP ${stream.url}/track RTSP/1.0\r\nCSeq: 3\r\n\r\n`);
  await expect.poll(() => setUp).toBeDefined();
  const closed = stream.close();
  setUp?.();
  await closed;
  expect(camera.received.join()).toContain(`TEARDOWN ${stream.url} RTSP/1.0\r\nCSeq: 4\r\nSession: 12ab\r\n`);
});

it("a camera that does not end its session is left after a second", async () => {
  const camera = await cameraWithSession((text, method, socket) => {
    if (method !== "TEARDOWN") socket.write(text);
  });
  const { stream } = await play(camera);
  await stream.close();
  expect(camera.received.join()).toContain("TEARDOWN ");
  await expect.poll(() => camera.sockets.size).toBe(0);
});

it("a relay takes few connections, and leaves none when it closes", async () => {
  const camera = await cameraWith(described());
  const stream = await openStream(`rtsp://${cameraAddress}:${camera.port}/live`);
  const clients = await Promise.all(listOf(6, () => RelayClient.connect(stream)));
  await Promise.all(clients.slice(4).map((client) => client.ended()));
  await expect.poll(() => camera.connections).toBe(4);
  const sockets: Socket[] = [...camera.sockets];
  await stream.close();
  await Promise.all(clients.map((client) => client.ended()));
  await expect.poll(() => sockets.every(({ closed }) => closed)).toBe(true);
  expect(camera.connections).toBe(4);
  await stream.close();
});
