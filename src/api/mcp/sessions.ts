import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Registry } from "prom-client";
import { z } from "zod";
import type { Caller } from "../../engine/access/permissions.js";
import { defined } from "../../platform/defined.js";
import { ServiceError } from "../../platform/errors/errors.js";
import { addGauge } from "../../platform/telemetry/gauge.js";
import { countRefusal } from "../../platform/telemetry/refusals.js";

const idleMs = 30 * 60_000;
const maxPerCaller = 100;
/** The maximum number of sessions that are known to one instance, and of ended ones. */
const maxKnown = 20_000;
const maxEnded = 10_000;
const maxClientLength = 100;

/** What a client said when it began, which holds for all of its calls. */
interface McpSession {
  /** The id of the user or API key. */
  readonly callerId: string;
  /** What the client calls itself. */
  readonly client: string;
  readonly protocolVersion: string;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
}

const signedContent = z.tuple([z.string(), z.string(), z.string(), z.number(), z.string()]);

/**
 * The sessions of assistants. The id of a session holds all there is to know of it, signed, so that clients may turn
 * from one instance to another: an instance takes over a session that it does not know during the first half hour. A
 * later one must be begun anew, as after half an hour without a call. A session gives no access: each request needs
 * credentials of the caller who began it.
 */
export class McpSessions {
  readonly #secrets: readonly string[];
  readonly #now: () => number;
  readonly #known: LRUCache<string, McpSession>;
  readonly #ended: LRUCache<string, true>;
  readonly #countByCaller = new Map<string, number>();

  /** The first secret signs the ids. All secrets verify them. */
  constructor({
    secrets,
    now,
    registry,
  }: {
    secrets: readonly string[];
    now: () => Date;
    registry: Registry;
  }) {
    this.#secrets = secrets;
    this.#now = () => now().getTime();
    const timing = { ttl: idleMs, perf: { now: this.#now }, ttlResolution: 0 };
    this.#known = new LRUCache({
      max: maxKnown,
      ...timing,
      updateAgeOnGet: true,
      dispose: ({ callerId }) => this.#count(callerId, -1),
    });
    this.#ended = new LRUCache({ max: maxEnded, ...timing });
    addGauge(
      registry,
      "gateway_mcp_sessions_open",
      "Sessions of assistants that this instance knows, with a call in the last half hour",
      () => {
        this.#known.purgeStale();
        return this.#known.size;
      },
    );
  }

  get size(): number {
    return this.#known.size;
  }

  /** Begins a session, and returns its id. RATE_LIMITED if the caller has too many. */
  open({ id: callerId }: Caller, client: string, protocolVersion: string): string {
    const session = {
      callerId,
      client: client.slice(0, maxClientLength),
      protocolVersion,
      startedAt: this.#now(),
    };
    const { startedAt } = session;
    const content = JSON.stringify([
      callerId,
      session.client,
      protocolVersion,
      startedAt,
      randomBytes(9).toString("base64url"),
    ]);
    const encoded = Buffer.from(content).toString("base64url");
    const id = `${encoded}.${signatureOf(encoded, defined(this.#secrets[0]))}`;
    this.#add(id, session);
    return id;
  }

  /** The session with an id. NOT_FOUND if it has ended, or is another caller's. */
  find(id: string, { id: callerId }: Caller): McpSession {
    const isOwn = this.#known.peek(id)?.callerId === callerId;
    const session = (isOwn ? this.#known.get(id) : undefined) ?? this.#takeOver(id, callerId);
    if (!session) throw unknownSession();
    return session;
  }

  end(id: string, caller: Caller): void {
    this.find(id, caller);
    this.#known.delete(id);
    this.#ended.set(id, true);
  }

  #takeOver(id: string, callerId: string): McpSession | undefined {
    if (this.#ended.has(id)) return undefined;
    const session = this.#read(id);
    if (!session || session.callerId !== callerId || session.startedAt + idleMs <= this.#now())
      return undefined;
    this.#add(id, session);
    return session;
  }

  #read(id: string): McpSession | undefined {
    // With anything appended, it would be the id of another session, which has not ended.
    const [encoded = "", ...rest] = id.split(".");
    const presented = Buffer.from(rest.join("."));
    const isSignedWith = (secret: string) => {
      const expected = Buffer.from(signatureOf(encoded, secret));
      return presented.length === expected.length && timingSafeEqual(presented, expected);
    };
    if (!this.#secrets.some(isSignedWith)) return undefined;
    const [callerId, client, protocolVersion, startedAt] = signedContent.parse(
      JSON.parse(Buffer.from(encoded, "base64url").toString()),
    );
    return { callerId, client, protocolVersion, startedAt };
  }

  #add(id: string, session: McpSession): void {
    const { callerId } = session;
    const isFull = () => (this.#countByCaller.get(callerId) ?? 0) >= maxPerCaller;
    if (isFull()) this.#known.purgeStale();
    if (isFull()) {
      countRefusal("assistants", "caller");
      throw new ServiceError(
        "RATE_LIMITED",
        `At most ${maxPerCaller} sessions of one caller may be open: end one by DELETE, or wait until one has been unused for half an hour`,
        { retryAfter: 60 },
      );
    }
    this.#count(callerId, 1);
    this.#known.set(id, session);
  }

  #count(callerId: string, change: number): void {
    const sum = (this.#countByCaller.get(callerId) ?? 0) + change;
    if (sum === 0) this.#countByCaller.delete(callerId);
    else this.#countByCaller.set(callerId, sum);
  }
}

const signatureOf = (encoded: string, secret: string): string =>
  createHmac("sha256", secret).update(`mcp session ${encoded}`).digest("base64url");

const unknownSession = () =>
  new ServiceError("NOT_FOUND", "There is no such session, or it has ended: initialize a new one");
