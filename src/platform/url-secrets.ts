/** Stands for what may be a secret. */
const hidden = "***";

/**
 * What names streams and their options in the URLs of many vendors. A part of a URL that is
 * not made of these words and of small numbers may be a secret.
 */
const harmlessWords =
  `amp api av axis bcs bin bitrate cam camera cgi ch channel cmd codec compression encoder fps frame h26[345x] height hevc
  high hls id image index input inst isapi jpe?g line live low m3u8 main media mid mjpe?g mode monitor mp4 mpeg multicast
  onvif picture play playlist preview profile psia quality rate real resolution rtmp rtsp screen sdp size snap snapshot
  stream streaming sub tcp timeout track transport ts tunnel type udp unicast version video view width`.split(
    /\s+/,
  );

const word = `(?:${harmlessWords.join("|")})s?`;
const harmlessText = new RegExp(`^${word}(?:[._-]?(?:${word}|\\d{1,3}(?!\\d)))*$`, "i");
const smallNumber = /^\d{1,3}$/;
const dimensions = /^\d{2,4}x\d{2,4}$/i;

/** More digits are no channel and no codec, even in groups. */
const maxDigits = 6;

const isHarmless = (text: string) =>
  text.length <= 64 && harmlessText.test(text) && text.replace(/\D/g, "").length <= maxDigits;

/**
 * A URL's scheme, user and password, host with port, and the rest, which begins where no host goes on.
 * Digits are no port if an @ follows, which may end a password with a slash.
 */
const shape =
  /^([a-z][a-z\d+.-]*:\/\/)(?:([^/?#]*)@)?((?:\[[\da-f:.]*\]|[\p{L}\p{N}._~-]+)(?::\d{1,5}(?![^/?#;&]|.*@))?)([^\s\p{Cc}@\\][^\s\p{Cc}]*)?$/iu;
/** What separates the parts of the rest. */
const separator = /([/?&;#])/;

interface UrlParts {
  scheme: string;
  user: string | undefined;
  host: string;
  /** Each second one is a separator. */
  rest: string[];
}

function partsOf(url: string): UrlParts | undefined {
  const [, scheme, user, host = "", rest = ""] = shape.exec(url) ?? [];
  return scheme === undefined ? undefined : { scheme, user, host, rest: rest.split(separator) };
}

const joined = ({ scheme, user, host, rest }: UrlParts) =>
  [scheme, ...(user === undefined ? [] : [user, "@"]), host, ...rest].join("");

/** What is shown of a part of the rest. A number is shown if what it counts is. */
function shownPart(part: string, before = ""): string {
  const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(part) ?? [];
  if (isHarmless(name)) {
    const isShown = isHarmless(value) || smallNumber.test(value) || dimensions.test(value);
    return isShown ? part : `${name}=${hidden}`;
  }
  const isShown = part === "" || isHarmless(part) || (smallNumber.test(part) && isHarmless(before));
  return isShown ? part : hidden;
}

/** What is shown of the rest: of all before an @, which may be a password, nothing. */
function shownRest(rest: readonly string[]): string[] {
  const last = rest.findLastIndex((part) => part.includes("@"));
  return rest.map((part, index) => {
    if (index % 2 === 1 || part === "") return part;
    return index <= last ? hidden : shownPart(part, rest[index - 2]);
  });
}

/**
 * A URL with *** in place of all but its scheme, its host, its port and what is known to be
 * harmless.
 */
export function withoutSecrets(url: string): string {
  const parts = partsOf(url);
  if (!parts) return hidden;
  return joined({ ...parts, user: parts.user && hidden, rest: shownRest(parts.rest) });
}

/**
 * Puts what an old URL has where a new one has *** instead: user, password, or both; the value of
 * a parameter; all parts that {@link withoutSecrets} hides as a whole. Returns undefined if the
 * old URL has nothing there.
 */
export function keepSecrets(url: string, old: string): string | undefined {
  const [parts, kept] = [partsOf(url.replace(/%2a%2a%2a/gi, hidden)), partsOf(old)];
  if (!parts) return url;
  const shown = shownRest(kept?.rest ?? []);
  const wholes = kept?.rest.filter((_part, index) => shown[index] === hidden) ?? [];
  const isComplete = parts.rest.filter((part) => part === hidden).length === wholes.length;
  const left = new Set(shown.keys());
  const keptPart = (part: string) => {
    if (part === hidden) return isComplete ? wholes.shift() : undefined;
    const isValue = part.endsWith(`=${hidden}`);
    const isLike = (each: string) => each === part || (isValue && each.startsWith(part.slice(0, -3)));
    const alike = [...left].filter((index) => isLike(kept?.rest[index] as string));
    // A name may come several times, also with values that are shown.
    const found = alike.find((index) => shown[index] === part) ?? alike[0];
    if (found === undefined) return undefined;
    left.delete(found);
    return kept?.rest[found];
  };
  const rest = parts.rest.map((part) => (part.includes(hidden) ? keptPart(part) : part));
  const user = parts.user?.includes(hidden) ? keptUser(parts.user, kept?.user) : parts.user;
  const isKept = rest.every((part) => part !== undefined) && (user !== undefined || parts.user === undefined);
  return isKept ? joined({ ...parts, user, rest }) : undefined;
}

const accountOf = (user: string) => /^([^:]*):(.*)$/s.exec(user)?.slice(1) ?? [];

function keptUser(user: string, old: string | undefined): string | undefined {
  if (user === hidden || user === old) return old;
  const [name, password] = accountOf(user);
  const [oldName, oldPassword] = accountOf(old ?? "");
  const filled = [name === hidden ? oldName : name, password === hidden ? oldPassword : password];
  return filled.includes(undefined) || filled.join(":") === user ? undefined : filled.join(":");
}

/**
 * Hides the secrets of all URLs in a text, and those of a given URL. The latter first: where
 * a text goes on right after the URL, as by “)”, the URL alone tells where its secrets end.
 */
export function textWithoutSecrets(text: string, url?: string): string {
  return (url ? secretsOf(url) : [])
    .reduce(
      (without, secret) => without.replace(new RegExp(secret.replace(/[^\w]/g, "\\$&"), "gi"), hidden),
      text,
    )
    .replace(/[a-z][a-z\d+.-]{1,15}:\/\/[^\s"'<>]+/gi, withoutSecrets);
}

/**
 * What may be a secret in a URL, as written and in other encodings, the longest first. Leaves out
 * what is too short to tell from other text.
 */
function secretsOf(url: string): string[] {
  const { user = "", rest = [] } = partsOf(url) ?? {};
  const shown = shownRest(rest);
  const wholes = rest.filter((part, index) => part !== shown[index]);
  const values = wholes.flatMap((part) => piecesOf(part).slice(1));
  const [, password = ""] = /^:(.*)@/s.exec(rest.join("")) ?? [];
  // As headers have it for Basic authentication.
  const basic = Buffer.from(decoded(user)).toString("base64").replace(/=+$/, "");
  const secrets = [user, basic, ...piecesOf(user), password, ...wholes, ...values]
    .flatMap((secret) => [secret, decoded(secret), encodeURIComponent(decoded(secret))])
    .filter(({ length }) => length >= minSecretLength);
  return [...new Set(secrets)].sort((one, other) => other.length - one.length);
}

const minSecretLength = 3;
/** The texts between what may separate a name or a user from a secret. */
const piecesOf = (part: string) => part.split(/[=:|,@()]|%(?:3a|3d|7c|2c|40)/i);

/** Decodes percent-encoding. Leaves invalid text as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
