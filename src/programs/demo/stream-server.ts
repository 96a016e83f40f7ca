import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import path from "node:path";
import { listeningAddress } from "../../platform/network/listening-address.js";
import { builtFile } from "../../platform/project-files.js";
import { codeOf } from "../../platform/thrown.js";

const directory = builtFile("src/programs/demo/stream", "dist/demo/stream");
/** The length of each segment, in seconds. */
const segmentSeconds = 2;

export const playlistName = "main-gate.m3u8";
/** The number of segments in the playlist, beginning with the oldest. */
const listed = 4;

/** Serves a film in an endless loop on loopback, as HTTP Live Streaming: the playlist moves on with the time. */
export class StreamServer {
  readonly #segments: readonly Buffer[];
  readonly #server: Server;

  private constructor(segments: readonly Buffer[]) {
    this.#segments = segments;
    // A camera's stream is asked for again if a connection could not be accepted.
    this.#server = createServer(this.#answer).on("error", () => undefined);
  }

  /** Listens at a port, or at any other if that one is in use. */
  static async open(port: number): Promise<StreamServer> {
    const names = (await readdir(directory)).sort();
    const segments = names.map((name) => readFile(path.join(directory, name)));
    const opened = new StreamServer(await Promise.all(segments));
    const server = opened.#server;
    // The stream does not keep the gateway alive.
    server.unref();
    try {
      await once(server.listen(port, "127.0.0.1"), "listening");
    } catch (error) {
      if (codeOf(error) !== "EADDRINUSE") throw error;
      await once(server.listen(0, "127.0.0.1"), "listening");
    }
    return opened;
  }

  get port(): number {
    return listeningAddress(this.#server).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/${playlistName}`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  readonly #answer: RequestListener = ({ method, url }, response) => {
    const body = method === "GET" ? this.#bodyOf(url ?? "") : undefined;
    const type = typeof body === "string" ? "application/vnd.apple.mpegurl" : "video/mp2t";
    if (body === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": type, "cache-control": "no-store" }).end(body);
  };

  #bodyOf(url: string): string | Buffer | undefined {
    if (url === `/${playlistName}`) return this.#playlist();
    const [, number] = /^\/(\d{1,12})\.ts$/.exec(url) ?? [];
    return number === undefined ? undefined : this.#segments[Number(number) % this.#segments.length];
  }

  #playlist(): string {
    const { length } = this.#segments;
    const first = Math.floor(Date.now() / (segmentSeconds * 1000)) - listed + 1;
    const segments = Array.from({ length: listed }, (_, index) => first + index).map((number) => [
      // The film begins anew, and with it the time in it.
      ...(number % length === 0 ? ["#EXT-X-DISCONTINUITY"] : []),
      `#EXTINF:${segmentSeconds},`,
      `${number}.ts`,
    ]);
    return [
      "#EXTM3U",
      "#EXT-X-VERSION:3",
      `#EXT-X-TARGETDURATION:${segmentSeconds}`,
      `#EXT-X-MEDIA-SEQUENCE:${first}`,
      `#EXT-X-DISCONTINUITY-SEQUENCE:${Math.ceil(first / length)}`,
      ...segments.flat(),
      "",
    ].join("\n");
  }
}
