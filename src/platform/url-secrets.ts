import { LRUCache } from "lru-cache";

/** What is shown in place of a secret. */
const hidden = "***";

/** Parameters that are shown: what vendors call the stream to open, and how. Whatever is called otherwise may be a secret. */
const plainNames = new Set(
  `acodec action ac area at audio audiocodec bitrate brightness buffer cam camera cameraid camid ch chan channel channelid channelno chid chn
  clock cmd codec color command compression contrast date day delay duration enableaudio encoder end endtime event expire expires ext format
  fps frame framerate from gop h h26x height id idx index inst interface lang language latency layer length line live media mirror mode motion
  multicast no node num onestep overlay page pan port preset profile proto protocol ptz quality rate realstream rec res resolution rotate
  rotation rtspport server sessiontimeout size snapshot source speed src start starttime stream streamid streaming streamno streamprofile
  streamtype sub substream subtype tcp text tilt time timeout title to track trackid transport transportmode type udp unicast unit v vcodec ver
  version video videocodec view w width zoom`.split(/\s+/),
);

/** Parameters that name a user: shown, as the user before the host is. */
const userNames = new Set("account login loginuse loginuser name uname user userid username usr".split(" "));

/** What the names of secrets have in them, such as `loginpas`, `authbasic` or `X-Amz-Signature`. */
export const secretWords = "auth|cred|jwt|key|pas|policy|psw|pwd|secret|session|sig|ticket|token";

/** A segment of a path that announces a secret. */
const announcesSecret =
  /^(?:pass(?:wd|word|phrase)?|pwd?|psw|\w*(?:key|secret|token)|auth(?:basic)?|sig(?:nature)?|session(?:id)?|ticket|jwt|credentials?)$/;
/** A segment that begins another URL. */
const announcesUrl = /^[a-z][a-z\d+.-]*:$/i;

/** Where XMEye's cameras separate parameters by underscores, which names and passwords contain, too. */
const underscore = /_(?=(?:channel|pass|passwd|password|psw|pwd|stream|user|username)=)/i;

/** Base64 of credentials may have slashes, and go on over so many segments of a path. */
const maxSegments = 6;
/** In so many values of a segment such credentials are looked for. */
const maxValues = 8;

/** A text without percent-encoding; as it is where that is invalid. */
function decoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A name without what may be written in several ways. What is encoded twice stays unknown. */
const plainName = (name: string) =>
  decoded(name)
    .toLowerCase()
    .replace(/[^a-z\d%]/g, "");

/** Whether a text contains a user and a password in Base64, a token or another random text. */
function isSecretText(text: string): boolean {
  if (text.length < minBase64Length) return false;
  return (
    /eyJ[\w-]{8,}/.test(text) ||
    text.split(/[^\w-]+/).some(isRandom) ||
    [/[^\w+/=]+/, /[^\w=-]+/].some((between) => text.split(between).some(isCredentials))
  );
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether letters and digits change as they do in keys of streams, and not in words, numbers and times; words may be joined by hyphens. */
function isRandom(text: string): boolean {
  if (text.length < 16 || (text.match(/[a-z]/gi) ?? []).length < 3) return uuid.test(text);
  const changes = text.match(/[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])/g) ?? [];
  return changes.length >= (/^(?=.*\d)[^_-]+$/.test(text) ? 3 : text.length / 5) || uuid.test(text);
}

/** The length of the shortest user and password in Base64. */
const minBase64Length = 4;
/** Base64 of what begins with a printable character, which its first digit tells. */
const base64 = /^[I-Za-fw-z0-9][\w+/-]*={0,2}$/;

/** The printable text that is written in Base64; undefined if it is none. The last character may be cut off. */
function base64Text(text: string): string | undefined {
  if (!base64.test(text)) return undefined;
  const written = Buffer.from(text, "base64")
    .toString()
    .replace(/\ufffd$/, "");
  return /[\p{Cc}\ufffd]/u.test(written) ? undefined : written;
}

/** Whether a text is a user and a password in Base64. */
const isCredentials = (text: string): boolean => base64Text(text)?.includes(":") ?? false;

/** Whether the value of a parameter may be shown. Names are as {@link plainName} returns them. */
function isPlainValue(name: string, value: string): boolean {
  const pattern = userNames.has(name) ? /^[^:/?#&;=]{0,64}$/ : /^[\w.:@,+* -]{0,64}$/;
  return (userNames.has(name) || plainNames.has(name)) && pattern.test(value) && !isSecretText(value);
}

/** A part of a URL that is a secret, or might be one in a similar URL. */
interface Place {
  start: number;
  end: number;
  /** What it is, and how many such are before it in the URL. */
  key: string;
  isSecret: boolean;
}

/** The parts of a URL that is written as usual. */
const usual = /^([a-z][a-z\d+.-]*:\/\/)(?:([^/?#]*)@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;

/** Finds the places of secrets in a URL: before the host, in the path, and behind it. */
class SecretPlaces {
  readonly found: Place[] = [];
  readonly #url: string;
  readonly #counts = new Map<string, number>();

  constructor(url: string) {
    this.#url = url;
    const [, scheme = "", user, host = "", path = "", query, fragment] = usual.exec(url) ?? [];
    let at = scheme.length;
    if (user !== undefined) {
      this.#findUser(at, at + user.length);
      at += user.length + 1;
    }
    at += host.length;
    this.#findInPath(at, at + path.length);
    at += path.length;
    for (const parameters of [query, fragment]) {
      if (parameters === undefined) continue;
      this.#findParameters(at + 1, at + 1 + parameters.length);
      at += 1 + parameters.length;
    }
  }

  #add(start: number, end: number, kind: string, isSecret: boolean): void {
    const count = this.#counts.get(kind) ?? 0;
    this.#counts.set(kind, count + 1);
    this.found.push({ start, end, key: `${kind} ${count}`, isSecret });
  }

  /** A user, and after a colon a password; or a token in place of both. */
  #findUser(start: number, end: number): void {
    const text = this.#url.slice(start, end);
    const { 0: colon, index = 0 } = /:|%3a/i.exec(text) ?? {};
    if (colon === undefined) this.#add(start, end, "user", isSecretText(decoded(text)));
    else this.#add(start + index + colon.length, end, "password", true);
  }

  #findInPath(start: number, end: number): void {
    let before = "";
    for (let at = start; at < end; ) {
      const credentialsEnd = this.#endOfCredentials(at, end);
      const segmentEnd = credentialsEnd || this.#endOfSegment(at, end);
      const segment = this.#url.slice(at, segmentEnd);
      if (credentialsEnd || announcesSecret.test(plainName(before))) this.#add(at, segmentEnd, "segment", segment !== "");
      else if (announcesUrl.test(before) && segment.includes("@")) this.#findUser(at, at + segment.lastIndexOf("@"));
      else this.#findParts(at, segmentEnd, /[&;]/, (from, to) => this.#findText(from, to));
      if (segment !== "") before = segment;
      at = segmentEnd + 1;
    }
  }

  /** Where a segment of the path ends; it may have a value in Base64 with slashes. */
  #endOfSegment(start: number, end: number): number {
    const slash = this.#url.indexOf("/", start);
    const segmentEnd = slash < 0 || slash > end ? end : slash;
    const values = this.#url.slice(start, segmentEnd).split("=", maxValues + 1);
    let at = start;
    let last = segmentEnd;
    for (const value of values.slice(0, -1)) {
      at += value.length + 1;
      last = Math.max(last, this.#endOfCredentials(at, end));
    }
    return last;
  }

  /** Where credentials in Base64 end that begin here; 0 if none do. */
  #endOfCredentials(start: number, end: number): number {
    let last = 0;
    let to = start - 1;
    for (const part of this.#url.slice(start, end).split(/[/&;]/, maxSegments)) {
      to += part.length + 1;
      const written = base64Text(decoded(this.#url.slice(start, to)));
      if (written === undefined) break;
      if (written.includes(":")) last = to;
    }
    return last;
  }

  #findText(start: number, end: number): void {
    const text = decoded(this.#url.slice(start, end));
    // What is encoded to be no more than text may be parameters or a URL to others.
    this.#add(start, end, "segment", /[=%]|:\/\//.test(text) || isSecretText(text));
  }

  #findParameters(start: number, end: number): void {
    this.#findParts(start, end, /[&;#]/, (from, to) => {
      const text = this.#url.slice(from, to);
      this.#add(from, to, "parameter", text !== "" && !plainNames.has(plainName(text)));
    });
  }

  /** Finds the values in what is separated; what has no name is left to `findText`. */
  #findParts(start: number, end: number, separator: RegExp, findText: (start: number, end: number) => void): void {
    let at = start;
    for (const part of this.#url.slice(start, end).split(separator)) {
      for (const pair of splitPairs(part)) {
        const found = sign.exec(pair);
        const name = pair.slice(0, found?.index);
        if (!found || !isName(decoded(name))) findText(at, at + pair.length);
        else this.#findValue(name, at + name.length + found[0].length, at + pair.length);
        at += pair.length + 1;
      }
    }
  }

  #findValue(name: string, start: number, end: number): void {
    const known = plainName(name);
    this.#add(start, end, `value of ${known}`, start < end && !isPlainValue(known, decoded(this.#url.slice(start, end))));
  }
}

/** The sign between a name and a value, which may be encoded. */
const sign = /=|%3d(?!(?:%3d)?$)/i;

/** Whether a name is one: it could be a URL with parameters, or a token. */
const isName = (text: string) => /^[\w.$ [\]-]{0,64}$/.test(text) && !isSecretText(text);

/** Splits parameters at underscores, behind the first name. */
function splitPairs(part: string): string[] {
  const [first = "", ...others] = part.split(underscore);
  return sign.test(first) ? [first, ...others] : [part];
}

/** The text of a place as it is where a secret is hidden. */
const isHidden = (url: string, { start, end }: Place) => decoded(url.slice(start, end)) === hidden;

/** A URL with other texts in some of its places. */
function replacePlaces(url: string, places: readonly Place[], replace: (place: Place) => string | undefined): string {
  let copied = 0;
  let replaced = "";
  for (const place of places) {
    const text = replace(place);
    if (text === undefined) continue;
    replaced += url.slice(copied, place.start) + text;
    copied = place.end;
  }
  return replaced + url.slice(copied);
}

const shownUrls = new LRUCache<string, string>({ maxSize: 4 * 1024 * 1024, sizeCalculation: (_shown, url) => 2 * url.length + 100 });

/**
 * A URL with *** in place of passwords, tokens and whatever else might let somebody in, wherever vendors of cameras put them: before the host, in
 * the path, in parameters, in the fragment.
 */
export function withoutSecrets(url: string): string {
  const known = shownUrls.get(url);
  if (known !== undefined) return known;
  const written = inUsualForm(url);
  const shown =
    written === undefined ? hidden : replacePlaces(written, new SecretPlaces(written).found, ({ isSecret }) => (isSecret ? hidden : undefined));
  shownUrls.set(url, shown);
  return shown;
}

/** URLs that were not written through the API may be malformed in ways that parsers tolerate; undefined for what is no URL. */
function inUsualForm(url: string): string | undefined {
  const isUsual = (text: string) => /^[a-z][a-z\d+.-]*:\/\/[^/\\\s]/i.test(text) && !/[\s\p{Cc}]/u.test(text);
  if (isUsual(url)) return url;
  const parsed = URL.canParse(url) ? new URL(url).href : "";
  return isUsual(parsed) ? parsed : undefined;
}

/** A new URL with the secrets of the old one where it has ***. */
export function keepSecrets(url: string, old: string): string {
  const secrets = new Map(new SecretPlaces(old).found.filter(({ isSecret }) => isSecret).map(({ key, start, end }) => [key, old.slice(start, end)]));
  return replacePlaces(url, new SecretPlaces(url).found, (place) => (isHidden(url, place) ? secrets.get(place.key) : undefined));
}

/** Whether a password or a parameter of a URL is *** still. Segments of paths may be named so. */
export function hasHiddenSecret(url: string): boolean {
  return new SecretPlaces(url).found.some((place) => !place.key.startsWith("segment") && isHidden(url, place));
}

/** A text without the secrets of URLs in it, nor those of a given URL. */
export function textWithoutSecrets(text: string, url?: string): string {
  const shown = text.replace(/[a-z][a-z\d+.-]{1,15}:\/\/[^\s"'<>]+/gi, withoutSecrets);
  const secrets = url === undefined ? [] : secretsOf(url);
  return secrets.reduce((without, secret) => without.replaceAll(secret, hidden), shown);
}

/** The secrets of a URL as they are written in it, and in other encodings, but for those that are too short to be told from other text. */
function secretsOf(url: string): string[] {
  const written = new SecretPlaces(url).found.filter(({ isSecret }) => isSecret).map(({ start, end }) => url.slice(start, end));
  return [...new Set(written.flatMap((secret) => [secret, decoded(secret), encodeURIComponent(decoded(secret))]))].filter(
    ({ length }) => length >= minSecretLength,
  );
}

const minSecretLength = 3;
