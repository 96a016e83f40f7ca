import { createHash, randomBytes } from "node:crypto";
import { defined } from "../../../platform/defined.js";
import { FeedError } from "../feed-error.js";

/** A way to prove who asks that a camera offers, with its parameters. */
interface Challenge {
  scheme: string;
  parameters: Map<string, string>;
}

/** Digest's algorithms as Node.js names them. The first that a camera offers is used. */
const algorithms = new Map([
  ["MD5", "md5"],
  ["SHA-256", "sha256"],
  ["SHA-512-256", "sha512-256"],
]);

/**
 * Tells a camera who asks, by Basic or Digest. One belongs to the one origin that the user and the password
 * were given for.
 */
export class CameraCredentials {
  readonly #user: string;
  readonly #password: string;
  #challenge: Challenge | undefined;
  /** How often its number was used. */
  #count = 0;

  /** Expects the part of a URL before its host, with the @. */
  constructor(userInfo: string) {
    const [, user = "", password = ""] = /^([^:]*):?(.*)@$/s.exec(userInfo) ?? [];
    this.#user = decoded(user);
    this.#password = decoded(password);
  }

  /** Whether the camera has asked who asks. */
  get isChallenged(): boolean {
    return this.#challenge !== undefined;
  }

  /** Reads the challenges of a status 401. Returns whether only the nonce was stale. Fails if it can answer none. */
  challenge(headers: readonly string[]): { isStale: boolean } {
    const offered = headers.flatMap(parseChallenges);
    const digests = [...algorithms.keys()].flatMap((name) =>
      offered.filter(
        ({ scheme, parameters }) => scheme === "digest" && algorithmOf(parameters).name === name,
      ),
    );
    this.#challenge = digests[0] ?? offered.find(({ scheme }) => scheme === "basic");
    this.#count = 0;
    if (!this.#challenge) throw new FeedError(offered.length > 0 ? "UNSUPPORTED" : "UNAUTHORIZED");
    return { isStale: this.#challenge.parameters.get("stale")?.toLowerCase() === "true" };
  }

  /** The header Authorization of a request without a body; undefined until the camera asks. */
  authorization(method: string, uri: string): string | undefined {
    if (!this.#challenge) return undefined;
    const { scheme, parameters } = this.#challenge;
    if (scheme === "basic")
      return `Basic ${Buffer.from(`${this.#user}:${this.#password}`, "latin1").toString("base64")}`;
    const { name, isSession } = algorithmOf(parameters);
    const hash = (text: string) =>
      createHash(defined(algorithms.get(name)))
        .update(text, "latin1")
        .digest("hex");
    const [realm = "", nonce = ""] = [parameters.get("realm"), parameters.get("nonce")];
    const offered =
      parameters
        .get("qop")
        ?.toLowerCase()
        .split(/[\s,]+/) ?? [];
    const qop = ["auth", "auth-int"].find((each) => offered.includes(each));
    this.#count += 1;
    const [cnonce, nc] = [randomBytes(8).toString("hex"), this.#count.toString(16).padStart(8, "0")];
    const secret = hash(`${this.#user}:${realm}:${this.#password}`);
    const whose = isSession ? hash(`${secret}:${nonce}:${cnonce}`) : secret;
    const what = hash([method, uri, ...(qop === "auth-int" ? [hash("")] : [])].join(":"));
    const quoted: Record<string, string | undefined> = {
      username: this.#user,
      realm,
      nonce,
      uri,
      response: hash([whose, nonce, ...(qop ? [nc, cnonce, qop] : []), what].join(":")),
      opaque: parameters.get("opaque"),
      cnonce: qop || isSession ? cnonce : undefined,
    };
    const plain = { algorithm: parameters.get("algorithm"), qop, nc: qop && nc };
    return `Digest ${[
      ...Object.entries(quoted).map(
        ([key, value]) => value !== undefined && `${key}="${value.replace(/["\\]/g, "\\$&")}"`,
      ),
      ...Object.entries(plain).map(([key, value]) => value !== undefined && `${key}=${value}`),
    ]
      .filter(Boolean)
      .join(", ")}`;
  }
}

/** Decodes percent-encoding. Returns the bytes in UTF-8 as headers have them. */
function decoded(text: string): string {
  const bytes = Buffer.from(text).toString("latin1");
  return bytes.replace(/%([\da-f]{2})/gi, (_found, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

function algorithmOf(parameters: Challenge["parameters"]): { name: string; isSession: boolean } {
  const written = parameters.get("algorithm")?.toUpperCase() ?? "MD5";
  return { name: written.replace(/-SESS$/, ""), isSession: written.endsWith("-SESS") };
}

/** A scheme, or the name and value of a parameter of the scheme before it. */
const part = /([^\s,="]+)(\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s,]*)))?/g;

/** Reads a header WWW-Authenticate, which may hold several challenges. */
function parseChallenges(header: string): Challenge[] {
  const challenges: Challenge[] = [];
  for (const [, name = "", isParameter, quoted, plain = ""] of header.matchAll(part)) {
    if (isParameter === undefined) challenges.push({ scheme: name.toLowerCase(), parameters: new Map() });
    else challenges.at(-1)?.parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, "$1") ?? plain);
  }
  return challenges;
}
