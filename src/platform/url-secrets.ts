import { isIPv4 } from "node:net";
import { LRUCache } from "lru-cache";

/** What is shown in place of a secret. */
const hidden = "***";

/**
 * Parameters that are shown: what vendors call the stream to open, and how. Whatever is
 * called otherwise may be a secret.
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

/** Parameters that name a user: shown, as the user before the host is. */
const userNames = new Set("account login loginuse loginuser name uname user userid username usr".split(" "));

/**
 * What the names of secrets have in them, such as `loginpas`, `authbasic` or
 * `X-Amz-Signature`.
 */
export const secretWords = "auth|cred|jwt|key|pas|policy|psw|pwd|secret|session|sig|ticket|token";

/** A segment of a path that announces a secret. */
const announcesSecret =
  /^(?:pass(?:wd|word|phrase)?|pwd?|psw|\w*(?:key|secret|token)|auth(?:basic)?|sig(?:nature)?|session(?:id)?|ticket|jwt|credentials?)$/;
/** A segment that begins another URL. */
const announcesUrl = /^[a-z][a-z\d+.-]*:$/i;

/**
 * Names of accounts that cameras are delivered with: the segment of a path after one may
 * be its password.
 */
const accounts = new Set(
  `666666 888888 admin administrator anonymous default engineer guest installer operator root service superuser supervisor ubnt user viewer`.split(
    " ",
  ),
);

/**
 * Segments that say which stream to open, such as `ch01`, `h264Preview_01_main` or
 * `live.sdp`, and programs that answer.
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

/**
 * What separates a user and a password, or a name and a value, in a segment of a path.
 */
const separator = /[:|,@]|%3a|%7c|%2c|%40/i;
/** Behind these, media servers name the file or the group of streams to play. */
const mediaPrefix = /^(?:flv|id3|mp[34]|ngrp|smil)$/i;

/**
 * Whether what stands behind a separator is known to be no password: a port, a channel, a
 * time or a file.
 */
function isPlainRest(head: string, rest: string): boolean {
  if (rest === "") return true;
  if (accounts.has(plainName(head))) return false;
  if (mediaPrefix.test(head)) return /^[\w.-]{1,64}$/.test(rest);
  if (isIPv4(head)) return /^\d{1,5}$/.test(rest);
  if (/^[\dt-]+$/i.test(head)) return /^\d{1,2}(?:[:.,]\d{1,3})*z?$/i.test(rest);
  return (plainNames.has(plainName(head)) || streamSegment.test(head)) && streamSegment.test(rest);
}

/** Where a value in parentheses begins, behind its name. */
const parenthesis = /(?:^|\)[^\w()]?)([\w.-]{1,64})\(/g;

/**
 * Where XMEye's cameras separate parameters by underscores, which names and passwords
 * contain, too.
 */
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

/**
 * A name without what may be written in several ways. What is encoded twice stays
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
 * Whether letters and digits change as they do in keys of streams, and not in words,
 * numbers and times; words may be joined by hyphens.
 */
function isRandom(text: string): boolean {
  if (text.length < 16 || (text.match(/[a-z]/gi) ?? []).length < 3) return uuid.test(text);
  const changes = text.match(/[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])/g) ?? [];
  return changes.length >= (/^(?=.*\d)[^_-]+$/.test(text) ? 3 : text.length / 5) || uuid.test(text);
}

/** The length of the shortest user and password in Base64. */
const minBase64Length = 4;
/** Base64 of what begins with a printable character, which its first digit tells. */
const base64 = /^[I-Za-fw-z0-9][\w+/-]*={0,2}$/;

/**
 * The printable text that is written in Base64; undefined if it is none. The last
 * character may be cut off.
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
 * Whether the value of a parameter may be shown. Names are as {@link plainName} returns
 * them.
 */
function isPlainValue(name: string, value: string): boolean {
  return plainNames.has(name) && /^[\w.:@,+* -]{0,64}$/.test(value) && !isSecretText(value);
}

/** Where something else than the name of a user begins, which may be a password. */
const afterUser = /[^\p{L}\p{N}\p{M}_.@\\%+ -]|%(?:2[1-9acf]|3[a-f]|7[b-e])/iu;

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
        // What is hidden as a whole must not have what follows on it shown otherwise than
        // *** would.
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
    const isUnknown = /[=%]/.test(text) || isSecretText(text);
    const raw = this.#url.slice(start, end);
    const { 0: between, index = 0 } = separator.exec(raw) ?? {};
    if (/:\/\//.test(text)) this.#add(start, end, "segment", true);
    else if (between !== undefined && isSeparated(raw)) this.#findRest(start, start + index, between, end);
    else if (isUnknown || between === undefined) this.#findInParentheses(start, end, isUnknown);
    else this.#findRest(start, start + index, between, end);
  }

  /** A user or a name, and behind a separator what may be a password. */
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

  /** Values in parentheses behind their names; what has none is a text. */
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

  /** Finds the values in what is separated; what has no name is left to `findText`. */
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

  /** The name of a user is shown, but not what stands behind it. */
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

/** What the segments before one of a path make it: the name of a user, a password. */
interface Expected {
  user?: boolean;
  password?: boolean | undefined;
}

/**
 * What a segment announces that is no more than a name; what stands behind a separator
 * may be hidden, and may not matter.
 */
const announced = (segment: string) => (/^[\w.%$ [\]-]+:?$/.test(segment) ? plainName(segment) : "");

/**
 * What the next segment may be. Whether a user's name or a password follows on the name
 * of a user is not always to be told: either is hidden.
 */
function expectedAfter(segment: string, isUser: boolean): Expected {
  const name = announced(segment);
  if (userNames.has(name)) return { user: true, password: true };
  return isUser || accounts.has(name) ? { password: true } : {};
}

/** Whether a segment is known to be none of what is expected. */
function isPlainSegment(segment: string, { user }: Expected): boolean {
  const text = decoded(segment);
  const [, head = "", between] = /^([\w.-]+)([=(:|])/.exec(text) ?? [];
  const name = plainName(head);
  // What has a name, or a user before it, is looked into.
  const isKnown = plainNames.has(name) || userNames.has(name) || announcesSecret.test(name);
  const isNamed = isKnown && (between === "=" || (between === "(" && !/[=%&;@]/.test(text)));
  const isOfUser =
    user === true && between !== "(" && accounts.has(between === undefined ? plainName(text) : name);
  return text === "" || streamSegment.test(text) || isNamed || isOfUser;
}

/**
 * Whether a segment is a name and what stands behind it, in which there may be the
 * characters that separate parameters.
 */
const isSeparated = (segment: string) => /^(?:[^=&;:|,@%]|%20)*(?:[:|]|%3a|%7c)./i.test(segment);

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
 * A URL with *** in place of passwords, tokens and whatever else might let somebody in,
 * wherever vendors of cameras put them: before the host, in the path, in parameters, in
 * the fragment.
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
 * URLs that were not written through the API may be malformed in ways that parsers
 * tolerate; undefined for what is no URL.
 */
function inUsualForm(url: string): string | undefined {
  const isUsual = (text: string) => /^[a-z][a-z\d+.-]*:\/\/[^/\\\s]/i.test(text) && !/[\s\p{Cc}]/u.test(text);
  if (isUsual(url)) return url;
  const parsed = URL.canParse(url) ? new URL(url).href : "";
  return isUsual(parsed) ? parsed : undefined;
}

/** A new URL with the secrets of the old one where it has ***. */
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
 * Whether a password or a parameter of a URL is *** still. Segments of paths may be named
 * so.
 */
export function hasHiddenSecret(url: string): boolean {
  return new SecretPlaces(url).found.some(
    (place) => !place.key.startsWith("segment") && isHidden(url, place),
  );
}

/** A text without the secrets of URLs in it, nor those of a given URL. */
export function textWithoutSecrets(text: string, url?: string): string {
  const shown = text.replace(/[a-z][a-z\d+.-]{1,15}:\/\/[^\s"'<>]+/gi, withoutSecrets);
  const secrets = url === undefined ? [] : secretsOf(url);
  return secrets.reduce((without, secret) => without.replaceAll(secret, hidden), shown);
}

/**
 * The secrets of a URL as they are written in it, and in other encodings, but for those
 * that are too short to be told from other text.
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
