import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { GuardedHttp } from "../../../platform/network/guarded-http.js";
import { AddressNotAllowed, NetworkAddresses } from "../../../platform/network/network-addresses.js";
import { codeOf } from "../../../platform/thrown.js";
import { FeedError, type FeedErrorCode } from "../feed-error.js";

/**
 * How long a connection may take, with the look-up of its name, in milliseconds: less than ffmpeg waits for a response,
 * so that the reason is known by then.
 */
const connectTimeoutMs = 4_000;

/** The longest that one of several addresses may take before the next is tried. */
const addressTimeoutMs = 1_500;

export interface CameraConnectionsOptions {
  /** Networks that cameras may be in, besides public addresses, in CIDR notation. */
  allowedNetworks: readonly string[];
  /** Whether cameras need a certificate that is trusted here. */
  verifiesTls?: boolean;
  /** Ports of 127.0.0.1 with streams of our own, which the rules for addresses do not concern. */
  loopbackPorts?: readonly number[];
  /** Name servers to ask in place of the system's resolver. */
  nameServers?: readonly string[];
}

/**
 * Cameras have certificates that they signed themselves, and old firmware. So certificates are not verified unless that
 * is wanted, as ffmpeg does not verify them by default, and all versions and ciphers are accepted: less would keep nobody
 * from posing as the camera.
 */
const anyTls = { rejectUnauthorized: false, minVersion: "TLSv1", ciphers: "DEFAULT:@SECLEVEL=0" } as const;
const connecting = { noDelay: true, autoSelectFamilyAttemptTimeout: addressTimeoutMs };

/** Where a connection leads. */
interface ConnectionTarget {
  host: string;
  port: number;
  isEncrypted: boolean;
}

/** Connects to cameras. Each connection looks its name up once, and goes to an address that was checked. */
export class CameraConnections {
  readonly #addresses: NetworkAddresses;
  readonly #tls: typeof anyTls | Record<never, never>;

  constructor({ allowedNetworks, loopbackPorts = [], nameServers, verifiesTls }: CameraConnectionsOptions) {
    this.#tls = verifiesTls ? {} : anyTls;
    const resolver = nameServers
      ? ({ resolver: "dns", nameServers } as const)
      : ({ resolver: "system" } as const);
    this.#addresses = new NetworkAddresses(allowedNetworks, { ...resolver, loopbackPorts });
  }

  /** What asks cameras by HTTP over a number of connections, which are used again. */
  openHttp(maxTotalSockets: number): GuardedHttp {
    const options = { ...this.#tls, ...connecting, keepAlive: true, maxTotalSockets, connectTimeoutMs };
    return new GuardedHttp(this.#addresses, options);
  }

  /** Fails if the host of a URL is a forbidden address. Looks no name up. */
  assertAllowed(host: string, port: number): void {
    try {
      this.#addresses.assertHost(host, port);
    } catch {
      throw new FeedError("ADDRESS_NOT_ALLOWED");
    }
  }

  /** Opens a connection. Fails with {@link FeedError}. */
  async connect({ host, port, isEncrypted }: ConnectionTarget): Promise<Socket> {
    this.assertAllowed(host, port);
    const options = { ...connecting, host, port, lookup: this.#addresses.lookup };
    const socket = isEncrypted
      ? connectSecurely({ ...options, ...this.#tls, servername: isIP(host) === 0 ? host : "" })
      : connect(options);
    // An error may follow at once, before anybody listens; whoever reads the connection learns of its end anyway.
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
  // Nothing with the address responds in its network.
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

export function connectionFailure(error: unknown): FeedErrorCode {
  if (error instanceof AddressNotAllowed) return "ADDRESS_NOT_ALLOWED";
  const code = codeOf(error);
  return (
    failures[code] ??
    (/^ERR_(?:SSL|TLS)_|^HPE_|CERT|^UNABLE_TO_VERIFY/.test(code) ? "UNSUPPORTED" : "UNKNOWN")
  );
}
