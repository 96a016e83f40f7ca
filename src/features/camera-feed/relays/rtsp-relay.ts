import { isIP } from "node:net";
import { parsedUrl } from "../../../platform/network/parsed-url.js";
import { FeedError, type FeedErrorCode } from "../feed-error.js";
import type { CameraConnections } from "./camera-connections.js";
import type { RelayedStream } from "./relayed-stream.js";
import { statusFailure } from "./response-status.js";
import { RtspCamera } from "./rtsp-camera.js";
import type { RtspMessage } from "./rtsp-messages.js";
import { authority, originOf, parseStreamAddress, type StreamAddress } from "./stream-address.js";
import { TcpRelay } from "./tcp-relay.js";

/**
 * A relay for RTSP with interleaved video, which encrypts where the camera wants it. ffmpeg connects to hosts that it is redirected to, so a redirect leads it
 * back to the relay, which connects to the other host.
 */
export class RtspRelay implements RelayedStream {
  // Over UDP, the video would come past the relay.
  readonly options = { rtsp_transport: "tcp", protocol_whitelist: "rtsp,tcp", format_whitelist: "rtsp" };
  readonly #connections: CameraConnections;
  readonly #relay = new TcpRelay({
    connect: () =>
      RtspCamera.connect({
        connect: () =>
          this.#connections.connect({ ...this.#target, isEncrypted: this.#target.scheme === "rtsps" }),
        userInfo: this.#target.userInfo,
        judge: (message, method) => this.#judge(message, method),
      }),
    onFailure: (code) => {
      this.#failure ??= code;
    },
  });
  readonly #original: StreamAddress;
  #target: StreamAddress;
  /** What ended a connection. */
  #failure: FeedErrorCode | undefined;
  /** What the last response says. */
  #responseFailure: FeedErrorCode | undefined;

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
    return this.#failure ?? this.#responseFailure;
  }

  get isWaiting(): boolean {
    return this.#relay.isUnanswered;
  }

  close(): Promise<void> {
    return this.#relay.close();
  }

  #urlOf({ path }: StreamAddress): string {
    return `rtsp://127.0.0.1:${this.#relay.port}${path}`;
  }

  #judge(message: RtspMessage, method?: string): RtspMessage {
    const { status, headers } = message;
    if (status === undefined) return message;
    this.#responseFailure = statusFailure(status);
    const isRedirect = status >= 300 && status < 400;
    const location = headers.find(([name]) => isNamed(name, "location"))?.[1];
    const kept = headers
      .filter(([name]) => !isNamed(name, "location"))
      .map(([name, value]): [string, string] =>
        isNamed(name, "content-base") ? [name, this.#checkedBase(value)] : [name, value],
      );
    if (isRedirect) kept.push(["Location", this.#redirect(location)]);
    const { body } = message;
    const isDescription = method === "DESCRIBE" && status === 200 && body !== "";
    return { ...message, headers: kept, body: isDescription ? pictureOnly(body) : body };
  }

  /** Follows a redirect: returns the relay's URL for it. */
  #redirect(location: string | undefined): string {
    // A camera that leads on and on, or nowhere.
    if (location === undefined || this.#target !== this.#original) throw new FeedError("CAMERA_ERROR");
    const target = location.startsWith("/")
      ? { ...this.#original, path: location }
      : parseStreamAddress(location.trim());
    if (!/^rtsps?$/.test(target.scheme)) throw new FeedError("UNSUPPORTED");
    this.#connections.assertAllowed(target.host, target.port);
    // Another host must not learn the camera's user and password.
    const isSame = originOf(target) === originOf(this.#original);
    const userInfo = target.userInfo || (isSame ? this.#original.userInfo : "");
    this.#target = { ...target, userInfo };
    return this.#urlOf(target);
  }

  /**
   * The URL on which those of the tracks are based. ffmpeg only sends it over the same connection, so one that names
   * the camera by an address of its own network, as cameras behind a router do, works under the relay's name.
   */
  #checkedBase(base: string): string {
    const opened = this.#urlOf(this.#target);
    // ffmpeg knows absolute ones only.
    if (!/^[a-z]+:/i.test(base)) return parsedUrl(base, opened)?.href ?? opened;
    const [, host = "", port = ""] =
      /^rtsps?:\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)(?::(\d*))?/i.exec(base) ?? [];
    const plain = host.replace(/^\[(.*)\]$/, "$1");
    const own = authority("127.0.0.1", this.#relay.port);
    if (isIP(plain) === 0 || `${host}:${port}` === own) return base;
    try {
      this.#connections.assertAllowed(plain, Number(port) || 554);
      return base;
    } catch {
      return base.replace(/^(rtsps?:\/\/)[^/?#]*/i, `$1${own}`);
    }
  }
}

/** A description of the picture's track alone: cameras refuse to send their sound, or announce it and send none. */
function pictureOnly(description: string): string {
  const [session = "", ...tracks] = description.split(/^(?=m=)/m);
  const picture = tracks.find((track) => /^m=video /i.test(track));
  if (picture === undefined) throw new FeedError("NO_VIDEO");
  return session + picture;
}

const isNamed = (name: string, wanted: string) => name.toLowerCase() === wanted;
