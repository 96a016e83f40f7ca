import { isStreamUrl } from "../../camera/stream-url.js";
import { FeedError } from "../feed-error.js";
import { CameraConnections, type CameraConnectionsOptions } from "./camera-connections.js";
import { HttpProxy } from "./http-proxy.js";
import type { RelayedStream } from "./relayed-stream.js";
import { RtmpRelay } from "./rtmp-relay.js";
import { RtspRelay } from "./rtsp-relay.js";
import { parseStreamAddress } from "./stream-address.js";

export type { RelayedStream } from "./relayed-stream.js";

/**
 * Opens the way to the streams of cameras. ffmpeg resolves no name and connects to nothing but the loopback address:
 * what it opens leads through relays that check where each connection goes.
 */
export class StreamRelays {
  readonly #connections: CameraConnections;

  constructor(options: CameraConnectionsOptions) {
    this.#connections = new CameraConnections(options);
  }

  /** Opens a relay for a camera's URL without connecting. Fails with {@link FeedError} if it is no stream's URL. */
  async open(url: string): Promise<RelayedStream> {
    // Half a character cannot be sent.
    if (!isStreamUrl(url) || /\p{Cs}/u.test(url)) throw new FeedError("UNSUPPORTED");
    const address = parseStreamAddress(url);
    if (address.scheme === "rtsp" || address.scheme === "rtsps")
      return RtspRelay.open(address, this.#connections);
    if (address.scheme === "rtmp" || address.scheme === "rtmps")
      return RtmpRelay.open(address, this.#connections);
    return HttpProxy.open(address, this.#connections);
  }
}
