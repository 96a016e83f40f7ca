import { isIPv6 } from "node:net";
import { domainToASCII } from "node:url";
import { hasKey } from "../../../platform/record.js";
import { FeedError } from "../feed-error.js";

const defaultPorts = { rtsp: 554, rtsps: 322, rtmp: 1935, rtmps: 443, http: 80, https: 443 };

type StreamScheme = keyof typeof defaultPorts;

/** The parts of a stream's URL. All but the host are as they were written. */
export interface StreamAddress {
  scheme: StreamScheme;
  /** User and password with the @ behind them; empty without. */
  userInfo: string;
  /** A name or an address in lower case, an IPv6 address without brackets. */
  host: string;
  port: number;
  path: string;
}

const shape = /^([a-z]+):\/\/((?:[^/?#\\]*@)?)(\[[^\]]*\]|[^/?#\\@:[\]]+)(?::(\d{0,5}))?((?:[/?#].*)?)$/is;

/**
 * Splits a URL as ffmpeg does, which opens URLs with the same user information and path. Fails with {@link
 * FeedError} if it is none by which streams are opened.
 */
export function parseStreamAddress(url: string): StreamAddress {
  const [, written = "", userInfo = "", hostname = "", digits = "", path = ""] = shape.exec(url) ?? [];
  const scheme = written.toLowerCase();
  const host = plainHost(hostname);
  if (!hasKey(defaultPorts, scheme) || host === undefined) throw new FeedError("UNSUPPORTED");
  const port = digits === "" ? defaultPorts[scheme] : Number(digits);
  if (port < 1 || port > 65_535) throw new FeedError("UNSUPPORTED");
  return { scheme, userInfo, host, port, path };
}

/** A host in ASCII, in lower case and without brackets; undefined if it cannot be one. */
function plainHost(written: string): string | undefined {
  if (written.startsWith("[")) {
    const address = written.slice(1, -1);
    return isIPv6(address) && !address.includes("%") ? address.toLowerCase() : undefined;
  }
  const ascii = /^[\x21-\x7e]*$/.test(written) ? written : domainToASCII(written);
  return /^[\w.~-]+$/.test(ascii) ? ascii.toLowerCase() : undefined;
}

export const authority = (host: string, port: number): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`;

/** What a user and a password are for: a scheme, a host and a port. */
export const originOf = ({ scheme, host, port }: StreamAddress): string =>
  `${scheme}://${authority(host, port)}`;
