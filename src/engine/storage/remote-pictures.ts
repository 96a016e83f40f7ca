import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { urlToHttpOptions } from "node:url";
import { defined } from "../../platform/defined.js";
import { notFound, ServiceError } from "../../platform/errors/errors.js";
import { limitBytes } from "../../platform/files/receive-file.js";
import { GuardedHttp } from "../../platform/network/guarded-http.js";
import { responseTo } from "../../platform/network/http-response.js";
import { AddressNotAllowed, type NetworkAddresses } from "../../platform/network/network-addresses.js";
import { parsedUrl } from "../../platform/network/parsed-url.js";
import { codeOf } from "../../platform/thrown.js";
import { isStoredKey } from "./object-store.js";

interface RemotePicturesOptions {
  addresses: NetworkAddresses;
  maxBytes: number;
  /** The time limit for a whole picture, in milliseconds. */
  timeoutMs?: number;
}

/** Fetches pictures that detectors keep on servers of their own. */
export class RemotePictures {
  readonly #addresses: NetworkAddresses;
  readonly #maxBytes: number;
  readonly #timeoutMs: number;
  readonly #http: GuardedHttp;

  constructor({ addresses, maxBytes, timeoutMs = 10_000 }: RemotePicturesOptions) {
    this.#addresses = addresses;
    this.#maxBytes = maxBytes;
    this.#timeoutMs = timeoutMs;
    this.#http = new GuardedHttp(addresses);
  }

  close(): void {
    this.#http.close();
  }

  /** Whether a picture is elsewhere and may be fetched, as far as its URL tells: a name is resolved when it is. */
  mayFetch(url: string): boolean {
    const parsed = isStoredKey(url) ? undefined : parsedUrl(url);
    if (!parsed) return false;
    try {
      this.#addresses.assertHost(parsed.hostname);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Writes what is at a URL to a file, whatever it claims to be. Follows no redirects. NOT_FOUND if its address is not
   * allowed or nothing is there, PAYLOAD_TOO_LARGE, or UNAVAILABLE if it does not arrive in time.
   */
  async fetch(url: string, file: string, signal: AbortSignal | undefined): Promise<void> {
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    const either = AbortSignal.any([...(signal ? [signal] : []), timeout]);
    try {
      const headers = { "user-agent": "camera-monitoring-gateway", accept: "image/*" };
      const options = { ...urlToHttpOptions(new URL(url)), signal: either, headers };
      const response = await responseTo(this.#http.request(options));
      if (response.statusCode !== 200) {
        response.destroy();
        throw defined(response.statusCode) >= 500 ? unreachable() : notFound();
      }
      await pipeline(response, limitBytes(this.#maxBytes, "The picture"), createWriteStream(file), {
        signal: either,
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof AddressNotAllowed) throw notFound();
      throw isOwnFailure(error) ? error : unreachable();
    }
  }
}

const unreachable = () =>
  new ServiceError("UNAVAILABLE", "The picture cannot be fetched from where it is; it is safe to retry", {
    retryAfter: 10,
  });

/** Errors for clients, and those of the gateway's own disk. */
const isOwnFailure = (error: unknown): boolean =>
  error instanceof ServiceError || ["ENOSPC", "EDQUOT", "EACCES", "EMFILE"].includes(codeOf(error));
