import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { GuardedHttp } from "../../../platform/network/guarded-http.js";
import { responseTo } from "../../../platform/network/http-response.js";
import { listeningAddress } from "../../../platform/network/listening-address.js";
import { parsedUrl } from "../../../platform/network/parsed-url.js";
import { FeedError, type FeedErrorCode } from "../feed-error.js";
import { type CameraConnections, connectionFailure } from "./camera-connections.js";
import { CameraCookies } from "./camera-cookies.js";
import { CameraCredentials } from "./camera-credentials.js";
import { isPicture, multipartPictures, pictureStreamHead, timedPicture } from "./camera-pictures.js";
import { isPlaylist, maxPlaylistBytes, playlistStartBytes, readPlaylist } from "./hls-playlist.js";
import { maxFrameBytes } from "./media-parameters.js";
import type { RelayedStream } from "./relayed-stream.js";
import { statusFailure } from "./response-status.js";
import { authority, originOf, parseStreamAddress, type StreamAddress } from "./stream-address.js";

/** More than ffmpeg opens for the playlists and segments of a picture and its sound. */
const maxConnections = 8;
const maxRedirects = 5;
/** The least times between two pictures that are passed on, and between two that the camera is asked for. */
const [pictureMs, snapshotMs] = [199, 500];
/** The number of redirects, and of hosts with https, that are remembered. */
const maxRemembered = 256;

/**
 * The headers that are passed on. By others, ffmpeg would read something else in a response than the proxy
 * does, such as `icy-metaint`.
 */
const requestHeaders = new Set(["accept", "authorization", "range", "user-agent"]);
const challengeHeaders = new Set(["www-authenticate"]);
const responseHeaders = new Set(["accept-ranges", "content-length", "content-range", "content-type"]);

/** What some program takes for a scheme, but neither http nor https. */
const otherScheme = /^\s*(?!https?:)[a-z][^/?#]*:/i;

/** A relative URI that means the same to every program. */
const plainPath = /^(?!\/\/)[\w.~%/?=&;+,@-]+$/;

/**
 * A proxy for the playlists and segments of one stream over HTTP. ffmpeg gets URLs of http alone, and the proxy
 * encrypts what goes to hosts of https: so it sees each status, each redirect and the size of each playlist. It makes
 * a stream of MJPEG and of single pictures, which ffmpeg would not time as they come.
 */
export class HttpProxy implements RelayedStream {
  readonly #address: StreamAddress;
  readonly #connections: CameraConnections;
  /** Keeps other programs of the machine out. */
  readonly #secret = randomBytes(16).toString("hex");
  readonly #server = createServer((incoming, outgoing) => {
    this.#serve(incoming, outgoing).catch((error) => this.#fail(error, { incoming, outgoing }));
  });
  #port = 0;
  readonly #http: GuardedHttp;
  /** Hosts, with ports, that are asked by https. */
  readonly #encrypted = new Set<string>();
  /** The credentials of URLs by the origins that they were given for. */
  readonly #credentials = new Map<string, CameraCredentials>();
  /** How many redirects led to a URL. */
  readonly #redirects = new Map<string, number>();
  /** Other playlists with the same video as one. */
  readonly #variants = new Map<string, StreamAddress[]>();
  readonly #cookies = new CameraCookies();
  #failure: FeedErrorCode | undefined;
  /** A request that failed, and how. */
  #failed: { url: string | undefined; code: FeedErrorCode } | undefined;
  /** Requests that the camera has not answered, or too slowly. */
  readonly #unanswered = new Set<ServerResponse>();

  private constructor(address: StreamAddress, connections: CameraConnections) {
    this.#address = address;
    this.#connections = connections;
    this.#keepCredentials(address);
    if (address.scheme === "https") this.#encrypted.add(authority(address.host, address.port));
    this.#http = connections.openHttp(maxConnections);
    this.#server.maxConnections = maxConnections;
  }

  static async open(address: StreamAddress, connections: CameraConnections): Promise<HttpProxy> {
    const proxy = new HttpProxy(address, connections);
    // A connection that cannot be accepted is missed by ffmpeg alone.
    proxy.#server.on("error", () => undefined).listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    proxy.#port = listeningAddress(proxy.#server).port;
    return proxy;
  }

  get url(): string {
    const { host, port, path } = this.#address;
    // Node.js reads no request for a path with other characters than those of ASCII.
    const ascii = path.replace(/[^\0-\x7f]+/g, encodeURIComponent);
    return `http://${authority(host, port)}${ascii}`;
  }

  get options(): Readonly<Record<string, string>> {
    return {
      http_proxy: `http://relay:${this.#secret}@127.0.0.1:${this.#port}`,
      protocol_whitelist: "http,tcp,crypto",
      // Others open URLs without the proxy.
      format_whitelist: "hls,mpegts,mov,aac,ac3,eac3,mp3,smjpeg",
    };
  }

  get failure(): FeedErrorCode | undefined {
    return this.#failure ?? this.#failed?.code;
  }

  get isWaiting(): boolean {
    return [...this.#unanswered].some(({ headersSent }) => !headersSent);
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    this.#http.close();
    await closed;
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (!this.#isOurs(incoming.headers["proxy-authorization"])) {
      outgoing.writeHead(407, { "proxy-authenticate": 'Basic realm="relay"' }).end();
      return;
    }
    this.#unanswered.add(outgoing);
    outgoing.once("close", () => this.#unanswered.delete(outgoing));
    // A stream that tried what it must not do has ended.
    if (this.#failure) throw new FeedError(this.#failure);
    const { url = "", method } = incoming;
    if (this.#failed?.url === url) this.#failed = undefined;
    const target = parseStreamAddress(url);
    if (method !== "GET" || target.scheme !== "http") throw new FeedError("UNSUPPORTED");
    // An agent uses its connections again, so this cannot wait for one.
    this.#connections.assertAllowed(target.host, target.port);
    const isEncrypted = this.#encrypted.has(authority(target.host, target.port));
    const exchange = { incoming, outgoing, target, isEncrypted };
    await this.#respond(await this.#askProven(exchange), exchange);
  }

  /** Responds to ffmpeg as the camera did: errors without their text, playlists as they were read. */
  async #respond(response: IncomingMessage, exchange: Exchange): Promise<void> {
    const { statusCode: status = 0, headers } = response;
    if (status < 200 || status > 599) throw new FeedError("UNSUPPORTED");
    const code = statusFailure(status);
    if (code) this.#failed = { url: exchange.incoming.url, code };
    if (status >= 300 && status < 400 && headers.location !== undefined) {
      response.destroy();
      this.#redirect(headers.location, exchange);
    } else if (status >= 400) {
      response.resume();
      if (status === 401 || !this.#tryAnother(exchange))
        exchange.outgoing
          .writeHead(status, passedHeaders(response.rawHeaders, challengeHeaders).flat())
          .end();
    } else await this.#pass(response, exchange);
  }

  #isOurs(credentials: string | undefined): boolean {
    const expected = Buffer.from(`Basic ${Buffer.from(`relay:${this.#secret}`).toString("base64")}`);
    const given = Buffer.from(credentials ?? "");
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #keepCredentials(address: StreamAddress): void {
    const origin = originOf(address);
    if (address.userInfo === "" || this.#credentials.size >= maxRemembered || this.#credentials.has(origin))
      return;
    this.#credentials.set(origin, new CameraCredentials(address.userInfo));
  }

  #credentialsFor({ target, isEncrypted }: Pick<Exchange, "target" | "isEncrypted">) {
    return this.#credentials.get(originOf({ ...target, scheme: isEncrypted ? "https" : "http" }));
  }

  /** Asks the camera, and once more if it wants to know who asks. */
  async #askProven(exchange: Exchange): Promise<IncomingMessage> {
    const credentials = this.#credentialsFor(exchange);
    const wasProven = credentials?.isChallenged;
    const response = await this.#ask(exchange);
    if (response.statusCode !== 401 || !credentials) return response;
    response.resume();
    const { isStale } = credentials.challenge([response.headers["www-authenticate"] ?? ""]);
    const again = wasProven && !isStale ? response : await this.#ask(exchange);
    // ffmpeg would ask again.
    if (again.statusCode === 401) throw new FeedError("UNAUTHORIZED");
    return again;
  }

  /** Asks the camera. Its response ends with the connection to ffmpeg. */
  async #ask(exchange: Exchange, isAgain = false): Promise<IncomingMessage> {
    const { incoming, outgoing, target, isEncrypted } = exchange;
    const { host, port, path } = target;
    const requested = path.startsWith("/") ? path : `/${path}`;
    const proof = this.#credentialsFor({ target, isEncrypted })?.authorization("GET", requested);
    const cookie = this.#cookies.headerFor(exchange);
    const isUsualPort = port === (isEncrypted ? 443 : 80);
    const asked = this.#http.request({
      protocol: isEncrypted ? "https:" : "http:",
      hostname: host,
      port,
      path: requested,
      setHost: false,
      headers: [
        ["Host", isUsualPort ? authority(host, port).replace(/:\d+$/, "") : authority(host, port)],
        ["Accept-Encoding", "identity"],
        ...(cookie === undefined ? [] : [["Cookie", cookie]]),
        ...(proof === undefined ? [] : [["Authorization", proof]]),
        ...passedHeaders(incoming.rawHeaders, requestHeaders),
      ].flat(),
    });
    const cancel = () => void asked.destroy();
    outgoing.once("close", cancel);
    asked.once("close", () => outgoing.off("close", cancel));
    try {
      const response = await responseTo(asked);
      this.#cookies.keep(response.headers["set-cookie"] ?? [], exchange);
      return response;
    } catch (error) {
      // The camera may have closed a connection when it was used again.
      if (asked.reusedSocket && !isAgain && !outgoing.closed) return this.#ask(exchange, true);
      throw new FeedError(connectionFailure(error));
    }
  }

  #redirect(location: string, { outgoing, ...from }: Exchange): void {
    const count = (this.#redirects.get(keyOf(from.target)) ?? 0) + 1;
    if (count > maxRedirects) throw new FeedError("CAMERA_ERROR");
    const next = this.#addressOf(location, from);
    remember(this.#redirects, keyOf(next), count);
    // What it leads to may be gone as well.
    const others = this.#variants.get(keyOf(from.target));
    if (others) remember(this.#variants, keyOf(next), others);
    outgoing.writeHead(302, { location: uriOf(next) }).end();
  }

  /** Leads ffmpeg, which would open all of several playlists with the same video, to the first one. */
  #choose([first, ...others]: StreamAddress[], outgoing: ServerResponse): boolean {
    if (!first) return false;
    remember(this.#variants, keyOf(first), others);
    outgoing.writeHead(302, { location: uriOf(first) }).end();
    return true;
  }

  /** Leads ffmpeg to another playlist with the same video, if there is one. */
  #tryAnother({ incoming, outgoing }: Pick<Exchange, "incoming" | "outgoing">): boolean {
    const others = this.#variants.get((incoming.url ?? "").replace("http://", ""));
    return Boolean(others && this.#choose(others, outgoing));
  }

  /** Where a URI of a camera leads. Fails unless it is relative, http or https, and may be opened. */
  #addressOf(uri: string, { target, isEncrypted }: Pick<Exchange, "target" | "isEncrypted">): StreamAddress {
    const from = `${isEncrypted ? "https" : "http"}://${keyOf(target)}`;
    const url = parsedUrl(uri, from);
    if (otherScheme.test(uri) || !url) throw new FeedError("UNSUPPORTED");
    const address = parseStreamAddress(url.href.replace(/#.*/s, "").replaceAll("\\", "%5C"));
    if (address.scheme === "https") this.#encrypt(authority(address.host, address.port));
    else if (address.scheme !== "http") throw new FeedError("UNSUPPORTED");
    this.#connections.assertAllowed(address.host, address.port);
    this.#keepCredentials(address);
    return address;
  }

  /** Remembers that a host is asked by https. */
  #encrypt(name: string): void {
    if (this.#encrypted.size >= maxRemembered && !this.#encrypted.has(name))
      throw new FeedError("UNSUPPORTED");
    this.#encrypted.add(name);
  }

  /** Passes a response on: playlists as a whole, everything else as it comes. */
  async #pass(response: IncomingMessage, exchange: Exchange): Promise<void> {
    const { outgoing } = exchange;
    const { statusCode: status = 0, headers } = response;
    // Nobody asked for it, and its size is not known before it is decoded.
    if ((headers["content-encoding"] ?? "identity") !== "identity") throw new FeedError("UNSUPPORTED");
    const chunks: AsyncIterator<Buffer> = response[Symbol.asyncIterator]();
    const start = await readBytes(chunks, playlistStartBytes);
    // ffmpeg skips tags of ID3, which precede sound alone, and might find a playlist behind them.
    if (start.toString("latin1", 0, 3) === "ID3") throw new FeedError("NO_VIDEO");
    const type = headers["content-type"] ?? "";
    const all = startingWith(start, chunks);
    if (/^multipart\//i.test(type)) {
      await this.#passPictures(multipartPictures(all, type), exchange);
      return;
    }
    if (isPicture(start)) {
      await this.#passPictures(this.#snapshots(all, exchange), exchange);
      return;
    }
    if (isPlaylist(start)) {
      await this.#passPlaylist(Buffer.concat([start, await readBytes(chunks, maxPlaylistBytes)]), exchange);
      return;
    }
    if (status < 300) this.#failed = undefined;
    outgoing.writeHead(status, passedHeaders(response.rawHeaders, responseHeaders).flat());
    await pipeline(all, outgoing);
  }

  /** Passes pictures on with the times of their arrival; not those for which ffmpeg has no time. */
  async #passPictures(pictures: AsyncIterable<Buffer>, { outgoing }: Exchange): Promise<void> {
    const startedAt = performance.now();
    let due = 0;
    for await (const jpeg of pictures) {
      const time = Math.round(performance.now() - startedAt);
      if (time < due || outgoing.writableNeedDrain) continue;
      due = time + pictureMs;
      this.#failed = undefined;
      if (!outgoing.headersSent) outgoing.writeHead(200).write(pictureStreamHead);
      outgoing.write(timedPicture(jpeg, time));
    }
    if (!outgoing.headersSent) throw new FeedError("NO_VIDEO");
    outgoing.end();
  }

  /** A picture, and then those that the camera is asked for until ffmpeg leaves. */
  async *#snapshots(first: AsyncIterator<Buffer>, exchange: Exchange): AsyncGenerator<Buffer> {
    for (let chunks = first; !exchange.outgoing.closed; ) {
      const next = sleep(snapshotMs);
      const jpeg = await readBytes(chunks, maxFrameBytes + 1);
      if (jpeg.length > maxFrameBytes) throw new FeedError("TOO_LARGE");
      if (!isPicture(jpeg)) throw new FeedError("NO_VIDEO");
      yield jpeg;
      await next;
      const response = await this.#askProven(exchange);
      const code = statusFailure(response.statusCode ?? 0);
      if (code) throw new FeedError(code);
      chunks = response[Symbol.asyncIterator]();
    }
  }

  async #passPlaylist(bytes: Buffer, exchange: Exchange): Promise<void> {
    const { outgoing } = exchange;
    try {
      // Such a playlist has no end, and must not be read again.
      if (bytes.length >= maxPlaylistBytes) throw new FeedError("TIMEOUT");
      const playlist = await readPlaylist(bytes, (uri) =>
        plainPath.test(uri) ? uri : uriOf(this.#addressOf(uri, exchange)),
      );
      if ("variants" in playlist)
        this.#choose(
          playlist.variants.map((uri) => this.#addressOf(uri, exchange)),
          outgoing,
        );
      else
        outgoing
          .writeHead(200, {
            "content-type": "application/vnd.apple.mpegurl",
            "content-length": playlist.segments.length,
          })
          .end(playlist.segments);
    } catch (error) {
      if (error instanceof FeedError) this.#failure ??= error.code;
      throw error;
    }
  }

  #fail(error: unknown, { incoming, outgoing }: Pick<Exchange, "incoming" | "outgoing">): void {
    if (outgoing.headersSent) {
      if (error instanceof FeedError) this.#failed = { url: incoming.url, code: error.code };
      outgoing.destroy();
      return;
    }
    const seen = error instanceof FeedError ? error.code : "UNKNOWN";
    // Whoever left had waited long enough.
    const code = outgoing.closed ? "TIMEOUT" : seen;
    if (code === "ADDRESS_NOT_ALLOWED") this.#failure ??= code;
    else this.#failed = { url: incoming.url, code };
    if (!this.#failure && this.#tryAnother({ incoming, outgoing })) return;
    outgoing.writeHead(502, { connection: "close" }).end();
  }
}

/** A request of ffmpeg, and what it is for. */
interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  target: StreamAddress;
  isEncrypted: boolean;
}

/** A URL without its scheme and user, as the proxy is asked for it. */
const keyOf = ({ host, port, path }: StreamAddress) => `${authority(host, port)}${path}`;

/** The URI of an address for ffmpeg, which the proxy keeps the user from. */
const uriOf = (address: StreamAddress) => `http://${keyOf(address)}`;

/** Forgets the oldest entry if there are too many. */
function remember<Value>(values: Map<string, Value>, key: string, value: Value): void {
  const [oldest = ""] = values.keys();
  if (values.size >= maxRemembered) values.delete(oldest);
  values.set(key, value);
}

function passedHeaders(raw: readonly string[], names: ReadonlySet<string>): [name: string, value: string][] {
  const pairs = raw.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? ""]] : [],
  );
  return pairs.filter(([name]) => names.has(name.toLowerCase()));
}

async function* startingWith(start: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield start;
  yield* { [Symbol.asyncIterator]: () => chunks };
}

/** Reads at least a number of bytes, or all there are. */
async function readBytes(chunks: AsyncIterator<Buffer>, least: number): Promise<Buffer> {
  const read: Buffer[] = [];
  for (let length = 0; length < least; ) {
    const next = await chunks.next();
    if (next.done) break;
    read.push(next.value);
    length += next.value.length;
  }
  return Buffer.concat(read);
}
