import type { StreamAddress } from "./stream-address.js";

/** As many as browsers keep for a site at least (RFC 6265). */
const maxCookies = 50;
const maxCookieBytes = 4096;

/** What a request is for. */
interface CookieTarget {
  target: StreamAddress;
  isEncrypted: boolean;
}

interface Cookie {
  name: string;
  value: string;
  host: string;
  path: string;
  isSecure: boolean;
  expiresAt: number;
}

/** The cookies of one stream. Each returns to the host it came from and to no other, whatever domain it names. */
export class CameraCookies {
  #cookies: Cookie[] = [];

  /** Keeps what a response has in its headers `Set-Cookie`. */
  keep(headers: readonly string[], { target }: CookieTarget): void {
    for (const header of headers) {
      const cookie = parseCookie(header, target);
      if (!cookie) continue;
      const others = this.#cookies.filter(
        ({ name, host, path }) => name !== cookie.name || host !== cookie.host || path !== cookie.path,
      );
      this.#cookies = [...others, cookie].slice(-maxCookies);
    }
  }

  /** The header `Cookie` of a request; undefined if there is nothing to send. */
  headerFor({ target, isEncrypted }: CookieTarget): string | undefined {
    const asked = target.path.replace(/[?#].*/s, "");
    const sent = this.#cookies.filter(
      ({ host, path, isSecure, expiresAt }) =>
        host === target.host &&
        (asked === path || asked.startsWith(path.endsWith("/") ? path : `${path}/`)) &&
        (isEncrypted || !isSecure) &&
        expiresAt > Date.now(),
    );
    // Cookies for longer paths come first.
    sent.sort((one, other) => other.path.length - one.path.length);
    return sent.map(({ name, value }) => `${name}=${value}`).join("; ") || undefined;
  }
}

function parseCookie(header: string, { host, path }: StreamAddress): Cookie | undefined {
  const [[name, value] = ["", ""], ...rest] = header.split(";").map(splitPair);
  if (name === "" || name.length + value.length > maxCookieBytes) return undefined;
  const attributes = new Map(rest.map(([key, given]) => [key.toLowerCase(), given]));
  const expires = Date.parse(attributes.get("expires") ?? "");
  const seconds = /^-?\d+$/.exec(attributes.get("max-age") ?? "")?.[0];
  const given = attributes.get("path");
  return {
    name,
    value,
    host,
    path: given?.startsWith("/") ? given : path.replace(/[?#].*/s, "").replace(/\/[^/]*$/, "") || "/",
    isSecure: attributes.has("secure"),
    expiresAt:
      seconds === undefined
        ? Number.isNaN(expires)
          ? Number.POSITIVE_INFINITY
          : expires
        : Date.now() + Number(seconds) * 1000,
  };
}

function splitPair(text: string): [name: string, value: string] {
  const [name = "", ...value] = text.split("=");
  return [name.trim(), value.join("=").trim()];
}
