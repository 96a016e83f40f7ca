import http, { type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import https from "node:https";
import { checkServerIdentity, type PeerCertificate, rootCertificates } from "node:tls";
import { responseTo } from "../../../platform/network/http-response.js";
import { codeOf, messageOf } from "../../../platform/thrown.js";

/** Where Frigate's HTTP API is, and how to log in; port 5000 asks for no login. */
interface FrigateAccess {
  url: string;
  username?: string | undefined;
  password?: string | undefined;
  /** Certificates to trust beside the system's, as PEM: those of Frigate may be its own. */
  certificates?: string | undefined;
}

/** Frigate does not respond, or not as it should. */
export class FrigateError extends Error {
  override name = "FrigateError";
}

/** What Frigate sends is larger than what is taken. */
export class AnswerTooLarge extends FrigateError {}

interface FrigateResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const maxJsonBytes = 32 * 1024 * 1024;
/** As large as the gateway takes pictures, unless it is configured otherwise. */
const maxPictureBytes = 10 * 1024 * 1024;
/** As large as the gateway takes clips, unless it is configured otherwise. */
const maxClipBytes = 50 * 1024 * 1024;
const timeoutMs = 30_000;
/** Frigate puts a clip together while it sends it. */
const clipTimeoutMs = 300_000;
/** The pause after a failed login: Frigate may lock out who tries often. */
const loginPauseMs = 10_000;

/** Frigate's HTTP API. Logs in when needed. Not by `fetch`, which cannot be told which certificates to trust. */
export class FrigateClient {
  readonly #access: FrigateAccess;
  readonly #stopped: AbortSignal;
  readonly #agent: http.Agent;
  #token: string | null = null;
  #login: Promise<string> | null = null;
  #clockAheadMs = 0;

  constructor(access: FrigateAccess, stopped: AbortSignal) {
    this.#access = access;
    this.#stopped = stopped;
    this.#agent = access.url.startsWith("https:")
      ? new https.Agent({ keepAlive: true, maxSockets: 8, ...trusting(access.certificates) })
      : new http.Agent({ keepAlive: true, maxSockets: 8 });
  }

  /** The time by Frigate's clock, as far as its responses have shown it. */
  now(): number {
    return Date.now() + this.#clockAheadMs;
  }

  async json(path: string, query: Record<string, string> = {}): Promise<unknown> {
    const { status, body } = await this.#get(`${path}?${new URLSearchParams(query)}`, maxJsonBytes);
    if (status !== 200) throw new FrigateError(`Frigate answers ${status} to ${path}`);
    try {
      return JSON.parse(body.toString("utf8"));
    } catch {
      throw new FrigateError(`Frigate's answer to ${path} is no JSON: is frigate.url right?`);
    }
  }

  async version(): Promise<string> {
    const { status, body } = await this.#get("/api/version", 1000);
    if (status !== 200) throw new FrigateError(`Frigate answers ${status} to /api/version`);
    return body.toString("utf8").trim();
  }

  /** A picture; null if there is none, or none yet. */
  async picture(path: string): Promise<Buffer | null> {
    const { status, headers, body } = await this.#get(path, maxPictureBytes);
    if (status === 200 && headers["content-type"]?.startsWith("image/") && body.length > 0) return body;
    if (status >= 500) throw new FrigateError(`Frigate answers ${status} to ${path}`);
    return null;
  }

  /** The recording of a time in milliseconds, as MP4; null if there is none, or none yet. */
  async clip(camera: string, { from, until }: { from: number; until: number }): Promise<Buffer | null> {
    const path = `/api/${encodeURIComponent(camera)}/start/${from / 1000}/end/${until / 1000}/clip.mp4`;
    const { status, body } = await this.#get(path, maxClipBytes, clipTimeoutMs);
    return status === 200 && body.length > 0 ? body : null;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #get(path: string, maxBytes: number, limitMs = timeoutMs): Promise<FrigateResponse> {
    const token = this.#access.username === undefined ? null : await this.#currentToken();
    const response = await this.#request("GET", path, { maxBytes, limitMs, token });
    if (!isLoggedOut(response)) return response;
    if (token === null)
      throw new FrigateError(
        "Frigate asks for a login: set frigate.username and frigate.password, or use its port 5000",
      );
    // The login has expired. Others may have noticed, and logged in again, before.
    if (this.#token === token) this.#token = null;
    const renewed = await this.#request("GET", path, {
      maxBytes,
      limitMs,
      token: await this.#currentToken(),
    });
    if (isLoggedOut(renewed)) throw new FrigateError("Frigate refuses the login it has just given");
    return renewed;
  }

  async #currentToken(): Promise<string> {
    if (this.#token !== null) return this.#token;
    this.#login ??= this.#logIn();
    return this.#login;
  }

  async #logIn(): Promise<string> {
    try {
      const { username: user, password } = this.#access;
      const response = await this.#request("POST", "/api/login", {
        maxBytes: 100_000,
        body: JSON.stringify({ user, password }),
      });
      const token = response.status === 200 ? tokenOf(response.headers) : null;
      if (token === null)
        throw new FrigateError(
          response.status === 401 || response.status === 400
            ? "Frigate refuses the login: frigate.username or frigate.password is wrong"
            : `Frigate answers ${response.status} to the login, without a token`,
        );
      this.#token = token;
      this.#login = null;
      return token;
    } catch (error) {
      setTimeout(() => {
        this.#login = null;
      }, loginPauseMs).unref();
      throw error;
    }
  }

  async #request(
    method: "GET" | "POST",
    path: string,
    {
      maxBytes,
      limitMs = timeoutMs,
      token,
      body,
    }: { maxBytes: number; limitMs?: number; token?: string | null; body?: string },
  ): Promise<FrigateResponse> {
    // Behind a proxy, Frigate may be below a path.
    const url = new URL(`${this.#access.url}${path}`);
    const signal = AbortSignal.any([this.#stopped, AbortSignal.timeout(limitMs)]);
    const headers = {
      accept: "*/*",
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    };
    try {
      const { request } = url.protocol === "https:" ? https : http;
      const message = await responseTo(request(url, { method, agent: this.#agent, headers, signal }), body);
      const response = {
        status: message.statusCode ?? 0,
        headers: message.headers,
        body: await bytesOf(message, maxBytes),
      };
      const date = Date.parse(message.headers.date ?? "");
      if (Number.isFinite(date)) this.#clockAheadMs = date - Date.now();
      return response;
    } catch (error) {
      this.#stopped.throwIfAborted();
      if (error instanceof FrigateError) throw error;
      const reason = signal.aborted ? "no answer" : messageOf(error) || codeOf(error);
      throw new FrigateError(`Frigate cannot be reached at ${url.origin}: ${reason}`, { cause: error });
    }
  }
}

/** Frigate's web server responds with 401, or shows the way to its page for logging in. */
const isLoggedOut = ({ status, headers }: FrigateResponse): boolean =>
  status === 401 || (status === 302 && Boolean(headers.location?.includes("/login")));

/** The token of a login, which comes as a cookie; what the cookie is called is configurable. */
function tokenOf(headers: IncomingHttpHeaders): string | null {
  const values = (headers["set-cookie"] ?? []).map((cookie) => /^[^=;]+=([^;]+)/.exec(cookie)?.[1]);
  return values.find((value) => value?.split(".").length === 3) ?? null;
}

async function bytesOf(message: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new AnswerTooLarge(`Frigate's answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Trusts certificates. One that is itself among them is trusted under any name: Frigate's own names no host. */
function trusting(certificates: string | undefined): https.AgentOptions {
  if (certificates === undefined) return {};
  const pinned = new Set(
    [...certificates.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g)].map(
      ([, body = ""]) => body.replace(/\s/g, ""),
    ),
  );
  return {
    ca: [...rootCertificates, certificates],
    checkServerIdentity: (host: string, certificate: PeerCertificate) =>
      pinned.has(certificate.raw.toString("base64")) ? undefined : checkServerIdentity(host, certificate),
  };
}
