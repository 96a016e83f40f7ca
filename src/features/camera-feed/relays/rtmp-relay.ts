import type { FeedErrorCode } from "../feed-error.js";
import type { CameraConnections } from "./camera-connections.js";
import type { RelayedStream } from "./relayed-stream.js";
import { RtmpResponses } from "./rtmp-responses.js";
import { authority, type StreamAddress } from "./stream-address.js";
import { TcpRelay } from "./tcp-relay.js";

/**
 * A relay for RTMP. For RTMPS the relay encrypts: ffmpeg would tell the server that it wants the loopback
 * address, and servers choose their certificate by name.
 */
export class RtmpRelay implements RelayedStream {
  readonly options: Readonly<Record<string, string>>;
  readonly #address: StreamAddress;
  readonly #relay: TcpRelay;
  #failure: FeedErrorCode | undefined;
  /** What the last response says. */
  #responseFailure: FeedErrorCode | undefined;

  private constructor(address: StreamAddress, connections: CameraConnections) {
    const { scheme, host, port, path } = address;
    this.#address = address;
    this.options = {
      protocol_whitelist: "rtmp,tcp",
      format_whitelist: "flv,live_flv",
      // Servers choose the stream by this, too.
      rtmp_tcurl: `${scheme}://${authority(host, port)}/${application(path)}`,
    };
    this.#relay = new TcpRelay({
      connect: () => connections.connect({ host, port, isEncrypted: scheme === "rtmps" }),
      responses: () => new RtmpResponses((text) => this.#judge(text)),
      onFailure: (code) => {
        this.#failure ??= code;
      },
    });
  }

  static async open(address: StreamAddress, connections: CameraConnections): Promise<RtmpRelay> {
    const relay = new RtmpRelay(address, connections);
    await relay.#relay.listen();
    return relay;
  }

  get url(): string {
    return `rtmp://${this.#address.userInfo}127.0.0.1:${this.#relay.port}${this.#address.path}`;
  }

  get failure(): FeedErrorCode | undefined {
    return this.#failure ?? this.#responseFailure;
  }

  get isWaiting(): boolean {
    return this.#relay.isUnanswered;
  }

  close(): Promise<void> {
    return this.#relay.close();
  }

  /** Reads what a server says about a stream. It may first ask who wants it. */
  #judge(text: string): void {
    if (/NetConnection\.Connect\.Success|NetStream\.Play\.Start/.test(text))
      this.#responseFailure = undefined;
    else if (/NetStream\.Play\.StreamNotFound|NetConnection\.Connect\.InvalidApp/.test(text))
      this.#responseFailure = "NOT_FOUND";
    else if (/NetConnection\.Connect\.Rejected/.test(text))
      this.#responseFailure = /auth|code=40[13]/i.test(text) ? "UNAUTHORIZED" : "CAMERA_ERROR";
    else if (/NetStream\.Play\.(?:Failed|InsufficientBW)|NetConnection\.Connect\.Failed/.test(text))
      this.#responseFailure = "CAMERA_ERROR";
  }
}

/** The part of a URL that names the server's application, as ffmpeg finds it. */
function application(path: string): string {
  const names = path.slice(1);
  if (path.includes("?") && path.includes("slist=")) return names;
  if (path.startsWith("/ondemand/")) return "ondemand";
  const first = names.indexOf("/");
  if (first < 0) return names;
  const second = names.indexOf("/", first + 1);
  const colon = names.indexOf(":", first + 1);
  const isNameWithSlash = second >= 0 && (colon < 0 || colon > second);
  return names.slice(0, isNameWithSlash ? second : first);
}
