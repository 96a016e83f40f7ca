import { isIPv4 } from "node:net";
import { LRUCache } from "lru-cache";

/** Replaces a secret. */
const hidden = "***";

/**
 * Parameters to show: vendors use them to choose the stream and its options. Any other
 * parameter may be a secret.
 */
const plainNames = new Set(
  `acodec action ac area at audio audiocodec bitrate brightness buffer cam camera cameraid camid ch chan channel channelid channelno chid chn
  clock cmd codec color command compression contrast date day delay duration enableaudio encoder end endtime event expire expires ext format
  fps frame framerate from gop h h26x height id idx index inst interface lang language latency layer length line live media mirror mode motion
  multicast no node num onestep overlay page pan port preset profile proto protocol ptz quality rate realstream rec res resolution rotate
  rotation rtspport server sessiontimeout size snapshot source speed src start starttime stream streamid streaming streamno streamprofile
  streamtype sub substream subtype tcp text tilt time timeout title to track trackid transport transportmode type udp unicast unit v vcodec ver
  version video videocodec view w width zoom`.split(/\s+/),
);

/** Parameters that name a user. They are shown, like the user before the host. */
const userNames = new Set("account login loginuse loginuser name uname user userid username usr".split(" "));

/**
 * Words in the names of secrets, such as `loginpas`, `authbasic` or `X-Amz-Signature`.
 */
export const secretWords = "auth|cred|jwt|key|pas|policy|psw|pwd|secret|session|sig|ticket|token";

/** A path segment that announces a secret. */
const announcesSecret =
  /^(?:pass(?:wd|word|phrase)?|pwd?|psw|\w*(?:key|secret|token)|auth(?:basic)?|sig(?:nature)?|session(?:id)?|ticket|jwt|credentials?)$/;
/** A path segment that begins another URL. */
const announcesUrl = /^[a-z][a-z\d+.-]*:$/i;

/** Factory names of camera accounts. The path segment after one may be its password. */
const accounts = new Set(
  `666666 888888 admin administrator anonymous default engineer guest installer operator root service superuser supervisor ubnt user viewer`.split(
    " ",
  ),
);

/**
 * Segments that name the stream to open, such as `ch01`, `h264Preview_01_main` or
 * `live.sdp`, and programs that serve it.
 */
const streamSegment = (() => {
  const word =
    "(?:api|av|axis|cam(?:era)?s?|cgi|bin|ch(?:annel|n)?s?|hevc|high|hls|h26[45]|image|index|jpe?g|live|low|main|media|mjpe?g|mobile|mpeg4?|onvif|play(?:list)?|preview|profile|rtsp|snap(?:shot)?|stream(?:s|ing)?|sub|track(?:s|id)?|video)";
  const name = `(?:${word}\\d{0,2}|ch\\d{3}|\\d{1,3})(?:[_-]?${word}\\d{0,2}|[_-]\\d{1,3})*`;
  return new RegExp(
    `^(?:${name}(?:\\.(?:3gp|amp|flv|jpe?g|m3u8|mjpe?g|mp4|mpd|sdp|ts))?|[a-z_]+\\.(?:asp|cgi|fcgi|html?|php))$`,
    "i",
  );
})();

/** Separators between user and password, or name and value, in a path segment. */
const separator = /[:|,@]|%3a|%7c|%2c|%40/i;
/**
 * Prefixes that media servers expect before the name of the file, or of the group of
 * streams, to play.
 */
const mediaPrefix = /^(?:flv|id3|mp[34]|ngrp|smil)$/i;

/**
 * Whether the text after a separator is certainly not a password, but a port, a channel,
 * a time or a file.
 */
function isPlainRest(head: string, rest: string): boolean {
  if (rest === "") return true;
  if (accounts.has(plainName(head))) return false;
  if (mediaPrefix.test(head)) return /^[\w.-]{1,64}$/.test(rest);
  if (isIPv4(head)) return /^\d{1,5}$/.test(rest);
  if (/^[\dt-]+$/i.test(head)) return /^\d{1,2}(?:[:.,]\d{1,3})*z?$/i.test(rest);
  return (plainNames.has(plainName(head)) || streamSegment.test(head)) && streamSegment.test(rest);
}

/** The start of a value in parentheses, after its name. */
const parenthesis = /(?:^|\)[^\w()]?)([\w.-]{1,64})\(/g;

/**
 * XMEye's cameras separate parameters by underscores, but names and passwords contain
 * underscores, too.
 */
const underscore = /_(?=(?:channel|pass|passwd|password|psw|pwd|stream|user|username)=)/i;

/**
 * The maximum number of path segments in Base64 credentials, which may contain slashes.
 */
const maxSegments = 6;
/** The maximum number of values in a segment that are searched for such credentials. */
const maxValues = 8;

/** Decodes percent-encoding. Leaves invalid text as it is. */
function decoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Normalizes the spellings of a name. Decodes once, so a name that is encoded twice stays
 * unknown.
 */
const plainName = (name: string) =>
  decoded(name)
    .toLowerCase()
    .replace(/[^a-z\d%]/g, "");

/**
 * Whether a text contains a user and a password in Base64, a token or another random
 * text.
 */
function isSecretText(text: string): boolean {
  if (text.length < minBase64Length) return false;
  return (
    /eyJ[\w-]{8,}/.test(text) ||
    text.split(/[^\w-]+/).some(isRandom) ||
    [/[^\w+/=]+/, /[^\w=-]+/].some((between) => text.split(between).some(isCredentials))
  );
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * Whether letters and digits alternate as in stream keys rather than as in words, numbers
 * and times. Hyphens may join words.
 */
function isRandom(text: string): boolean {
  if (text.length < 16 || (text.match(/[a-z]/gi) ?? []).length < 3) return uuid.test(text);
  const changes = text.match(/[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])/g) ?? [];
  return changes.length >= (/^(?=.*\d)[^_-]+$/.test(text) ? 3 : text.length / 5) || uuid.test(text);
}

/** The length of the shortest user and password in Base64. */
const minBase64Length = 4;
/** Base64 of a text with a printable first character. The first digit reveals that. */
const base64 = /^[I-Za-fw-z0-9][\w+/-]*={0,2}$/;

/**
 * The printable text behind Base64; undefined if there is none. The last character may be
 * cut off.
 */
function base64Text(text: string): string | undefined {
  if (!base64.test(text)) return undefined;
  const written = Buffer.from(text, "base64")
    .toString()
    .replace(/\ufffd$/, "");
  return /[\p{Cc}\ufffd]/u.test(written) ? undefined : written;
}

/** Whether a text is a user and a password in Base64. */
const isCredentials = (text: string): boolean => base64Text(text)?.includes(":") ?? false;

/**
 * Whether the value of a parameter may be shown. Expects a name from {@link plainName}.
 */
function isPlainValue(name: string, value: string): boolean {
  return plainNames.has(name) && /^[\w.:@,+* -]{0,64}$/.test(value) && !isSecretText(value);
}

/** The end of a user name. A password may follow. */
const afterUser = /[^\p{L}\p{N}\p{M}_.@\\%+ -]|%(?:2[1-9acf]|3[a-f]|7[b-e])/iu;

/** A part of a URL that is a secret, or might be one in a similar URL. */
interface Place {
  start: number;
  end: number;
  /** The kind of the part, and the number of earlier parts of that kind in the URL. */
  key: string;
  isSecret: boolean;
}

/** The parts of a URL in the usual form. */
const usual = /^([a-z][a-z\d+.-]*:\/\/)(?:([^/?#]*)@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;

/** Finds the places of secrets in a URL: before the host, in the path, and after it. */
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

  /** A user, a colon and a password, or a token in place of both. */
  #findUser(start: number, end: number): void {
    const text = this.#url.slice(start, end);
    const { 0: colon, index = 0 } = /[:|,]|%(?:3a|7c|2c)/i.exec(text) ?? {};
    if (colon === undefined) this.#add(start, end, "user", isSecretText(decoded(text)));
    else this.#add(start + index + colon.length, end, "password", true);
  }

  #findInPath(start: number, end: number): void {
    let before = "";
    let expected: Expected = {};
    for (let at = start; at < end; ) {
      const credentialsEnd = this.#endOfCredentials(at, end);
      const segmentEnd = credentialsEnd || this.#endOfSegment(at, end);
      const segment = this.#url.slice(at, segmentEnd);
      const isPassword = expected.password === true && !isPlainSegment(segment, expected);
      const isSecret = credentialsEnd > 0 || announcesSecret.test(announced(before)) || isPassword;
      if (isSecret) this.#add(at, segmentEnd, "segment", segment !== "");
      else this.#findInSegment(at, segmentEnd, announcesUrl.test(before));
      if (segment !== "") {
        // After a segment that is hidden as a whole, treat the next segment as after ***.
        const last = this.found.at(-1);
        const isHidden = last?.isSecret === true && last.start === at && last.end === segmentEnd;
        const { user = false, password } = expectedAfter(segment, isHidden && expected.user === true);
        expected = { user: user && !isHidden, password };
        before = isHidden && announcesUrl.test(segment) ? "" : segment;
      }
      at = segmentEnd + 1;
    }
  }

  #findInSegment(start: number, end: number, isInUrl: boolean): void {
    const segment = this.#url.slice(start, end);
    if (isInUrl && segment.includes("@")) this.#findUser(start, start + segment.lastIndexOf("@"));
    else if (isSeparated(segment)) this.#findText(start, end);
    else this.#findParts(start, end, /[&;]/, (from, to) => this.#findText(from, to));
  }

  /** The end of a path segment. A segment may hold Base64 with slashes. */
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

  /** The end of the Base64 credentials that begin here; 0 if there are none. */
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
    // Other readers may decode this text to parameters or a URL.
    const isUnknown = /[=%]/.test(text) || isSecretText(text);
    const raw = this.#url.slice(start, end);
    const { 0: between, index = 0 } = separator.exec(raw) ?? {};
    if (/:\/\//.test(text)) this.#add(start, end, "segment", true);
    else if (between !== undefined && isSeparated(raw)) this.#findRest(start, start + index, between, end);
    else if (isUnknown || between === undefined) this.#findInParentheses(start, end, isUnknown);
    else this.#findRest(start, start + index, between, end);
  }

  /** A user or a name, a separator, and perhaps a password. */
  #findRest(start: number, at: number, between: string, end: number): void {
    const head = decoded(this.#url.slice(start, at));
    const rest = decoded(this.#url.slice(at + between.length, end));
    if (decoded(between) === "@") {
      this.#add(start, end, "segment", !(streamSegment.test(head) && streamSegment.test(rest)));
      return;
    }
    this.#add(start, at, "segment", isSecretText(head));
    this.#add(at + between.length, end, "rest of a segment", !isPlainRest(head, rest) || isSecretText(rest));
  }

  /** Named values in parentheses. Anything without a name is a text. */
  #findInParentheses(start: number, end: number, isUnknown: boolean): void {
    const text = this.#url.slice(start, end);
    const found = /[=%]/.test(decoded(text)) ? [] : [...text.matchAll(parenthesis)];
    if (found[0]?.index !== 0 || found.some(([, name = ""]) => isSecretText(name))) {
      this.#add(start, end, "segment", isUnknown || /[()]/.test(text));
      return;
    }
    found.forEach((match, index) => {
      const next = found[index + 1]?.index ?? (text.endsWith(")") ? text.length - 1 : text.length);
      this.#findValue(match[1] as string, start + match.index + match[0].length, start + next);
    });
  }

  #findParameters(start: number, end: number): void {
    this.#findParts(start, end, /[&;#]/, (from, to) => {
      const text = this.#url.slice(from, to);
      this.#add(from, to, "parameter", text !== "" && !plainNames.has(plainName(text)));
    });
  }

  /** Finds the values of separated parts. Leaves parts without a name to `findText`. */
  #findParts(
    start: number,
    end: number,
    separator: RegExp,
    findText: (start: number, end: number) => void,
  ): void {
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
    if (userNames.has(known)) {
      this.#findUserValue(known, start, end);
      return;
    }
    this.#add(
      start,
      end,
      `value of ${known}`,
      start < end && !isPlainValue(known, decoded(this.#url.slice(start, end))),
    );
  }

  /** Show the name of a user, but hide the text after it. */
  #findUserValue(known: string, start: number, end: number): void {
    const value = this.#url.slice(start, end);
    const { 0: between = "", index = value.length } = value === hidden ? {} : (afterUser.exec(value) ?? {});
    if (index === 0 && start < end) this.#add(start, end, `value of ${known}`, true);
    else {
      const written = decoded(value);
      const isUnknown =
        index > 64 ||
        isSecretText(decoded(value.slice(0, index))) ||
        (/^[\w+/=-]+$/.test(written) && isSecretText(written));
      this.#add(start, isUnknown ? end : start + index, `value of ${known}`, isUnknown);
      if (between !== "" && !isUnknown)
        this.#add(
          start + index + between.length,
          end,
          `rest of ${known}`,
          start + index + between.length < end,
        );
    }
  }
}

/** The role of a path segment, according to those before it: a user name, a password. */
interface Expected {
  user?: boolean;
  password?: boolean | undefined;
}

/**
 * The announcement of a segment that is only a name. The text after a separator may be
 * hidden, so it must not matter.
 */
const announced = (segment: string) => (/^[\w.%$ [\]-]+:?$/.test(segment) ? plainName(segment) : "");

/**
 * The role of the next segment. After a segment such as `user`, a user name or a password
 * may follow, and the two cannot always be told apart: hide either.
 */
function expectedAfter(segment: string, isUser: boolean): Expected {
  const name = announced(segment);
  if (userNames.has(name)) return { user: true, password: true };
  return isUser || accounts.has(name) ? { password: true } : {};
}

/** Whether a segment certainly is not what the previous ones announced. */
function isPlainSegment(segment: string, { user }: Expected): boolean {
  const text = decoded(segment);
  const [, head = "", between] = /^([\w.-]+)([=(:|])/.exec(text) ?? [];
  const name = plainName(head);
  // A segment with a name, or with a user before its value, is searched instead.
  const isKnown = plainNames.has(name) || userNames.has(name) || announcesSecret.test(name);
  const isNamed = isKnown && (between === "=" || (between === "(" && !/[=%&;@]/.test(text)));
  const isOfUser =
    user === true && between !== "(" && accounts.has(between === undefined ? plainName(text) : name);
  return text === "" || streamSegment.test(text) || isNamed || isOfUser;
}

/**
 * Whether a segment is a name and a value. The value may contain the characters that
 * separate parameters.
 */
const isSeparated = (segment: string) => /^(?:[^=&;:|,@%]|%20)*(?:[:|]|%3a|%7c)./i.test(segment);

/** The sign between a name and a value, possibly encoded. */
const sign = /=|%3d(?!(?:%3d)?$)/i;

/** Whether a name is really one, rather than a URL with parameters or a token. */
const isName = (text: string) => /^[\w.$ [\]-]{0,64}$/.test(text) && !isSecretText(text);

/** Splits parameters at underscores after the first name. */
function splitPairs(part: string): string[] {
  const [first = "", ...others] = part.split(underscore);
  return sign.test(first) ? [first, ...others] : [part];
}

/** Whether the text of a place is already the replacement of a secret. */
const isHidden = (url: string, { start, end }: Place) => decoded(url.slice(start, end)) === hidden;

/** Replaces the texts of some places in a URL. */
function replacePlaces(
  url: string,
  places: readonly Place[],
  replace: (place: Place) => string | undefined,
): string {
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

const shownUrls = new LRUCache<string, string>({
  maxSize: 4 * 1024 * 1024,
  sizeCalculation: (_shown, url) => 2 * url.length + 100,
});

/**
 * Replaces passwords, tokens and any other part of a URL that might grant access by ***.
 * Covers all places that camera vendors use: before the host, in the path, in parameters,
 * in the fragment.
 */
export function withoutSecrets(url: string): string {
  const known = shownUrls.get(url);
  if (known !== undefined) return known;
  const written = inUsualForm(url);
  const shown =
    written === undefined
      ? hidden
      : replacePlaces(written, new SecretPlaces(written).found, ({ isSecret }) =>
          isSecret ? hidden : undefined,
        );
  shownUrls.set(url, shown);
  return shown;
}

/**
 * Normalizes URLs that were not written through the API. They may be malformed in ways
 * that parsers tolerate. Returns undefined if the text is not a URL.
 */
function inUsualForm(url: string): string | undefined {
  const isUsual = (text: string) => /^[a-z][a-z\d+.-]*:\/\/[^/\\\s]/i.test(text) && !/[\s\p{Cc}]/u.test(text);
  if (isUsual(url)) return url;
  const parsed = URL.canParse(url) ? new URL(url).href : "";
  return isUsual(parsed) ? parsed : undefined;
}

/** Puts the secrets of the old URL where the new one has ***. */
export function keepSecrets(url: string, old: string): string {
  const secrets = new Map(
    new SecretPlaces(old).found
      .filter(({ isSecret }) => isSecret)
      .map(({ key, start, end }) => [key, old.slice(start, end)]),
  );
  return replacePlaces(url, new SecretPlaces(url).found, (place) =>
    isHidden(url, place) ? secrets.get(place.key) : undefined,
  );
}

/**
 * Whether a password or a parameter of a URL is still ***. Path segments may really have
 * that name.
 */
export function hasHiddenSecret(url: string): boolean {
  return new SecretPlaces(url).found.some(
    (place) => !place.key.startsWith("segment") && isHidden(url, place),
  );
}

/**
 * Hides the secrets of all URLs in a text, and those of a given URL. The latter first: where
 * a text goes on right after the URL, as by “)”, the URL alone tells where its secrets end.
 */
export function textWithoutSecrets(text: string, url?: string): string {
  const secrets = url === undefined ? [] : secretsOf(url);
  return secrets
    .reduce((without, secret) => without.replaceAll(secret, hidden), text)
    .replace(/[a-z][a-z\d+.-]{1,15}:\/\/[^\s"'<>]+/gi, withoutSecrets);
}

/**
 * The secrets of a URL, as written and in other encodings. Leaves out secrets too short
 * to tell from other text.
 */
function secretsOf(url: string): string[] {
  const written = new SecretPlaces(url).found
    .filter(({ isSecret }) => isSecret)
    .map(({ start, end }) => url.slice(start, end));
  return [
    ...new Set(written.flatMap((secret) => [secret, decoded(secret), encodeURIComponent(decoded(secret))])),
  ].filter(({ length }) => length >= minSecretLength);
}

const minSecretLength = 3;
