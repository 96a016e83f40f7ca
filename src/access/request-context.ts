import type { Database } from "../database/client.js";
import { ServiceError } from "../platform/errors.js";
import { LoaderStore } from "../platform/loader.js";
import type { Logger } from "../platform/log.js";
import type { SignedLinks } from "../storage/signed-link.js";
import { type AcceptedScheme, type Claim, loadCaller, readClaim } from "./authenticate.js";
import type { TokenVerifier } from "./jwt.js";
import type { Caller } from "./permissions.js";
import type { RateLimits } from "./rate-limits.js";
import { VisibleRecords } from "./visibility.js";
import { WriteAccess } from "./write.js";

/** Milliseconds that a write may wait for its turn, and may take. */
const transactionLimits = { maxWait: 10_000, timeout: 20_000 };

/** What lives as long as the gateway and is shared by all requests. */
export interface GatewayServices {
  database: Database;
  links: SignedLinks;
  verifyToken: TokenVerifier;
  rateLimits: RateLimits;
  log: Logger;
  now: () => Date;
  /** Says that something was given up that is now to be purged in the background. */
  wakePurge: () => void;
  settings: FeatureSettings;
}

/** Settings that features read. Times are in seconds. */
export interface FeatureSettings {
  heartbeatTimeout: number;
  streamRequestTtl: number;
  maximumPageSize: number;
  maximumQueryCost: number;
  supportHashSecret: string;
}

/** How a request arrived. */
export interface RequestOrigin {
  id: string;
  /** The client's address, for rate limits. */
  address: string;
  authorization: string | undefined;
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
  private authenticated: { caller: Caller; visible: VisibleRecords } | undefined;

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

  /** Finds out who asks. Nothing can be read before. A failure counts against the address, a success against the caller. */
  async authenticate(accepted: AcceptedScheme = "any"): Promise<void> {
    const { database, rateLimits, now } = this.services;
    const claim = await this.readClaim(accepted);
    const caller = await loadCaller(database.prisma, claim, accepted, now()).catch((error) => this.refuse(error));
    await rateLimits.countCaller(caller.id);
    this.authenticated = { caller, visible: new VisibleRecords(database.prisma, caller) };
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
    const { database, now } = this.services;
    if (this.isStale) await this.reloadCaller();
    const result = await database.prisma.$transaction((transaction) => work(new WriteAccess(transaction, this.caller, now())), transactionLimits);
    this.loaders.clear();
    this.isStale = true;
    // What is committed is answered whatever happens now: the caller's own access may have ended, or the database gone away.
    await this.reloadCaller().catch((error) => this.services.log.debug({ err: error }, "the caller could not be loaded again after a write"));
    return result;
  }

  private async reloadCaller(): Promise<void> {
    const { database, now } = this.services;
    const caller = await loadCaller(database.prisma, await this.readClaim(), "any", now());
    this.authenticated = { caller, visible: new VisibleRecords(database.prisma, caller) };
    this.isStale = false;
  }

  /** Who asks. */
  get caller(): Caller {
    return this.proven.caller;
  }

  /** The database as the caller may see it. */
  get visible(): VisibleRecords {
    return this.proven.visible;
  }

  private get proven(): { caller: Caller; visible: VisibleRecords } {
    if (!this.authenticated) throw new Error("The caller was asked for before authentication");
    return this.authenticated;
  }
}
