// Needs no gateway.
import { createServer, type TLSSocket } from "node:tls";
import { listenForTest } from "../support/listening.js";
import { openStream, RelayClient } from "./relay-client.js";
import { cameraAddress, ScriptedServer, startCanary } from "./scripted-server.js";
import { hasOpenssl, selfSigned } from "./self-signed.js";

const handshake = Buffer.concat([Buffer.from([3]), Buffer.alloc(2 * 1536, "x")]);

/** A message of RTMP in chunks of a size. */
function message(type: number, content: Buffer, { stream = 3, chunkSize = 128, isExtended = false } = {}) {
  const basic = (format: number) =>
    stream < 64 ? Buffer.from([(format << 6) | stream]) : Buffer.from([format << 6, stream - 64]);
  const time = isExtended ? Buffer.from([0xff, 0xff, 0xff]) : Buffer.alloc(3);
  const more = Buffer.alloc(isExtended ? 4 : 0);
  const length = Buffer.from([content.length >> 16, (content.length >> 8) & 255, content.length & 255]);
  const head = Buffer.concat([basic(0), time, length, Buffer.from([type, 0, 0, 0, 0]), more]);
  const parts = [head, content.subarray(0, chunkSize)];
  for (let at = chunkSize; at < content.length; at += chunkSize)
    parts.push(basic(3), more, content.subarray(at, at + chunkSize));
  return Buffer.concat(parts);
}

/** A command, which begins so far into the message that it is cut. */
const command = (text: string, options = {}) =>
  message(20, Buffer.from(`${"-".repeat(120)}${text}`), options);

/** Sends what a camera answers by way of a relay, in pieces of a size. */
async function receive(answer: Buffer, size = answer.length) {
  const camera = await ScriptedServer.start((_request, socket) => {
    for (let at = 0; at < answer.length; at += size) socket.write(answer.subarray(at, at + size));
  });
  const stream = await openStream(`rtmp://${cameraAddress}:${camera.port}/live/one`);
  const client = await RelayClient.connect(stream);
  client.socket.write("hello\r\n\r\n");
  while (client.bytes.length < answer.length)
    await new Promise((resolve) => client.socket.once("data", resolve));
  expect(client.bytes.equals(answer)).toBe(true);
  expect(camera.received).toEqual(["hello\r\n\r\n"]);
  return stream.failure;
}

it.each([
  ["NetStream.Play.StreamNotFound", "NOT_FOUND"],
  ["NetConnection.Connect.InvalidApp", "NOT_FOUND"],
  [
    "NetConnection.Connect.Rejected [ AccessManager.Reject ] : [ code=403 need auth; authmod=adobe ]",
    "UNAUTHORIZED",
  ],
  ["NetConnection.Connect.Rejected ex.redirect rtmp://127.0.0.1/live", "CAMERA_ERROR"],
  ["NetStream.Play.Failed", "CAMERA_ERROR"],
  ["NetStream.Play.Start", undefined],
])("a server that says %s: %s", async (text, code) => {
  expect(await receive(Buffer.concat([handshake, command(text)]))).toBe(code);
});

it("what a server says is read however it is cut, and passes unchanged", async () => {
  const chunkSize = 300;
  const size = message(1, Buffer.from([0, 0, chunkSize >> 8, chunkSize & 255]), { stream: 2 });
  const answer = Buffer.concat([
    handshake,
    command("NetConnection.Connect.Success"),
    size,
    command("x".repeat(1000), { chunkSize, stream: 100 }),
    command(`NetStream.Play.StreamNotFound${"y".repeat(500)}`, { chunkSize, isExtended: true }),
    message(9, Buffer.alloc(200_000, "NetStream.Play.Start"), { chunkSize, stream: 6 }),
  ]);
  for (const pieces of [1, 7, 1000, answer.length])
    expect(await receive(answer.subarray(0, pieces === 1 ? 6_000 : answer.length), pieces)).toBe("NOT_FOUND");
});

it("a server that asks who wants its stream does not refuse it yet", async () => {
  const answer = [
    command("NetConnection.Connect.Rejected code=403 need auth"),
    command("NetConnection.Connect.Success"),
  ];
  expect(await receive(Buffer.concat([handshake, ...answer]))).toBeUndefined();
});

it("ffmpeg gets the relay's address, and tells the server the camera's own", async () => {
  const stream = await openStream("rtmp://user:p%40ss@camera.example/live/a/b?key=1&x=y");
  expect(stream.url).toMatch(/^rtmp:\/\/user:p%40ss@127\.0\.0\.1:\d+\/live\/a\/b\?key=1&x=y$/);
  expect(stream.options).toEqual({
    protocol_whitelist: "rtmp,tcp",
    format_whitelist: "flv,live_flv",
    rtmp_tcurl: "rtmp://camera.example:1935/live/a",
  });
});

it.each([
  ["/live/one", "live"],
  ["/live/one?token=a/b", "live/one?token=a"],
  ["/live/app/one", "live/app"],
  ["/live/mp4:app/one", "live"],
  ["/live", "live"],
  ["/ondemand/one", "ondemand"],
  ["/live?slist=a/b", "live?slist=a/b"],
  ["", ""],
])("the application of %s is %j, as ffmpeg reads it", async (path, application) => {
  const { options } = await openStream(`rtmp://[2606:2800:220:1::1]:8000${path}`);
  expect(options.rtmp_tcurl).toBe(`rtmp://[2606:2800:220:1::1]:8000/${application}`);
});

it.each(["rtmp", "rtmps"])("nothing is sent to a forbidden address by %s", async (scheme) => {
  const canary = await startCanary();
  const stream = await openStream(`${scheme}://localhost:${canary.port}/live/one`);
  await (await RelayClient.connect(stream)).ended();
  expect(stream.failure).toBe("ADDRESS_NOT_ALLOWED");
  expect(canary.connections).toBe(0);
});

it.skipIf(!hasOpenssl)(
  "the relay encrypts what goes to a server of RTMPS, and names the server",
  async () => {
    const names: (string | false | null)[] = [];
    const server = createServer({ ...selfSigned(), ciphers: "DEFAULT:@SECLEVEL=0" }, (socket: TLSSocket) => {
      names.push(socket.servername);
      socket.on("error", () => {}).write("answer");
    });
    const port = await listenForTest(server);
    const allowedNetworks = ["127.0.0.0/8", "::1/128"];
    const stream = await openStream(`rtmps://localhost:${port}/live/one`, { allowedNetworks });
    expect(stream.url).toMatch(/^rtmp:\/\/127\.0\.0\.1:\d+\/live\/one$/);
    expect(stream.options.rtmp_tcurl).toBe(`rtmps://localhost:${port}/live`);
    const client = await RelayClient.connect(stream);
    await client.until("answer");
    expect(names).toEqual(["localhost"]);
    client.socket.destroy();
  },
);
