import { LRUCache } from "lru-cache";

const maxRequests = 32;
const maxPerHost = 4;
const maxPerFailingHost = 1;
const maxPerWorkspace = 8;

interface Holder {
  workspaceId: string;
  host: string;
}

/** Slots for requests to targets. Neither a slow host nor a single workspace can take all of them. */
export class DeliverySlots {
  readonly #holders: Holder[] = [];
  readonly #failingHosts = new LRUCache<string, true>({ max: 10_000 });

  get areFull(): boolean {
    return this.#holders.length >= maxRequests;
  }

  get fullHosts(): string[] {
    return [...new Set(this.#holders.map(({ host }) => host))].filter((host) => this.#isFull(host));
  }

  leftFor(workspaceId: string): number {
    const taken = this.#holders.filter((holder) => holder.workspaceId === workspaceId).length;
    return Math.min(maxRequests - this.#holders.length, maxPerWorkspace - taken);
  }

  /** Takes a slot if one is free. */
  take({ workspaceId, host }: Holder): boolean {
    if (this.leftFor(workspaceId) <= 0 || this.#isFull(host)) return false;
    this.#holders.push({ workspaceId, host });
    return true;
  }

  free({ workspaceId, host }: Holder): void {
    const index = this.#holders.findIndex(
      (holder) => holder.workspaceId === workspaceId && holder.host === host,
    );
    this.#holders.splice(index, 1);
  }

  /** Remembers whether the last request to a host failed. A failing host gets one request at a time. */
  recordResult(host: string, isFailure: boolean): void {
    if (isFailure) this.#failingHosts.set(host, true);
    else this.#failingHosts.delete(host);
  }

  #isFull(host: string): boolean {
    const max = this.#failingHosts.has(host) ? maxPerFailingHost : maxPerHost;
    return this.#holders.filter((holder) => holder.host === host).length >= max;
  }
}
