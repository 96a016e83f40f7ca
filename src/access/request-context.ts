import type { Database } from "../database/client.js";
import { ServiceError } from "../platform/errors.js";
import { LoaderStore } from "../platform/loader.js";
import type { Logger } from "../platform/log.js";
import type { SignedLinks } from "../storage/signed-link.js";
import { type AcceptedScheme, authenticate } from "./authenticate.js";
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
  private hasWritten = false;
  private authenticated: { caller: Caller; visible: VisibleRecords } | undefined;

  constructor(services: GatewayServices, origin: RequestOrigin) {
    this.services = services;
    this.origin = origin;
  }

  /** Finds out who asks. Nothing can be read before. A failure counts against the address, a success against the caller. */
  async authenticate(accepted: AcceptedScheme = "any"): Promise<void> {
    const { database, rateLimits, verifyToken, now } = this.services;
    let caller: Caller;
    try {
      caller = await authenticate(this.origin.authorization, accepted, { prisma: database.prisma, verifyToken, now });
    } catch (error) {
      if (error instanceof ServiceError && error.code === "UNAUTHENTICATED") await rateLimits.countAddress(this.origin.address);
      throw error;
    }
    await rateLimits.countCaller(caller.id);
    this.authenticated = { caller, visible: new VisibleRecords(database.prisma, caller) };
  }

  /**
   * Runs one write in a transaction of its own. What it changed is seen by whatever follows in the same request: reads
   * start afresh, and the next write finds out anew what the caller may do.
   */
  async write<Result>(work: (write: WriteAccess) => Promise<Result>): Promise<Result> {
    const { database, now, verifyToken } = this.services;
    if (this.hasWritten) {
      const caller = await authenticate(this.origin.authorization, "any", { prisma: database.prisma, verifyToken, now });
      this.authenticated = { caller, visible: new VisibleRecords(database.prisma, caller) };
    }
    this.hasWritten = true;
    try {
      return await database.prisma.$transaction((transaction) => work(new WriteAccess(transaction, this.caller, now())), transactionLimits);
    } finally {
      this.loaders.clear();
    }
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
