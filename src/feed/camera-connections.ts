import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { AddressNotAllowed, NetworkAddresses } from "../platform/network-addresses.js";
import { FeedError, type FeedErrorCode } from "./feed-error.js";

/**
 * The longest that a connection may take, with the look-up of its name, in milliseconds. It is
 * less than the time that ffmpeg waits for an answer, so that the reason is known by then.
 */
const connectTimeoutMs = 4_000;

/** The longest that one of several addresses may take before the next is tried. */
const addressTimeoutMs = 1_500;

/** Options of {@link CameraConnections}. */
export interface CameraConnectionsOptions {
  /** Networks that cameras may be in, besides public addresses, in CIDR notation. */
  allowedNetworks: readonly string[];
  /** Ports of 127.0.0.1 with streams of our own, which the rules for addresses do not concern. */
  loopbackPorts?: readonly number[];
  /** Name servers to ask in place of the system's resolver. */
  nameServers?: readonly string[];
}

/** Where a connection leads. */
export interface ConnectionTarget {
  host: string;
  port: number;
  isEncrypted: boolean;
}

/**
 * Connects to cameras. Each connection looks its name up once, and goes to an address that
 * was checked.
 */
export class CameraConnections {
  readonly #addresses: NetworkAddresses;
  readonly #loopbackPorts: readonly number[];

  constructor({ allowedNetworks, loopbackPorts = [], nameServers }: CameraConnectionsOptions) {
    this.#addresses = new NetworkAddresses(
      allowedNetworks,
      nameServers ? { resolver: "dns", nameServers } : { resolver: "system" },
    );
    this.#loopbackPorts = loopbackPorts;
  }

  /** Fails if the host of a URL is a forbidden address. Looks no name up. */
  assertAllowed(host: string, port: number): void {
    if (host === "127.0.0.1" && this.#loopbackPorts.includes(port)) return;
    try {
      this.#addresses.assertHost(host);
    } catch {
      throw new FeedError("ADDRESS_NOT_ALLOWED");
    }
  }

  /** Opens a connection. Fails with {@link FeedError}. */
  async connect({ host, port, isEncrypted }: ConnectionTarget): Promise<Socket> {
    this.assertAllowed(host, port);
    const options = {
      host,
      port,
      lookup: this.#addresses.lookup,
      noDelay: true,
      autoSelectFamilyAttemptTimeout: addressTimeoutMs,
    };
    // Cameras have certificates that they signed themselves, and old firmware. So certificates
    // are not verified, as ffmpeg does not verify them by default, and all versions and
    // ciphers are accepted: less would keep nobody from posing as the camera.
    const socket = isEncrypted
      ? connectSecurely({
          ...options,
          servername: isIP(host) === 0 ? host : "",
          rejectUnauthorized: false,
          minVersion: "TLSv1",
          ciphers: "DEFAULT:@SECLEVEL=0",
        })
      : connect(options);
    // An error may follow in the same turn. Whoever reads the connection learns of its end.
    socket.on("error", () => undefined);
    try {
      await once(socket, isEncrypted ? "secureConnect" : "connect", {
        signal: AbortSignal.timeout(connectTimeoutMs),
      });
      if (socket.errored) throw socket.errored;
    } catch (error) {
      socket.destroy();
      throw new FeedError(connectionFailure(error));
    }
    return socket;
  }
}

const failures: Readonly<Record<string, FeedErrorCode>> = {
  ECONNREFUSED: "REFUSED",
  ECONNRESET: "REFUSED",
  EPIPE: "REFUSED",
  EADDRNOTAVAIL: "REFUSED",
  ENETUNREACH: "REFUSED",
  // Nothing with the address answers in its network.
  EHOSTUNREACH: "TIMEOUT",
  EHOSTDOWN: "TIMEOUT",
  ETIMEDOUT: "TIMEOUT",
  ABORT_ERR: "TIMEOUT",
  EAI_AGAIN: "NAME_NOT_FOUND",
  EAI_FAIL: "NAME_NOT_FOUND",
  ENODATA: "NAME_NOT_FOUND",
  ENOTFOUND: "NAME_NOT_FOUND",
  ESERVFAIL: "NAME_NOT_FOUND",
  ETIMEOUT: "NAME_NOT_FOUND",
  EPROTO: "UNSUPPORTED",
};

/** Why a connection could not be opened. */
function connectionFailure(error: unknown): FeedErrorCode {
  if (error instanceof AddressNotAllowed) return "ADDRESS_NOT_ALLOWED";
  const { code = "" } = error as NodeJS.ErrnoException;
  return failures[code] ?? (/^ERR_(?:SSL|TLS)_/.test(code) ? "UNSUPPORTED" : "UNKNOWN");
}
