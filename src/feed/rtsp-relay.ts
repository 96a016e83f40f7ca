import { isIP } from "node:net";
import { statusFailure } from "./answer-status.js";
import type { CameraConnections } from "./camera-connections.js";
import { FeedError, type FeedErrorCode } from "./feed-error.js";
import type { RelayedStream } from "./relayed-stream.js";
import { RtspAnswers, type RtspMessage } from "./rtsp-answers.js";
import { authority, parseStreamAddress, type StreamAddress } from "./stream-address.js";
import { TcpRelay } from "./tcp-relay.js";

/**
 * A relay for RTSP with interleaved video. ffmpeg connects to hosts that it is redirected to,
 * so a redirect leads it back to the relay, which connects to the other host.
 */
export class RtspRelay implements RelayedStream {
  // Over UDP, the video would come past the relay.
  readonly options = { rtsp_transport: "tcp", protocol_whitelist: "rtsp,tcp", format_whitelist: "rtsp" };
  readonly #connections: CameraConnections;
  readonly #relay = new TcpRelay({
    connect: () => this.#connections.connect({ ...this.#target, isEncrypted: false }),
    answers: () => new RtspAnswers((message) => this.#judge(message)),
    onRequest: () => {
      // The camera only wanted to know who asks.
      if (this.#answered === "UNAUTHORIZED") this.#answered = undefined;
    },
    onFailure: (code) => {
      this.#failure ??= code;
    },
  });
  readonly #original: StreamAddress;
  /** Where the next connection leads. */
  #target: StreamAddress;
  /** What ended a connection. */
  #failure: FeedErrorCode | undefined;
  /** What the last response says. */
  #answered: FeedErrorCode | undefined;

  private constructor(address: StreamAddress, connections: CameraConnections) {
    this.#connections = connections;
    this.#original = address;
    this.#target = address;
  }

  static async open(address: StreamAddress, connections: CameraConnections): Promise<RtspRelay> {
    const relay = new RtspRelay(address, connections);
    await relay.#relay.listen();
    return relay;
  }

  get url(): string {
    return this.#urlOf(this.#original);
  }

  get failure(): FeedErrorCode | undefined {
    return this.#failure ?? this.#answered;
  }

  get isWaiting(): boolean {
    return this.#relay.isUnanswered;
  }

  close(): Promise<void> {
    return this.#relay.close();
  }

  #urlOf({ userInfo, path }: StreamAddress): string {
    return `rtsp://${userInfo}127.0.0.1:${this.#relay.port}${path}`;
  }

  #judge(message: RtspMessage): RtspMessage {
    const { status, headers } = message;
    if (status === undefined) return message;
    this.#answered = statusFailure(status);
    const isRedirect = status >= 300 && status < 400;
    const location = headers.find(([name]) => isNamed(name, "location"))?.[1];
    const kept = headers
      .filter(([name]) => !isNamed(name, "location"))
      .map(([name, value]): [string, string] =>
        isNamed(name, "content-base") ? [name, this.#checkedBase(value)] : [name, value],
      );
    if (isRedirect) kept.push(["Location", this.#redirect(location)]);
    return { ...message, headers: kept };
  }

  /** Follows a redirect: returns the relay's URL for it. */
  #redirect(location: string | undefined): string {
    // A camera that leads on and on, or nowhere.
    if (location === undefined || this.#target !== this.#original) throw new FeedError("CAMERA_ERROR");
    const target = location.startsWith("/")
      ? { ...this.#original, path: location }
      : parseStreamAddress(location.trim());
    if (target.scheme !== "rtsp") throw new FeedError("UNSUPPORTED");
    this.#connections.assertAllowed(target.host, target.port);
    this.#target = target;
    return this.#urlOf(target);
  }

  /**
   * The URL on which those of the tracks are based. ffmpeg only sends it over the same
   * connection, so one that names the camera by an address of its own network, as cameras
   * behind a router do, works under the relay's name.
   */
  #checkedBase(base: string): string {
    const [, host = "", port = ""] =
      /^rtsp:\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)(?::(\d*))?/i.exec(base) ?? [];
    const plain = host.replace(/^\[(.*)\]$/, "$1");
    const own = authority("127.0.0.1", this.#relay.port);
    if (isIP(plain) === 0 || `${host}:${port}` === own) return base;
    try {
      this.#connections.assertAllowed(plain, Number(port) || 554);
      return base;
    } catch {
      return base.replace(/^(rtsp:\/\/)[^/?#]*/i, `$1${own}`);
    }
  }
}

const isNamed = (name: string, wanted: string) => name.toLowerCase() === wanted;
