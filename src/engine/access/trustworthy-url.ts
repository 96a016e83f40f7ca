import { parsedUrl } from "../../platform/network/parsed-url.js";

/** Whether keys may be fetched from a URL: https, or http on loopback. */
export function isTrustworthyUrl(text: string): boolean {
  const url = parsedUrl(text);
  if (!url) return false;
  const { protocol, hostname } = url;
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/** Whether a host name denotes the loopback interface. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname === "[::1]" ||
    hostname === "::1" ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname)
  );
}
