import { isIP } from "node:net";
import { z } from "zod";
import { isNetwork } from "../network/ip-address.js";
import { parsedUrl } from "../network/parsed-url.js";

// Rules that several settings share. Messages follow the name of a setting, and precede an example.

/** A whole number in plain decimal notation. */
export const integer = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, "must be an integer")
    .transform(Number)
    .pipe(z.number().min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`));

export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words, error: string) =>
  z.enum(words, { error });

export const onOrOff = oneOf(["on", "off"], "must be on or off");

/** A text without white space and without characters that HTTP headers forbid. */
export const visibleText = z
  .string()
  .regex(/^[!-~]+$/, "must consist of visible ASCII characters, without spaces");

/** Makes a rule of a function that returns the problem of a text. */
export const textWithout = (issueOf: (text: string) => string | undefined) =>
  z.string().superRefine((text, context) => {
    const message = issueOf(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

export const itemsOf = (text: string): string[] => text.split(",").map((item) => item.trim());

const hostName = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?$/i;

/** Whether a text is the address or the name of a host to connect to or listen on. */
export const isHost = (text: string): boolean =>
  // Dotted numbers that are not an address are not a host name either.
  isIP(text) !== 0 || (hostName.test(text) && !/^[\d.]+$/.test(text));

/** The optional parts that a URL may have besides its scheme, host and port. */
interface UrlParts {
  schemes: readonly string[];
  credentials?: true;
  path?: true;
  query?: true;
}

/** The problem of a URL; undefined if it has none. */
export function urlIssue(text: string, { schemes, ...allowed }: UrlParts): string | undefined {
  const [scheme = ""] = /^[a-z]+(?=:\/\/)/.exec(text.toLowerCase()) ?? [];
  const names = schemes.map((each) => `${each}://`).join(" or ");
  if (!schemes.includes(scheme)) return `must be ${/^[hms]/.test(names) ? "an" : "a"} ${names} URL`;
  const url = parsedUrl(text);
  if (!url) return "must be a valid URL, with its special characters percent-encoded";
  const { hostname, port, pathname, username, password } = url;
  const issues: [boolean, string][] = [
    [/[\s\p{Cc}]/u.test(text), "must not contain white space"],
    [!isHost(hostname.replace(/^\[|\]$/g, "")), "must name one host"],
    [port === "0", "must have a port from 1 to 65535, if any"],
    [!allowed.credentials && `${username}${password}` !== "", "must not contain credentials"],
    [![username, password].every(isPercentEncoded), notEncoded],
    [!allowed.path && !/^\/*$/.test(pathname), "must not have a path"],
    [!allowed.query && text.includes("?"), "must not have a query"],
    [text.includes("#"), "must not contain #"],
  ];
  return issues.find(([isFound]) => isFound)?.[1];
}

/** The message about a URL whose credentials end too early. */
export const notEncoded = "must have the special characters of its user and password percent-encoded";

export function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** A web URL with these optional parts. */
export const webUrl = (parts: Omit<UrlParts, "schemes"> = {}) =>
  textWithout((text) => urlIssue(text, { schemes: ["http", "https"], ...parts }));

/** A web URL that is an origin and nothing more, in the form that browsers send. */
export const webOrigin = webUrl().transform((text) => new URL(text).origin);

/** A web URL that the gateway extends with paths. */
export const baseUrl = webUrl({ path: true }).transform((text) => text.replace(/\/+$/, ""));

/** The problem of an item in a list of origins. Browsers send each origin in one form only. */
export function originIssue(text: string): string | undefined {
  // Some apps have a scheme of their own.
  if (/^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[a-z0-9_.-]+(?::\d+)?$/.test(text)) return undefined;
  const issue = urlIssue(text, { schemes: ["http", "https"] });
  if (issue !== undefined) return `${issue}, or be *`;
  const { origin } = new URL(text);
  return origin === text ? undefined : `must be written as browsers send it, ${origin}`;
}

export const networks = z
  .string()
  .transform(itemsOf)
  .refine((items) => items.every(isNetwork), "must be networks, separated by commas");

/** The word for all public addresses among networks. */
export const publicAddresses = "public";

/** Comma-separated networks in CIDR notation, and a word for public addresses. */
export const networksOrPublic = z
  .string()
  .transform(itemsOf)
  .refine(
    (items) => items.every((item) => item === publicAddresses || isNetwork(item)),
    "must be networks or public, separated by commas",
  );

const namedNetworks = ["loopback", "linklocal", "uniquelocal"];

/** The number of proxies in front of the gateway, or their addresses and networks. */
export const trustedProxies = textWithout((text) => {
  if (text === "false" || /^\d{1,2}$/.test(text)) return undefined;
  if (text === "true")
    return "must say how many proxies there are, or their networks: with true, every client could say that it has any address";
  const items = itemsOf(text);
  if (!items.every((item) => isIP(item) !== 0 || isNetwork(item) || namedNetworks.includes(item)))
    return "must be the number of proxies, or their addresses and networks, separated by commas";
  return items.some((item) => /\/0+$/.test(item))
    ? "must not trust every client: a network of all addresses has any proxy in it"
    : undefined;
});
