import type { LRUCache } from "lru-cache";
import type { Database } from "../database/client.js";
import type { EventHub } from "../events/event-hub.js";
import { ServiceError } from "../platform/errors.js";
import { LoaderStore } from "../platform/loader.js";
import type { Logger } from "../platform/log.js";
import type { PictureUploads } from "../storage/picture-uploads.js";
import type { SignedLinks } from "../storage/signed-link.js";
import { runAnnounced } from "./announced-transaction.js";
import { type AcceptedScheme, type Claim, type KnownCaller, loadCaller, memoryKeyOf, readClaim } from "./authenticate.js";
import { CallerProof, StaleCallerError } from "./caller-proof.js";
import type { TokenVerifier } from "./jwt.js";
import type { Caller } from "./permissions.js";
import type { RateLimits } from "./rate-limits.js";
import { VisibleRecords } from "./visibility.js";
import { WriteAccess } from "./write.js";

/** What lives as long as the gateway and is shared by all requests. */
export interface GatewayServices {
  database: Database;
  events: EventHub;
  links: SignedLinks;
  pictures: PictureUploads;
  verifyToken: TokenVerifier;
  rateLimits: RateLimits;
  /** Callers by their credentials as they were last seen; see {@link RequestContext.recognize}. */
  callers: LRUCache<string, KnownCaller>;
  log: Logger;
  now: () => Date;
  /** Says that something was written that is now to be gone on with in the background. */
  wakeWorkers: () => void;
  settings: FeatureSettings;
}

/** Settings that features read. Times are in seconds. */
export interface FeatureSettings {
  heartbeatTimeout: number;
  streamRequestTtl: number;
  maximumPageSize: number;
  maximumQueryCost: number;
  supportHashSecret: string;
  /** What `Alert.storageClass` says of pictures in the object store. */
  storageClass: string;
  /** Whether there is a feed server that stream requests are posted to. */
  hasFeedServer: boolean;
}

/** How a request arrived. */
export interface RequestOrigin {
  id: string;
  /** The client's address, for rate limits. */
  address: string;
  authorization: string | undefined;
}

interface Authenticated {
  caller: Caller;
  visible: VisibleRecords;
  /** Where the caller was remembered: whether that still holds. */
  proof?: CallerProof;
  /** Until when the credentials are good, in milliseconds since 1970. */
  expiresAt: number;
}

/** One request: who asks, what they may see, and what was read for them so far. */
export class RequestContext {
  readonly services: GatewayServices;
  readonly origin: RequestOrigin;
  readonly loaders = new LoaderStore();
  // Not `#private`: Apollo Server hands its plugins a copy of the context.
  private claim: Claim | undefined;
  private isCounted = false;
  private isStale = false;
  private authenticated: Authenticated | undefined;

  constructor(services: GatewayServices, origin: RequestOrigin) {
    this.services = services;
    this.origin = origin;
  }

  /** Reads the credentials as far as that costs no statement; who brings none, or bad ones, counts against the address. */
  async readClaim(accepted: AcceptedScheme = "any"): Promise<Claim> {
    try {
      this.claim ??= await readClaim(this.origin.authorization, accepted, this.services.verifyToken);
      return this.claim;
    } catch (error) {
      return this.refuse(error);
    }
  }

  /**
   * Finds out who asks, once. Nothing can be read before. A failure counts against the address, a success against the
   * caller. Whoever was let in by a signed link is named by a claim.
   */
  async authenticate(accepted: AcceptedScheme = "any", signed?: Claim): Promise<void> {
    if (this.authenticated) return;
    this.claim ??= signed;
    await this.loadCaller(accepted);
    await this.services.rateLimits.countCaller(this.caller.id);
  }

  /**
   * As {@link authenticate}, but whoever was here before is taken for who they were then, until the first statement of the
   * request has told whether that still holds. For what only reads, and runs within {@link proven}.
   */
  async recognize(accepted: AcceptedScheme = "any"): Promise<void> {
    if (this.authenticated) return;
    const { callers, database, now, rateLimits } = this.services;
    const key = memoryKeyOf(await this.readClaim(accepted));
    const remembered = key === undefined ? undefined : callers.get(key);
    if (!remembered || remembered.goodUntil <= now().getTime()) return this.authenticate(accepted);
    const proof = new CallerProof(remembered, database.read);
    const visible = new VisibleRecords(database, remembered.caller, proof);
    this.authenticated = { caller: remembered.caller, visible, proof, expiresAt: this.expiryOf(remembered) };
    await rateLimits.countCaller(remembered.caller.id);
  }

  /**
   * Finds out anew who a claim speaks of, for what nobody asks for just now, such as an event of a subscription: it counts
   * against nobody.
   */
  async recall(claim: Claim): Promise<void> {
    this.claim = claim;
    this.isCounted = true;
    await this.loadCaller("any");
  }

  /** Runs what only reads for a caller who was recognized, and runs it again when they turn out to have changed. */
  async proven<Result>(work: () => Promise<Result>): Promise<Result> {
    const outcome = await work().then(
      (value) => () => value,
      (error) => () => {
        throw error;
      },
    );
    if (await this.isProven()) return outcome();
    await this.loadCaller("any");
    this.loaders.clear();
    return work();
  }

  private async isProven(): Promise<boolean> {
    const proof = this.authenticated?.proof;
    if (!proof) return true;
    if (!proof.isRefuted) {
      await proof.demand().catch((error) => {
        if (!(error instanceof StaleCallerError)) throw error;
      });
    }
    return !proof.isRefuted;
  }

  private async loadCaller(accepted: AcceptedScheme): Promise<void> {
    const { callers, database, now } = this.services;
    const claim = await this.readClaim(accepted);
    const key = memoryKeyOf(claim);
    if (key !== undefined) callers.delete(key);
    const known = await loadCaller(database, claim, accepted, now()).catch((error) => this.refuse(error));
    if (key !== undefined) callers.set(key, known);
    this.authenticated = { caller: known.caller, visible: new VisibleRecords(database, known.caller), expiresAt: this.expiryOf(known) };
    this.isStale = false;
  }

  private expiryOf({ validUntil }: KnownCaller): number {
    return this.claim && "expiresAt" in this.claim ? Math.min(this.claim.expiresAt, validUntil) : validUntil;
  }

  /** Counts the request against its address, once. */
  async countStranger(): Promise<void> {
    if (this.isCounted) return;
    this.isCounted = true;
    await this.services.rateLimits.countAddress(this.origin.address);
  }

  private async refuse(error: unknown): Promise<never> {
    if (error instanceof ServiceError && error.code === "UNAUTHENTICATED") await this.countStranger();
    throw error;
  }

  /**
   * Runs one write in a transaction of its own. What it changed is seen by whatever follows in the same request: reads
   * start afresh, and what the caller may see and do is found out anew.
   */
  async write<Result>(work: (write: WriteAccess) => Promise<Result>): Promise<Result> {
    if (this.isStale) await this.loadCaller("any");
    await this.known.proof?.demand();
    const result = await runAnnounced(this.services, (transaction, announce) =>
      work(new WriteAccess(transaction, this.caller, this.services.now(), announce)),
    );
    this.loaders.clear();
    this.isStale = true;
    // What is committed is answered whatever happens now: the caller's own access may have ended, or the database gone away.
    await this.loadCaller("any").catch((error) => this.services.log.debug({ err: error }, "the caller could not be loaded again after a write"));
    return result;
  }

  /** Who asks. */
  get caller(): Caller {
    return this.known.caller;
  }

  /** Until when the caller's credentials are good, in milliseconds since 1970. */
  get expiresAt(): number {
    return this.known.expiresAt;
  }

  /** The database as the caller may see it. */
  get visible(): VisibleRecords {
    return this.known.visible;
  }

  private get known(): Authenticated {
    if (!this.authenticated) throw new Error("The caller was asked for before authentication");
    return this.authenticated;
  }
}
