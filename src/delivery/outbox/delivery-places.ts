import { LRUCache } from "lru-cache";

const maxRequests = 32;
const maxPerHost = 4;
const maxPerFailingHost = 1;
const maxPerWorkspace = 8;

/** The holder of a place. */
interface Holder {
  workspaceId: string;
  host: string;
}

/**
 * Places for requests to targets. Neither a slow host nor a single workspace can take all
 * of them.
 */
export class DeliveryPlaces {
  #taken = 0;
  readonly #byHost = new Map<string, number>();
  readonly #byWorkspace = new Map<string, number>();
  readonly #failingHosts = new LRUCache<string, true>({ max: 10_000 });

  get areFull(): boolean {
    return this.#taken >= maxRequests;
  }

  /** The hosts without a free place. */
  get fullHosts(): string[] {
    return [...this.#byHost].filter(([host, taken]) => taken >= this.#maxOf(host)).map(([host]) => host);
  }

  /** The number of free places for a workspace. */
  leftFor(workspaceId: string): number {
    return Math.min(maxRequests - this.#taken, maxPerWorkspace - (this.#byWorkspace.get(workspaceId) ?? 0));
  }

  /** Takes a place if one is free. */
  take({ workspaceId, host }: Holder): boolean {
    if (this.leftFor(workspaceId) <= 0 || (this.#byHost.get(host) ?? 0) >= this.#maxOf(host)) return false;
    this.#count({ workspaceId, host }, 1);
    return true;
  }

  free(holder: Holder): void {
    this.#count(holder, -1);
  }

  /**
   * Remembers whether the last request to a host failed. A failing host gets one request
   * at a time.
   */
  recordResult(host: string, isFailure: boolean): void {
    if (isFailure) this.#failingHosts.set(host, true);
    else this.#failingHosts.delete(host);
  }

  #maxOf(host: string): number {
    return this.#failingHosts.has(host) ? maxPerFailingHost : maxPerHost;
  }

  #count({ workspaceId, host }: Holder, change: 1 | -1): void {
    this.#taken += change;
    for (const [counts, key] of [[this.#byHost, host] as const, [this.#byWorkspace, workspaceId] as const]) {
      const count = (counts.get(key) ?? 0) + change;
      if (count > 0) counts.set(key, count);
      else counts.delete(key);
    }
  }
}
