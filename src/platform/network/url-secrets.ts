/** Stands for what may be a secret. */
const hidden = "***";

/** What names streams and their options. Anything else in a path or a query may be a secret. */
const known =
  /^(?:amp|api|av|axis|bcs|cam|camera|cgi|ch|channels?|codec|fps|h26[45x]|hls|id|index|input|jpe?g|line|live|m3u8|main|media|mjpe?g|mode|mp4|onvif|play|preview|profile|real|monitor|rtsp|sdp|snapshot|stream(?:ing|s)?|sub|transport|tunnel|type|unicast|video|\d{1,3}(?!\d)|[._-])*$/i;
/** The maximum number of digits of a channel or a codec, even in groups. */
const maxDigits = 6;

const isKnown = (text: string) =>
  text.length <= 64 && known.test(text) && text.replace(/\D/g, "").length <= maxDigits;

/**
 * A URL's scheme, user and password, host with port, and the rest, which begins where no host goes on. Digits are no
 * port if an @ follows, which may end a password with a slash.
 */
const shape =
  /^([a-z][a-z\d+.-]*:\/\/)(?:([^/?#]*)@)?((?:\[[\da-f:.]*\]|[\p{L}\p{N}._~-]+(?![\p{L}\p{N}._~-]))(?::\d{1,5}(?![^/?#;&]|.*@))?)([^\s\p{Cc}@\\][^\s\p{Cc}]*)?$/iu;

interface UrlParts {
  scheme: string;
  user: string | undefined;
  host: string;
  /** What follows; each second item is a separator. */
  rest: string[];
}

function partsOf(url: string): UrlParts | undefined {
  const [, scheme, user, host = "", rest = ""] = shape.exec(url) ?? [];
  return scheme === undefined ? undefined : { scheme, user, host, rest: rest.split(/([/?&;#])/) };
}

const joined = ({ scheme, user, host, rest }: UrlParts) =>
  [scheme, ...(user === undefined ? [] : [user, "@"]), host, ...rest].join("");

/** A user is shown where a password follows: alone, it may be a key. */
const shownUser = (user: string) => user.replace(/^([\w.-]{1,32}:)?.+$/s, `$1${hidden}`);

/** What is shown of the rest: of all before an @, which may be a password, nothing. */
function shownRest(rest: readonly string[]): string[] {
  const last = rest.findLastIndex((part) => part.includes("@"));
  return rest.map((part, index) => {
    if (index % 2 === 1 || part === "") return part;
    const [, name, value = ""] = /^([^=]+)=(.*)$/s.exec(part) ?? [];
    if (index <= last) return hidden;
    if (name !== undefined && isKnown(name)) return isKnown(value) ? part : `${name}=${hidden}`;
    return isKnown(part) ? part : hidden;
  });
}

/** A URL with *** in place of all but its scheme, user, host and port, and what is known to be harmless. */
export function withoutSecrets(url: string): string {
  const parts = partsOf(url);
  if (!parts) return hidden;
  return joined({ ...parts, user: parts.user && shownUser(parts.user), rest: shownRest(parts.rest) });
}

/**
 * Puts what {@link withoutSecrets} hides of an old URL where a new one has *** instead: the password; in the path and
 * the query all or nothing, also the value of a parameter that is hidden with its name. Undefined if the old URL has
 * nothing there.
 */
export function keepSecrets(url: string, old: string): string | undefined {
  const [parts, kept] = [partsOf(url.replace(/%2a%2a%2a/gi, hidden)), partsOf(old)];
  if (!parts) return url;
  const shown = shownRest(kept?.rest ?? []);
  const positions = [...shown.keys()].filter((index) => kept?.rest[index] !== shown[index]);
  const isComplete = parts.rest.filter((part) => part.includes(hidden)).length === positions.length;
  const keptPart = (part: string) => {
    const index = isComplete ? (positions.shift() ?? -1) : -1;
    const secret = kept?.rest[index];
    const isLike =
      part === shown[index] || (part.endsWith(`=${hidden}`) && secret?.startsWith(part.slice(0, -3)));
    return isLike ? secret : undefined;
  };
  const rest = parts.rest.map((part) => (part.includes(hidden) ? keptPart(part) : part));
  const user = parts.user?.includes(hidden) ? keptUser(parts.user, kept?.user) : parts.user;
  const isKept = rest.every((part) => part !== undefined) && (user !== undefined || parts.user === undefined);
  return isKept ? joined({ ...parts, user, rest }) : undefined;
}

function keptUser(user: string, old = ""): string | undefined {
  if (user === hidden) return old || undefined;
  const [, name] = /^([^*]*):\*\*\*$/.exec(user) ?? [];
  const [, password] = /^[^:]*:(.+)$/s.exec(old) ?? [];
  return name === undefined || password === undefined ? undefined : `${name}:${password}`;
}

/**
 * Hides the secrets of all URLs in a text, and those of a given URL. The latter first: where a text goes on right after
 * the URL, as by “)”, the URL alone tells where its secrets end.
 */
export function textWithoutSecrets(text: string, url = ""): string {
  return secretsOf(url)
    .reduce(
      (without, secret) => without.replace(new RegExp(secret.replace(/[^\w]/g, "\\$&"), "gi"), hidden),
      text,
    )
    .replace(/[a-z][a-z\d+.-]{1,15}:\/\/[^\s"'<>]+/gi, withoutSecrets);
}

/** The minimum length of a secret to hide: shorter texts cannot be told from others. */
const minSecretLength = 3;

/** What may be a secret in a URL, as written and in other encodings, the longest first. */
function secretsOf(url: string): string[] {
  const { user = "", rest = [] } = partsOf(url) ?? {};
  const shown = shownRest(rest);
  const [, password = ""] = /^:(.*)@/s.exec(rest.join("")) ?? [];
  // As headers have it for Basic authentication.
  const basic = Buffer.from(decoded(user)).toString("base64").replace(/=+$/, "");
  const secrets = [user, basic, password, ...rest.filter((part, index) => part !== shown[index])]
    // Also what comes after a name or a user.
    .flatMap((secret) => [secret, ...secret.split(/[=:|,@()]|%(?:3a|3d|7c|2c|40)/i).slice(1)])
    .flatMap((secret) => [secret, decoded(secret), encodeURIComponent(decoded(secret))])
    .filter(({ length }) => length >= minSecretLength);
  return [...new Set(secrets)].sort((one, other) => other.length - one.length);
}

/** Decodes percent-encoding. Leaves invalid text as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
