// Needs no gateway.

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { isStreamUrl } from "../../src/features/camera/stream-url.js";
import { listOf } from "../support/list-of.js";
import { listenForTest } from "../support/listening.js";
import { nameServer } from "../support/name-server.js";
import { askProxy as get, openStream } from "./relay-client.js";
import { cameraAddress, ScriptedServer, startCanary } from "./scripted-server.js";
import { hasOpenssl, selfSigned } from "./self-signed.js";

/** A camera of the running test. Returns its host and port. */
async function cameraWith(handle: RequestListener, isEncrypted = false) {
  const server: Server = isEncrypted
    ? createSecureServer(
        { ...selfSigned(), ciphers: "DEFAULT:@SECLEVEL=0", maxVersion: "TLSv1.1", minVersion: "TLSv1" },
        handle,
      )
    : createServer(handle);
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  return {
    host: `${cameraAddress}:${await listenForTest(server, cameraAddress)}`,
    connections: () => connections,
  };
}

/** A camera of the running test with its stream. */
async function streamOf(handle: RequestListener, isEncrypted = false) {
  const camera = await cameraWith(handle, isEncrypted);
  const stream = await openStream(`http${isEncrypted ? "s" : ""}://${camera.host}/live.m3u8`);
  return { camera, stream };
}

const answerWith =
  (text: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, headers).end(text);

it("ffmpeg gets the camera's URL without its user, with its path and its query, and a proxy with a password", async () => {
  const stream = await openStream("http://us@er:p%23'w@camera.example/a%20b/x.m3u8?c=1&d=%2F");
  expect(stream.url).toBe("http://camera.example:80/a%20b/x.m3u8?c=1&d=%2F");
  expect(stream.options).toEqual({
    http_proxy: expect.stringMatching(/^http:\/\/relay:[\da-f]{32}@127\.0\.0\.1:\d+$/),
    protocol_whitelist: "http,tcp,crypto",
    format_whitelist: expect.stringContaining("hls"),
  });
  expect((await openStream("https://camera.example/x")).url).toBe("http://camera.example:443/x");
  expect((await openStream("http://bücher.example:81/x")).url).toBe("http://xn--bcher-kva.example:81/x");
});

it("a host with a letter such as ü is one however often it is asked for", () => {
  const answers = listOf(20_000, () => isStreamUrl("http://bücher.example/x"));
  expect(answers).not.toContain(false);
});

it("the proxy serves nobody without its password, and no tunnel", async () => {
  const camera = await cameraWith(answerWith("x"));
  const stream = await openStream(`http://${camera.host}/`);
  const others = ["", "Basic cmVsYXk6eA==", "Bearer x"];
  for (const authorization of others) {
    const answer = await get(stream, stream.url, { "proxy-authorization": authorization });
    expect(answer).toMatchObject({ status: 407, headers: { "proxy-authenticate": 'Basic realm="relay"' } });
  }
  const { port } = new URL(stream.options.http_proxy as string);
  const tunnel = connect(Number(port), "127.0.0.1");
  tunnel.write(`CONNECT ${camera.host} HTTP/1.1\r\nhost: ${camera.host}\r\n\r\n`);
  expect((await buffer(tunnel)).toString()).not.toContain("200");
  expect(camera.connections()).toBe(0);
  expect(stream.failure).toBeUndefined();
});

it("requests and segments pass over one connection, with the headers that ffmpeg and cameras need", async () => {
  const segment = Buffer.from(listOf(300_000, (index) => index & 255));
  const asked: IncomingMessage[] = [];
  const camera = await cameraWith((incoming, response) => {
    asked.push(incoming);
    answerWith(segment, { "content-type": "video/mp2t", "content-length": "300000", "icy-metaint": "7" })(
      incoming,
      response as never,
    );
  });
  const stream = await openStream(`http://user:word@${camera.host}/a/../ü%20"[x]|?q={1}`);
  const headers = { range: "bytes=0-", authorization: "Digest x" };
  for (let count = 0; count < 3; count += 1) {
    const answer = await get(stream, stream.url, { ...headers, "icy-metadata": "1", cookie: "c=d" });
    expect(answer.text === segment.toString("latin1")).toBe(true);
    expect(answer.headers).toMatchObject({
      "content-type": "video/mp2t",
      "content-length": "300000",
    });
    // ffmpeg would take every eighth byte out.
    expect(answer.headers).not.toHaveProperty("icy-metaint");
  }
  expect(camera.connections()).toBe(1);
  expect(asked[0]?.url).toBe('/a/../%C3%BC%20"[x]|?q={1}');
  expect(asked[0]?.headers).toEqual({
    ...headers,
    host: camera.host,
    "accept-encoding": "identity",
    connection: "keep-alive",
  });
});

it.each([
  [401, "UNAUTHORIZED"],
  [403, "UNAUTHORIZED"],
  [404, "NOT_FOUND"],
  [410, "NOT_FOUND"],
  [429, "BUSY"],
  [500, "CAMERA_ERROR"],
  [503, "CAMERA_ERROR"],
])("a camera that answers %i: %s", async (status, code) => {
  const { stream } = await streamOf((_incoming, response) =>
    response.writeHead(status, { "www-authenticate": 'Digest realm="x"' }).end("no"),
  );
  expect(await get(stream)).toMatchObject({
    status,
    headers: { "www-authenticate": 'Digest realm="x"' },
    text: "",
  });
  expect(stream.failure).toBe(code);
});

it("a failure counts until its URL, or a later segment, is answered", async () => {
  const { camera, stream } = await streamOf((incoming, response) => {
    const isMissing =
      incoming.url === "/gone.ts" || (incoming.url === "/live.m3u8" && !incoming.headers.authorization);
    response.writeHead(isMissing ? 401 : 200).end(incoming.url?.endsWith("m3u8") ? "#EXTM3U\n" : "segment");
  });
  await get(stream);
  expect(stream.failure).toBe("UNAUTHORIZED");
  await get(stream, stream.url, { authorization: "Basic x" });
  expect(stream.failure).toBeUndefined();
  await get(stream, `http://${camera.host}/gone.ts`);
  await get(stream, stream.url, { authorization: "Basic x" });
  expect(stream.failure).toBe("UNAUTHORIZED");
  await get(stream, `http://${camera.host}/next.ts`);
  expect(stream.failure).toBeUndefined();
});

/** URLs that lead to a port of this machine. */
const forbidden = (port: number) => [
  `http://127.0.0.1:${port}/`,
  `http://localhost:${port}/`,
  `http://[::1]:${port}/`,
  `http://[::ffff:127.0.0.1]:${port}/`,
  `http://[::ffff:7f00:1]:${port}/`,
  `http://2130706433:${port}/`,
  `http://0x7f.1:${port}/`,
  `http://0177.0.0.1:${port}/`,
  `http://127.1:${port}/`,
  `http://0:${port}/`,
  `http://${cameraAddress}@127.0.0.1:${port}/`,
  `https://127.0.0.1:${port}/`,
];
const forms = forbidden(0).map((url, index) => [url.replace(":0/", ":port/"), index] as const);

describe("nothing is sent", () => {
  it.each(forms)("to %s, also by a redirect, by a playlist, or after it", async (_form, index) => {
    const canary = await startCanary();
    const url = forbidden(canary.port)[index] as string;
    const direct = await openStream(url);
    expect(await get(direct)).toMatchObject({ status: 502, text: "" });
    const { stream: redirected } = await streamOf((_incoming, response) =>
      response.writeHead(302, { location: url }).end(),
    );
    const { status: moved, headers } = await get(redirected);
    // A name is only looked up when it is asked.
    if (moved === 302) await get(redirected, headers.location);
    const { stream: listed } = await streamOf(
      answerWith(`#EXTM3U\n#EXT-X-KEY:URI="${url}"\n#EXTINF:2,\n${url}\n`),
    );
    const { status, text } = await get(listed);
    if (status === 200) expect(await get(listed, text.split("\n")[3])).toMatchObject({ status: 502 });
    for (const { failure } of [direct, redirected, listed]) expect(failure).toBe("ADDRESS_NOT_ALLOWED");
    // A stream that tried it ends.
    expect(await get(listed)).toMatchObject({ status: 502 });
    expect(canary.connections).toBe(0);
  });

  it.each(["rtsp://127.0.0.1:", "tcp://127.0.0.1:", "ftp://127.0.0.1:", "file:///etc/passwd?"])(
    "by %s, whoever names it",
    async (start) => {
      const canary = await startCanary();
      const location = `${start}${canary.port}/`;
      const { stream } = await streamOf((_incoming, response) => response.writeHead(302, { location }).end());
      expect(await get(stream)).toMatchObject({ status: 502 });
      expect(stream.failure).toBe("UNSUPPORTED");
      expect(await get(stream, location)).toMatchObject({ status: 502 });
      expect(canary.connections).toBe(0);
    },
  );
});

it("a name is looked up once for a connection, which goes to the address that was checked", async () => {
  const canary = await startCanary();
  const camera = await cameraWith(answerWith("segment", { connection: "close" }));
  let asked = 0;
  const nameServers = [await nameServer(() => (asked++ === 0 ? cameraAddress : "127.0.0.1"))];
  const [, port] = camera.host.split(":");
  const stream = await openStream(`http://camera.example:${port}/`, { nameServers });
  expect(await get(stream)).toMatchObject({ status: 200, text: "segment" });
  expect(asked).toBe(1);
  expect(await get(stream, `http://camera.example:${canary.port}/`)).toMatchObject({ status: 502 });
  expect(stream.failure).toBe("ADDRESS_NOT_ALLOWED");
  expect(canary.connections).toBe(0);
});

it("five redirects are followed, but not six", async () => {
  const camera = await cameraWith((incoming, response) => {
    const count = Number(incoming.url?.slice(1));
    if (count === 0) response.end("#EXTM3U\n");
    else response.writeHead(302, { location: `${count - 1}#part` }).end();
  });
  const follow = async (count: number) => {
    const stream = await openStream(`http://${camera.host}/${count}`);
    let answer = await get(stream);
    while (answer.status === 302) answer = await get(stream, answer.headers.location);
    return { status: answer.status, failure: stream.failure };
  };
  expect(await follow(5)).toEqual({ status: 200, failure: undefined });
  expect(await follow(6)).toEqual({ status: 502, failure: "CAMERA_ERROR" });
});

it.skipIf(!hasOpenssl)(
  "user and password go to none but the scheme, the host and the port that they were given for",
  async () => {
    const told: string[] = [];
    const asks =
      (name: string, answer: (incoming: IncomingMessage, response: ServerResponse) => void) =>
      (incoming: IncomingMessage, response: ServerResponse) => {
        const { authorization } = incoming.headers;
        if (authorization) told.push(`${name} ${Buffer.from(authorization.slice(6), "base64")}`);
        if (authorization || incoming.url === "/open") answer(incoming, response);
        else response.writeHead(401, { "www-authenticate": 'Basic realm="camera"' }).end();
      };
    const other = await cameraWith(asks("other", (_incoming, response) => void response.end("segment")));
    const targets: Record<string, string> = {
      "/port": `http://${other.host}/x`,
      "/name": "",
      "/user": `http://ada:own@${other.host}/x`,
      "/own": "/x",
    };
    const camera = await cameraWith(
      asks("camera", ({ url = "" }, response) => {
        if (url in targets) response.writeHead(302, { location: targets[url] }).end();
        else response.end("segment");
      }),
      true,
    );
    targets["/name"] = `https://${camera.host.replace(/^[^:]*/, "camera.example")}/x`;
    targets["/plain"] = `http://${camera.host.replace(/^[^:]*/, "camera.example")}/x`;
    const nameServers = [await nameServer(() => cameraAddress)];
    const follow = async (path: string) => {
      told.length = 0;
      const stream = await openStream(`https://us%65r:word@${camera.host}${path}`, { nameServers });
      const { headers } = await get(stream);
      const { status } = await get(stream, headers.location);
      return [status, stream.failure, ...told];
    };
    expect(await follow("/port")).toEqual([401, "UNAUTHORIZED", "camera user:word"]);
    expect(await follow("/name")).toEqual([401, "UNAUTHORIZED", "camera user:word"]);
    expect((await follow("/plain")).slice(2)).toEqual(["camera user:word"]);
    expect(await follow("/user")).toEqual([200, undefined, "camera user:word", "other ada:own"]);
    expect(await follow("/own")).toEqual([200, undefined, "camera user:word", "camera user:word"]);
    // As in a playlist.
    const stream = await openStream(`https://user:word@${camera.host}/open`);
    await get(stream);
    expect(await get(stream, `http://${other.host}/x`)).toMatchObject({ status: 401 });
    expect(told.filter((each) => each.startsWith("other"))).toEqual([]);
  },
);

it("a camera that offers several kinds of Digest gets one with MD5, and a wrong password once", async () => {
  const digest = 'Digest realm="a, b", qop="auth", nonce="1"';
  const offered = [`${digest}, algorithm=MD5`, `${digest}, algorithm=SHA-256`, 'Basic realm="x"'];
  let told: string[] = [];
  let isRefused = false;
  const camera = await cameraWith(({ headers: { authorization } }, response) => {
    if (authorization) told.push(authorization);
    if (authorization && !isRefused) response.end("segment");
    else response.writeHead(401, { "www-authenticate": offered }).end();
  });
  const stream = await openStream(`http://user:word@${camera.host}/live`);
  expect(await get(stream)).toMatchObject({ status: 200, text: "segment" });
  expect(await get(stream)).toMatchObject({ status: 200, text: "segment" });
  expect(told).toEqual([
    expect.stringMatching(/^Digest .*uri="\/live".*algorithm=MD5, qop=auth, nc=00000001$/),
    expect.stringMatching(/nc=00000002$/),
  ]);
  isRefused = true;
  told = [];
  expect(await get(await openStream(`http://user:word@${camera.host}/live`))).toMatchObject({ status: 502 });
  expect(told).toHaveLength(1);
});

it.skipIf(!hasOpenssl)("https has a certificate that nobody verifies, and codes like http", async () => {
  const asked: (string | undefined)[] = [];
  const camera = await cameraWith((incoming, response) => {
    asked.push(incoming.url);
    if (incoming.url === "/moved")
      response.writeHead(301, { location: `https://${incoming.headers.host}/x?y` }).end();
    else response.writeHead(incoming.url === "/no" ? 404 : 200).end("segment");
  }, true);
  const stream = await openStream(`https://${camera.host}/live.ts?a=b`);
  expect(stream.url).toBe(`http://${camera.host}/live.ts?a=b`);
  expect(await get(stream)).toMatchObject({ status: 200, text: "segment" });
  expect(await get(stream, `http://${camera.host}/no`)).toMatchObject({ status: 404 });
  expect(stream.failure).toBe("NOT_FOUND");
  const { headers } = await get(stream, `http://${camera.host}/moved`);
  expect(headers.location).toBe(`http://${camera.host}/x?y`);
  expect(asked).toEqual(["/live.ts?a=b", "/no", "/moved"]);
});

it.skipIf(!hasOpenssl)("a playlist's URLs of https lead to the proxy as well", async () => {
  const secure = await cameraWith(answerWith("secure segment"), true);
  const playlist = (scheme: string) =>
    `#EXTM3U\n#EXT-X-MAP:URI="${scheme}://${secure.host}/map"\n#EXTINF:2,title\n${scheme}://${secure.host}/1.ts?to=https://x/\nrelative.ts?a=//b\n`;
  const { stream } = await streamOf(
    answerWith(playlist("https"), { "content-range": "bytes 0-9/10", "accept-ranges": "bytes" }),
  );
  const answer = await get(stream);
  expect(answer.text).toBe(playlist("http"));
  expect(answer.headers).not.toHaveProperty("content-range");
  expect(await get(stream, `http://${secure.host}/1.ts`)).toMatchObject({ text: "secure segment" });
});

it.skipIf(!hasOpenssl)("a playlist that came by https names other hosts without a scheme", async () => {
  const { stream } = await streamOf(
    answerWith("#EXTM3U\n//camera.example/1.ts\nhttp://other.example/2.ts\n"),
    true,
  );
  expect((await get(stream)).text).toBe(
    "#EXTM3U\nhttp://camera.example:443/1.ts\nhttp://other.example:80/2.ts\n",
  );
});

it("a playlist's URLs become ASCII", async () => {
  const camera = await cameraWith(
    answerWith("\ufeff#EXTM3U\n#EXTINF:2,\nhttp://camera/Tür.ts\r\nhttp://tür/à\r1.ts\n"),
  );
  const { text } = await get(await openStream(`http://${camera.host}/live.m3u8`));
  expect(text).toBe("#EXTM3U\n#EXTINF:2,\nhttp://camera:80/T%C3%BCr.ts\nhttp://xn--tr-xka:80/%C3%A0\n1.ts\n");
});

it("a playlist without end is cut off", async () => {
  const line = Buffer.alloc(64 * 1024, "#EXTINF:2,\n1.ts\n");
  let isOpen = true;
  const { stream } = await streamOf((_incoming, response) => {
    response.once("close", () => {
      isOpen = false;
    });
    response.write("#EXTM3U\n");
    const write = () => {
      while (!response.destroyed && response.write(line));
      response.once("drain", write);
    };
    write();
  });
  expect(await get(stream)).toMatchObject({ status: 502 });
  expect(stream.failure).toBe("TIMEOUT");
  await expect.poll(() => isOpen).toBe(false);
});

it("what nobody asked to be compressed is refused", async () => {
  const { stream } = await streamOf(answerWith("x", { "content-encoding": "gzip" }));
  expect(await get(stream)).toMatchObject({ status: 502 });
  expect(stream.failure).toBe("UNSUPPORTED");
});

it("a camera that accepts no connection, hangs up, speaks otherwise or does not answer is told apart", async () => {
  const failureAt = async (url: string) => {
    const stream = await openStream(url);
    await get(stream);
    return stream.failure;
  };
  expect(await failureAt(`http://${cameraAddress}:1/`)).toBe("REFUSED");
  expect(await failureAt("http://camera.invalid/")).toBe("NAME_NOT_FOUND");
  const hangsUp = await ScriptedServer.start((_request, socket) => void socket.end());
  expect(await failureAt(`http://${cameraAddress}:${hangsUp.port}/`)).toBe("REFUSED");
  const other = await ScriptedServer.start((_request, socket) => void socket.end("SSH-2.0-OpenSSH\r\n"));
  expect(await failureAt(`http://${cameraAddress}:${other.port}/`)).toBe("UNSUPPORTED");
  const plain = await cameraWith(answerWith("x"));
  expect(await failureAt(`https://${plain.host}/`)).toBe("UNSUPPORTED");
});

it.each([
  ["does not answer", ""],
  ["sends a header a second", "HTTP/1.1 200 OK\r\nx: y\r\n"],
  ["sends a byte of its answer a second", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n#"],
  ["sends a byte of its playlist a second", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n#EXTM3U\n#"],
])("a camera that %s is given up", async (_what, beginning) => {
  const slow = await ScriptedServer.start((_request, socket) => void socket.write(beginning));
  const stream = await openStream(`http://${cameraAddress}:${slow.port}/`);
  const { port, username, password } = new URL(stream.options.http_proxy as string);
  const waiting = connect(Number(port), "127.0.0.1");
  const credentials = Buffer.from(`${username}:${password}`).toString("base64");
  waiting.write(`GET ${stream.url} HTTP/1.1\r\nhost: x\r\nproxy-authorization: Basic ${credentials}\r\n\r\n`);
  await expect.poll(() => slow.received[0]).toContain("GET / ");
  expect(stream).toMatchObject({ failure: undefined, isWaiting: true });
  waiting.destroy();
  await expect.poll(() => slow.sockets.size).toBe(0);
  await expect.poll(() => stream.failure).toBe("TIMEOUT");
});

it("a connection that the camera closed meanwhile is replaced", async () => {
  let count = 0;
  const camera = await ScriptedServer.start((_request, socket) => {
    count += 1;
    if (count === 2) socket.destroy();
    else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nsegment");
  });
  const stream = await openStream(`http://${cameraAddress}:${camera.port}/1.ts`);
  expect(await get(stream)).toMatchObject({ text: "segment" });
  expect(await get(stream)).toMatchObject({ text: "segment" });
  expect(camera.connections).toBe(2);
  expect(stream.failure).toBeUndefined();
});

it("a proxy takes few connections, and leaves none when it closes", async () => {
  const silent = await ScriptedServer.start(() => {});
  const stream = await openStream(`http://${cameraAddress}:${silent.port}/`);
  const asked = listOf(12, (index) =>
    get(stream, `http://${cameraAddress}:${silent.port}/${index}`).then(
      () => "answered",
      () => "closed",
    ),
  );
  await expect.poll(() => silent.connections).toBe(8);
  await stream.close();
  expect(new Set(await Promise.all(asked))).toEqual(new Set(["closed"]));
  await expect.poll(() => silent.sockets.size).toBe(0);
  expect(silent.connections).toBe(8);
  await stream.close();
});
