import { EventEmitter, once } from "node:events";
import type { Socket } from "node:net";
import { Duplex, pipeline } from "node:stream";
import { FeedError } from "../feed-error.js";
import { CameraCredentials } from "./camera-credentials.js";
import { type RtspMessage, RtspMessages, writtenMessage } from "./rtsp-messages.js";

/** Cameras that close their connection after each response need one for each request. */
const maxConnections = 6;

/** The time in which a camera can end its session and the connection, in milliseconds. */
const leavingMs = 1_000;

interface RtspCameraOptions {
  /** Connects to the camera. Fails with {@link FeedError}. */
  connect: () => Promise<Socket>;
  /** The camera's user and password with the @ behind them; empty without. */
  userInfo: string;
  /** May change a response, or fail with {@link FeedError}. */
  judge: (response: RtspMessage, method?: string) => RtspMessage;
}

interface Request {
  message: RtspMessage;
  method: string;
  uri: string;
  /** How often the camera has asked for authentication. */
  challenges: number;
}

/**
 * A camera as ffmpeg sees it: one connection without authentication. The camera itself may close its connection after a
 * response, ask for Basic or Digest, and refuse OPTIONS. A camera that allows one session refuses others until an
 * abandoned one times out: ffprobe leaves without waiting for the response to its TEARDOWN, and a killed ffmpeg without
 * TEARDOWN. So this sends what is missing, and emits `close` only once the camera has ended the session.
 */
export class RtspCamera extends Duplex {
  readonly #options: RtspCameraOptions;
  readonly #requests = new RtspMessages((message) => this.#take(message));
  #credentials: CameraCredentials | undefined;
  #socket: Socket | undefined;
  #connections = 0;
  #request: Request | undefined;
  #hasResponded = false;
  /** Whether the camera has a session, which may end with its connection. */
  #isSetUp = false;
  #session = "";
  #isTornDown = false;
  /** The URL of the last request that was about all tracks. */
  #uri = "";
  #lastNumber = 0;
  /** Emits `change` when a request has been answered, and when the connection is lost. */
  readonly #progress = new EventEmitter();
  #leaving: Promise<void> | undefined;
  #sent = Promise.resolve();

  private constructor(options: RtspCameraOptions) {
    super();
    this.#options = options;
    this.#requests.on("data", (frames: Buffer) => this.#socket?.write(frames));
    this.#requests.on("error", (error) => this.destroy(error));
  }

  static async connect(options: RtspCameraOptions): Promise<RtspCamera> {
    const camera = new RtspCamera(options);
    await camera.#connect();
    return camera;
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#requests.write(bytes, () => {
      this.#sent.then(() => done(), done);
    });
  }

  override _final(done: (error?: Error) => void): void {
    this.#leave().then(() => done(), done);
  }

  override _read(): void {
    this.#socket?.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#leave().then(() => done(error), done);
  }

  /** Ends the session and the connection, which nobody reads any more. */
  #leave(): Promise<void> {
    this.#leaving ??= this.#endSession(AbortSignal.timeout(leavingMs))
      .catch((error) => {
        if (error.name !== "AbortError") throw error;
      })
      .finally(() => this.#socket?.destroy());
    return this.#leaving;
  }

  /** Fails if the signal aborts. */
  async #endSession(signal: AbortSignal): Promise<void> {
    const next = () => once(this.#progress, "change", { signal });
    this.#socket?.resume();
    while (this.#socket && this.#request?.method === "SETUP") await next();
    if (!this.#socket || !this.#isSetUp) return;
    if (!this.#isTornDown) this.#take(this.#teardown());
    while (this.#socket && this.#request?.method === "TEARDOWN") await next();
    this.#socket?.end();
    while (this.#socket) await next();
  }

  #teardown(): RtspMessage {
    const number = String(this.#lastNumber + 1);
    return {
      status: undefined,
      start: `TEARDOWN ${this.#uri} RTSP/1.0`,
      headers: [
        ["CSeq", number],
        ["Session", this.#session],
      ],
      body: "",
    };
  }

  async #connect(): Promise<Socket> {
    this.#connections += 1;
    const socket = await this.#options.connect();
    if (this.destroyed) socket.destroy();
    const { userInfo } = this.#options;
    // A challenge may hold for its connection alone, unless the camera closed it right after.
    if (userInfo !== "" && !this.#request?.challenges) this.#credentials = new CameraCredentials(userInfo);
    this.#socket = socket;
    this.#hasResponded = false;
    const responses = new RtspMessages((message) => this.#judge(message));
    responses.on("data", (bytes: Buffer) => {
      if (!this.#leaving && !this.push(bytes)) socket.pause();
    });
    pipeline(socket, responses, (error) => this.#lose(socket, error));
    return socket;
  }

  #take(message: RtspMessage): undefined {
    const [method = "", uri = ""] = message.start.split(" ");
    if (method !== "SETUP") this.#uri = uri;
    if (method === "TEARDOWN") this.#isTornDown = true;
    this.#lastNumber = Number(valuesOf(message, "cseq")[0] ?? this.#lastNumber);
    this.#send({ message, method, uri, challenges: 0 });
  }

  #send(request: Request): void {
    this.#request = request;
    this.#sent = this.#write(request);
    this.#sent.catch((error) => this.destroy(error));
  }

  async #write({ message, method, uri }: Request): Promise<void> {
    const socket = this.#socket ?? (await this.#connect());
    const proof = this.#credentials?.authorization(method, uri);
    const headers = [...message.headers];
    if (proof) headers.push(["Authorization", proof]);
    socket.write(writtenMessage({ ...message, headers }));
  }

  #judge(response: RtspMessage): RtspMessage | undefined {
    const request = this.#request;
    this.#hasResponded = true;
    if (response.status === undefined || !request) return this.#options.judge(response);
    if (response.status === 401 && this.#credentials) {
      const { isStale } = this.#credentials.challenge(valuesOf(response, "www-authenticate"));
      request.challenges += 1;
      if (request.challenges === 1 || (isStale && request.challenges === 2)) {
        this.#send(request);
        return undefined;
      }
    } else if (response.status >= 400 && request.method === "OPTIONS") return this.#skipOptions(request);
    this.#request = undefined;
    if (response.status === 200 && request.method === "SETUP") this.#beginSession(response);
    this.#progress.emit("change");
    // Nobody waits for it, and it says nothing of what failed before.
    if (this.#leaving) return undefined;
    // ffmpeg would ask again.
    if (response.status === 401 && !this.#isSetUp) throw new FeedError("UNAUTHORIZED");
    return this.#options.judge(response, request.method);
  }

  #beginSession(response: RtspMessage): void {
    const [value = ""] = valuesOf(response, "session");
    this.#isSetUp = true;
    this.#session = value.replace(/;.*/s, "");
  }

  /** The response in place of the camera's, which may know DESCRIBE all the same. */
  #skipOptions({ message }: Request): RtspMessage {
    this.#request = undefined;
    const headers = valuesOf(message, "cseq").map((value): [string, string] => ["CSeq", value]);
    return this.#options.judge({ status: 200, start: "RTSP/1.0 200 OK", headers, body: "" });
  }

  /** Goes on after the end of a connection, if a camera may have meant that only one request ends. */
  #lose(socket: Socket, error: Error | null | undefined): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    this.#progress.emit("change");
    const request = this.#request;
    if (this.#leaving) this.#end(undefined);
    else if (error instanceof FeedError || this.#isSetUp || this.#connections >= maxConnections)
      this.#end(error);
    else if (request?.method === "OPTIONS" && !request.challenges)
      this.push(writtenMessage(this.#skipOptions(request)));
    else if (request && this.#hasResponded) this.#send(request);
    else if (request) this.#end(error);
  }

  #end(error: Error | null | undefined): void {
    if (error) this.destroy(error);
    else this.push(null);
  }
}

const valuesOf = ({ headers }: RtspMessage, wanted: string): string[] =>
  headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
