// Needs no gateway.
import { createServer } from "node:http";
import { close, listen } from "../support/listening.js";
import { playlists } from "./playlists.js";
import { askProxy, openStream } from "./relay-client.js";
import { cameraAddress } from "./scripted-server.js";

let answer: [text: string, headers?: Record<string, string> | undefined, status?: number | undefined];
const server = createServer((_request, response) => {
  const [text, headers, status = 200] = answer;
  response.writeHead(status, headers).end(text);
});

const port = await listen(server, cameraAddress);
afterAll(() => close(server));

async function ask() {
  const stream = await openStream(`http://${cameraAddress}:${port}/live.m3u8`);
  const { status, text } = await askProxy(stream);
  return { status, text: text.replaceAll(stream.url.replace("/live.m3u8", ""), ""), failure: stream.failure };
}

const schemes =
  "tcp TCP tls udp rtp rtsp rtmp ftp file data pipe concat cache crypto+tcp async+http unix srt";

describe.each(schemes.split(" "))("a playlist is refused that names by %s:", (scheme) => {
  it.each(playlists)("%s", async (_what, playlist, headers, status) => {
    answer = [playlist(`${scheme}://127.0.0.1:80/?listen=1`), headers, status];
    expect(await ask()).toEqual({ status: 502, text: "", failure: "UNSUPPORTED" });
  });
});

it.each([
  "subfile,,start,0,end,9,,:http://127.0.0.1/",
  "concat:/etc/hostname|/etc/hosts",
  "data:text/plain,x",
  "file:/etc/hostname",
  "http,listen=1://127.0.0.1/",
  "t\tcp://127.0.0.1/",
])("a playlist is refused that names %j", async (uri) => {
  answer = [`#EXTM3U\n#EXTINF:1,\n${uri}\n`];
  expect(await ask()).toMatchObject({ status: 502, failure: "UNSUPPORTED" });
});

it.each([
  ["1.ts?a=b", "1.ts?a=b"],
  ["../a b/Tür.ts#part", "/a%20b/T%C3%BCr.ts"],
  ["2026-01-01T10:00:00.ts", "/2026-01-01T10:00:00.ts"],
  ["HTTP://Camera.example/x", "http://camera.example:80/x"],
  ["//camera.example:81//x?\\", "http://camera.example:81//x?%5C"],
  ["http:\\\\camera.example\\x", "http://camera.example:80/x"],
  ["http://user:word@camera.example/", "http://camera.example:80/"],
  ["'1.ts'", "/'1.ts'"],
])("ffmpeg gets the URI %j as %s", async (uri, written) => {
  const quoted = uri.replaceAll("\\", "\\\\");
  answer = [`#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="${quoted}",IV=0x1F\n#EXTINF: 1.5, a title\n  ${uri}\n`];
  const key = `#EXT-X-KEY:METHOD="AES-128",URI="${written}",IV="0x1F"`;
  expect((await ask()).text).toBe(`#EXTM3U\n${key}\n#EXTINF:1.5,atitle\n${written}\n`);
});
