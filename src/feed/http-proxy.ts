import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import {
  Agent,
  type ClientRequestArgs,
  createServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { statusFailure } from "./answer-status.js";
import type { CameraConnections } from "./camera-connections.js";
import { CameraCredentials } from "./camera-credentials.js";
import { FeedError, type FeedErrorCode } from "./feed-error.js";
import { maxPlaylistBytes, playlistStart, relayedPlaylist } from "./hls-playlist.js";
import type { RelayedStream } from "./relayed-stream.js";
import { authority, originOf, parseStreamAddress, type StreamAddress } from "./stream-address.js";

/** More than ffmpeg opens for the playlists and segments of a picture and its sound. */
const maxConnections = 8;
const maxRedirects = 5;
/** The number of redirects, and of hosts with https, that are remembered. */
const maxRemembered = 256;

/** Headers that concern a connection alone, or that the proxy writes itself. */
const ownHeaders = new Set(
  `accept-encoding connection content-length host keep-alive proxy-authenticate proxy-authorization
  proxy-connection te trailer transfer-encoding upgrade`.split(/\s+/),
);

/**
 * A proxy for the playlists and segments of one stream over HTTP. ffmpeg gets URLs of http
 * alone, and the proxy encrypts what goes to hosts of https: so it sees each status, each
 * redirect and the size of each playlist.
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
  readonly #agents: Record<"plain" | "encrypted", Agent>;
  /** Hosts, with ports, that are asked by https. */
  readonly #encrypted = new Set<string>();
  /** By the origins that they were given for. */
  readonly #credentials = new Map<string, CameraCredentials>();
  /** How many redirects led to a URL. */
  readonly #redirects = new Map<string, number>();
  /** What ended the stream. */
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
    const agent = (isEncrypted: boolean) =>
      new CameraAgent(({ host, port }) =>
        connections.connect({ host: host as string, port: Number(port), isEncrypted }),
      );
    this.#agents = { plain: agent(false), encrypted: agent(true) };
    this.#server.maxConnections = maxConnections;
  }

  static async open(address: StreamAddress, connections: CameraConnections): Promise<HttpProxy> {
    const proxy = new HttpProxy(address, connections);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    proxy.#port = (proxy.#server.address() as AddressInfo).port;
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
      protocol_whitelist: "http,tcp,crypto,data",
      // Others open URLs without the proxy.
      format_whitelist: "hls,mpegts,mov,aac,ac3,eac3,mp3,webvtt",
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
    for (const agent of Object.values(this.#agents)) agent.destroy();
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
    const answer = await this.#askProven(exchange);
    const { statusCode: status = 0 } = answer;
    const code = statusFailure(status);
    if (code) this.#failed = { url, code };
    const { location } = answer.headers;
    if (status >= 300 && status < 400 && location !== undefined) {
      answer.destroy();
      const next = this.#redirect(target, location, isEncrypted);
      outgoing.writeHead(status, { location: next }).end();
      return;
    }
    await this.#pass(answer, exchange);
  }

  #isOurs(credentials: string | undefined): boolean {
    const expected = Buffer.from(`Basic ${Buffer.from(`relay:${this.#secret}`).toString("base64")}`);
    const given = Buffer.from(credentials ?? "");
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #keepCredentials(address: StreamAddress): void {
    if (address.userInfo === "" || this.#credentials.size >= maxRemembered) return;
    this.#credentials.set(originOf(address), new CameraCredentials(address.userInfo));
  }

  #credentialsFor({ target, isEncrypted }: Pick<Exchange, "target" | "isEncrypted">) {
    return this.#credentials.get(originOf({ ...target, scheme: isEncrypted ? "https" : "http" }));
  }

  /** Asks the camera, and once more if it wants to know who asks. */
  async #askProven(exchange: Exchange): Promise<IncomingMessage> {
    const credentials = this.#credentialsFor(exchange);
    const wasProven = credentials?.isChallenged;
    const answer = await this.#ask(exchange);
    if (answer.statusCode !== 401 || !credentials) return answer;
    answer.resume();
    const { isStale } = credentials.challenge([answer.headers["www-authenticate"] ?? ""]);
    const again = wasProven && !isStale ? answer : await this.#ask(exchange);
    // ffmpeg would ask again.
    if (again.statusCode === 401) throw new FeedError("UNAUTHORIZED");
    return again;
  }

  /** Asks the camera. Its answer ends with the connection to ffmpeg. */
  async #ask(
    { incoming, outgoing, target, isEncrypted }: Exchange,
    isAgain = false,
  ): Promise<IncomingMessage> {
    const { host, port, path } = target;
    const requested = path.startsWith("/") ? path : `/${path}`;
    const proof = this.#credentialsFor({ target, isEncrypted })?.authorization("GET", requested);
    const isUsualPort = port === (isEncrypted ? 443 : 80);
    const asked = request({
      host,
      port,
      path: requested,
      agent: this.#agents[isEncrypted ? "encrypted" : "plain"],
      setHost: false,
      headers: [
        ["Host", isUsualPort ? authority(host, port).replace(/:\d+$/, "") : authority(host, port)],
        ["Accept-Encoding", "identity"],
        ...(proof === undefined ? [] : [["Authorization", proof]]),
        ...passedHeaders(incoming.rawHeaders),
      ].flat() as unknown as NonNullable<ClientRequestArgs["headers"]>,
    });
    const cancel = () => void asked.destroy();
    outgoing.once("close", cancel);
    try {
      asked.end();
      const [answer] = await once(asked, "response");
      asked.on("error", () => undefined);
      return answer;
    } catch (error) {
      outgoing.off("close", cancel);
      // The camera may have closed a connection when it was used again.
      if (asked.reusedSocket && !isAgain && !outgoing.closed)
        return this.#ask({ incoming, outgoing, target, isEncrypted }, true);
      throw error instanceof FeedError ? error : new FeedError(answerFailure(error));
    }
  }

  /** Follows a redirect: returns a URL by way of the proxy. */
  #redirect(target: StreamAddress, location: string, isEncrypted: boolean): string {
    const from = `${isEncrypted ? "https" : "http"}://${keyOf(target)}`;
    const count = (this.#redirects.get(keyOf(target)) ?? 0) + 1;
    if (count > maxRedirects || !URL.canParse(location, from)) throw new FeedError("CAMERA_ERROR");
    const { href } = new URL(location, from);
    const next = parseStreamAddress(href.replace(/#.*/s, ""));
    if (next.scheme === "https") this.#encrypt(authority(next.host, next.port));
    else if (next.scheme !== "http") throw new FeedError("UNSUPPORTED");
    this.#connections.assertAllowed(next.host, next.port);
    const [oldest = ""] = this.#redirects.keys();
    if (this.#redirects.size >= maxRemembered) this.#redirects.delete(oldest);
    this.#redirects.set(keyOf(next), count);
    this.#keepCredentials(next);
    return `http://${keyOf(next)}`;
  }

  /** Remembers that a host is asked by https. Returns it with its port. */
  #encrypt(written: string): string {
    const { userInfo, host, port } = parseStreamAddress(`https://${written}`);
    const name = authority(host, port);
    if (this.#encrypted.size >= maxRemembered && !this.#encrypted.has(name))
      throw new FeedError("UNSUPPORTED");
    this.#encrypted.add(name);
    return `${userInfo}${name}`;
  }

  /** Passes a response on: playlists as a whole, everything else as it comes. */
  async #pass(answer: IncomingMessage, { outgoing, isEncrypted }: Exchange): Promise<void> {
    const { statusCode: status = 0, rawHeaders } = answer;
    const encoding = answer.headers["content-encoding"] ?? "identity";
    // Nobody asked for it, and its size is not known before it is decoded.
    if (encoding !== "identity") throw new FeedError("UNSUPPORTED");
    const headers = passedHeaders(rawHeaders);
    const chunks: AsyncIterator<Buffer> = answer[Symbol.asyncIterator]();
    const start = await readBytes(chunks, playlistStart.length);
    if (start.subarray(0, playlistStart.length).equals(playlistStart)) {
      const playlist = Buffer.concat([start, await readBytes(chunks, maxPlaylistBytes)]);
      if (playlist.length >= maxPlaylistBytes) {
        // It has no end, and must not be read again.
        this.#failure ??= "TIMEOUT";
        throw new FeedError("TIMEOUT");
      }
      const plain = relayedPlaylist(playlist, isEncrypted, (written) => this.#encrypt(written));
      const kept = headers.filter(([name]) => !/^(?:accept-ranges|content-range)$/i.test(name));
      outgoing.writeHead(status === 206 ? 200 : status, [...kept, ["Content-Length", plain.length]].flat());
      outgoing.end(plain);
      return;
    }
    if (status < 300) this.#failed = undefined;
    const length = answer.headers["content-length"];
    outgoing.writeHead(status, [...headers, ...(length ? [["Content-Length", length]] : [])].flat());
    await pipeline(async function* () {
      yield start;
      yield* { [Symbol.asyncIterator]: () => chunks };
    }, outgoing);
  }

  #fail(error: unknown, { incoming, outgoing }: Pick<Exchange, "incoming" | "outgoing">): void {
    if (outgoing.headersSent) {
      outgoing.destroy();
      return;
    }
    const seen = error instanceof FeedError ? error.code : "UNKNOWN";
    // Whoever left had waited long enough.
    const code = outgoing.closed ? "TIMEOUT" : seen;
    if (code === "ADDRESS_NOT_ALLOWED") this.#failure ??= code;
    else this.#failed = { url: incoming.url, code };
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

/** Connects to cameras, and keeps their connections for further requests. */
class CameraAgent extends Agent {
  readonly #connect: (options: ClientRequestArgs) => Promise<Socket>;
  #isDestroyed = false;

  constructor(connect: (options: ClientRequestArgs) => Promise<Socket>) {
    super({ keepAlive: true, maxTotalSockets: maxConnections });
    this.#connect = connect;
  }

  override createConnection(
    options: ClientRequestArgs,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const done = callback as (error: Error | null, socket?: Duplex) => void;
    this.#connect(options).then((socket) => {
      if (this.#isDestroyed) socket.destroy();
      done(null, socket);
    }, done);
  }

  override destroy(): void {
    this.#isDestroyed = true;
    super.destroy();
  }
}

/** A URL without its scheme and user, as the proxy is asked for it. */
const keyOf = ({ host, port, path }: StreamAddress) => `${authority(host, port)}${path}`;

/** The headers that a proxy passes on. */
function passedHeaders(raw: readonly string[]): [name: string, value: string][] {
  const pairs = raw.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, raw[index + 1] as string]] : [],
  );
  return pairs.filter(([name]) => !ownHeaders.has(name.toLowerCase()));
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

/** Why a camera gave no answer that can be read. */
function answerFailure(error: unknown): FeedErrorCode {
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code.startsWith("HPE_")) return "UNSUPPORTED";
  return code === "ECONNRESET" || code === "EPIPE" ? "REFUSED" : "UNKNOWN";
}
