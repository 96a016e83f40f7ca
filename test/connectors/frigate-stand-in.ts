import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenForTest } from "../support/listening.js";
import { MqttBroker } from "./mqtt-broker.js";

/** A review as Frigate stores and tells it; times in seconds. */
export interface ReviewRow {
  id: string;
  camera: string;
  start_time: number;
  end_time: number | null;
  severity: "alert" | "detection";
  thumb_path: string;
  data: { detections: string[]; objects: string[]; sub_labels: string[]; zones: string[]; audio: string[] };
}

/** A tracked object; its box in pixels of the detect stream. */
export interface ObjectRow {
  id: string;
  camera: string;
  label: string;
  frame_time: number;
  start_time: number;
  end_time: number | null;
  box: [number, number, number, number];
  current_zones: string[];
  entered_zones: string[];
}

export const detectSize = { width: 1280, height: 720 };

const camera = (zones: object = {}) => ({
  detect: { ...detectSize, fps: 5, enabled: true },
  record: { enabled: true },
  review: { alerts: { labels: ["person", "car"] } },
  zones,
});

/**
 * Stands in for Frigate: an outside product, of which the tests know what it documents.
 * Its lists have the newest reviews first. Since 0.17 they go by the ends of reviews.
 */
export class FrigateStandIn {
  readonly reviews = new Map<string, ReviewRow>();
  readonly objects = new Map<string, ObjectRow>();
  /** The pictures of objects; a function answers each request anew. */
  readonly pictures = new Map<string, Buffer | (() => Buffer | null)>();
  /** Answers a request for the recording of a camera from one second to another; undefined if there is none. */
  recording: (camera: string, from: number, until: number) => Buffer | undefined = () => undefined;
  cameras: Record<string, ReturnType<typeof camera>> = {
    door: camera({ yard: { coordinates: "0,0,0.5,0,0.5,0.5", color: [1, 2, 3] } }),
    gate: camera(),
  };
  /** The requests in their order, such as `GET /api/version`. */
  readonly requests: string[] = [];
  version = "0.17.1-416a9b7";
  /** What its configuration says of its topics. */
  topicPrefix = "frigate";
  /** The reviews that somebody has looked at. */
  readonly lookedAt = new Set<string>();
  /** What it answers instead of a list of reviews. */
  reviewList: object | null = null;
  /** How far its clock is ahead of that of the connector. */
  clockAheadMs = 0;
  /** Whether nothing answers. */
  isAway = false;
  login: { user: string; password: string } | null = null;
  #lastTime = 0;
  #tokens = new Set<string>();
  #url = "";

  private constructor(readonly broker: MqttBroker) {}

  static async forTest(): Promise<FrigateStandIn> {
    const frigate = new FrigateStandIn(await MqttBroker.forTest());
    const server = createServer((request, response) => void frigate.#answer(request, response));
    frigate.#url = `http://127.0.0.1:${await listenForTest(server)}`;
    await frigate.announce();
    return frigate;
  }

  get url(): string {
    return this.#url;
  }

  /** Says that Frigate is there, as it does when it has connected to the broker. */
  announce(state: "online" | "offline" = "online"): Promise<void> {
    return this.broker.publish("frigate/available", state, { retain: true });
  }

  /** Lets no token be valid any more. */
  expireLogins(): void {
    this.#tokens.clear();
  }

  /** Stores a review, and tells it unless it is to be missed. */
  async review(values: Partial<ReviewRow> = {}, data: Partial<ReviewRow["data"]> = {}): Promise<ReviewRow> {
    const start = values.start_time ?? this.#time();
    const id = values.id ?? `${start.toFixed(6)}-${randomUUID().slice(0, 6)}`;
    const before = this.reviews.get(id);
    const row: ReviewRow = {
      ...{ id, camera: "door", start_time: start, end_time: null, severity: "alert", thumb_path: "" },
      ...before,
      ...values,
      data: {
        ...{ detections: [], objects: ["person"], sub_labels: [], zones: [], audio: [] },
        ...before?.data,
        ...data,
      },
    };
    this.reviews.set(id, row);
    await this.tell(row, before);
    return row;
  }

  /** Tells a review, as often as one likes. */
  tell(row: ReviewRow, before: ReviewRow = row): Promise<void> {
    const type = row.end_time !== null ? "end" : before === row ? "new" : "update";
    return this.broker.publish("frigate/reviews", { type, before, after: row });
  }

  /** Stores an object, and tells it. */
  async object(values: Partial<ObjectRow> = {}): Promise<ObjectRow> {
    const at = this.#time();
    const row: ObjectRow = {
      ...{ id: `${at.toFixed(6)}-${randomUUID().slice(0, 6)}`, camera: "door", label: "person" },
      ...{ frame_time: at, start_time: at, end_time: null, box: [100, 200, 200, 600] },
      ...{ current_zones: [], entered_zones: [] },
      ...values,
    };
    this.objects.set(row.id, row);
    await this.broker.publish("frigate/events", { type: "update", before: row, after: row });
    return row;
  }

  /** The time in seconds, each later than the last, so that what is told has an order. */
  #time(): number {
    this.#lastTime = Math.max(Date.now(), this.#lastTime + 1);
    return this.#lastTime / 1000;
  }

  status(camera: string, status: string): Promise<void> {
    return this.broker.publish(`frigate/${camera}/status/detect`, status);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.isAway) return void request.socket.destroy();
    const { pathname, searchParams } = new URL(request.url ?? "/", this.#url);
    this.requests.push(`${request.method} ${pathname}`);
    response.setHeader("date", new Date(Date.now() + this.clockAheadMs).toUTCString());
    if (pathname === "/api/login") return this.#logIn(request, response);
    const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
    if (this.login && !this.#tokens.has(token)) return void response.writeHead(401).end();
    const answer = this.#found(pathname, searchParams);
    if (Buffer.isBuffer(answer)) response.setHeader("content-type", "image/jpeg").end(answer);
    else if (typeof answer === "string") response.setHeader("content-type", "text/plain").end(answer);
    else
      response
        .writeHead(answer ? 200 : 404, { "content-type": "application/json" })
        .end(JSON.stringify(answer ?? { success: false, message: "Not found" }));
  }

  #found(pathname: string, query: URLSearchParams): Buffer | string | object | null {
    const [, camera = "", from, until] =
      /^\/api\/([^/]+)\/start\/([\d.]+)\/end\/([\d.]+)\/clip\.mp4$/.exec(pathname) ?? [];
    if (camera) return this.recording(camera, Number(from), Number(until)) ?? null;
    const [, id = "", file = ""] = /^\/api\/events\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
    if (file) return this.#pictureOf(decodeURIComponent(id), file, query);
    if (pathname === "/api/version") return this.version;
    if (pathname === "/api/config")
      return { mqtt: { enabled: true, topic_prefix: this.topicPrefix }, cameras: this.cameras };
    if (pathname === "/api/review") return this.reviewList ?? this.#reviewsBy(query);
    return pathname === "/api/event_ids" ? this.#objectsBy(query) : null;
  }

  async #logIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { user, password } = JSON.parse(Buffer.concat(chunks).toString()) as {
      user: string;
      password: string;
    };
    if (user !== this.login?.user || password !== this.login.password)
      return void response.writeHead(401).end('{"message":"Login failed"}');
    const token = `e30.${Buffer.from(randomUUID()).toString("base64url")}.c2ln`;
    this.#tokens.add(token);
    response.setHeader("set-cookie", `frigate_token=${token}; HttpOnly; Path=/; Max-Age=86400`).end();
  }

  #reviewsBy(query: URLSearchParams): ReviewRow[] {
    const number = (name: string) => Number(query.get(name) ?? Number.NaN);
    const now = Date.now() / 1000;
    const before = number("before") || now;
    const after = number("after") || now - 86_400;
    const isOld = /^0\.1[4-6]\./.test(this.version);
    const isUnseen = (query.get("reviewed") ?? (isOld ? "0" : "")) === "0";
    const isWithin = ({ start_time, end_time }: ReviewRow) =>
      isOld
        ? start_time > after && (end_time === null || end_time < before)
        : start_time < before && (end_time === null || end_time > after);
    return [...this.reviews.values()]
      .filter(({ severity }) => !query.has("severity") || severity === query.get("severity"))
      .filter((row) => isWithin(row) && !(isUnseen && this.lookedAt.has(row.id)))
      .sort((one, other) => other.start_time - one.start_time)
      .slice(0, number("limit") || undefined);
  }

  #objectsBy(query: URLSearchParams): object[] {
    const ids = (query.get("ids") ?? "").split(",");
    const { width, height } = detectSize;
    return ids.flatMap((id) => {
      const row = this.objects.get(id);
      if (!row) return [];
      const [left, top, right, bottom] = row.box;
      const box = [left / width, top / height, (right - left) / width, (bottom - top) / height];
      const { label, end_time, entered_zones: zones } = row;
      return [{ id, camera: row.camera, label, end_time, zones, data: { box, type: "object" } }];
    });
  }

  /** Boxes are drawn unless they are declined; only what has ended has a clean copy. */
  #pictureOf(id: string, file: string, query: URLSearchParams): Buffer | null {
    const picture = this.pictures.get(id);
    const hasEnded = this.objects.get(id)?.end_time != null;
    const isClean = ["bbox", "timestamp", "crop"].every((name) => query.get(name) === "0");
    const isKnown = hasEnded ? file === "snapshot-clean.png" : file === "snapshot.jpg" && isClean;
    if (!picture || !isKnown) return null;
    return typeof picture === "function" ? picture() : picture;
  }
}
