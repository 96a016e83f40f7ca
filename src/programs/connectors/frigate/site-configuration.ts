import { type FrigateClient, FrigateError } from "./frigate-client.js";
import { camerasOfConfig, type FrigateCamera } from "./frigate-site.js";

const refreshMs = 5 * 60_000;
/** The least time between two requests, also while Frigate does not respond. */
const minRefreshMs = 30_000;

/** Frigate's configuration, read again now and then, and when it names what is unknown. */
export class SiteConfiguration {
  readonly #client: FrigateClient;
  #cameras: ReadonlyMap<string, FrigateCamera> = new Map();
  #askedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | null = null;

  constructor(client: FrigateClient) {
    this.#client = client;
  }

  /**
   * What is configured for a camera, with the zones of a review if they can be had; null if that is unknown.
   * Frigate being away, what was known before.
   */
  async camera(name: string, zones: readonly string[] = []): Promise<FrigateCamera | null> {
    const known = this.#cameras.get(name);
    const isComplete = known !== undefined && zones.every((zone) => known.zones.has(zone));
    const age = performance.now() - this.#askedAt;
    if (age >= (isComplete ? refreshMs : minRefreshMs)) this.#loading ??= this.#tryToLoad();
    if (!isComplete) await this.#loading;
    return this.#cameras.get(name) ?? null;
  }

  /** All cameras; Frigate being away, those that were known before. */
  async cameras(): Promise<ReadonlyMap<string, FrigateCamera>> {
    if (performance.now() - this.#askedAt >= refreshMs) this.#loading ??= this.#tryToLoad();
    await this.#loading;
    return this.#cameras;
  }

  /** Reads the configuration, and fails if Frigate does not tell it. */
  async load(): Promise<ReadonlyMap<string, FrigateCamera>> {
    this.#askedAt = performance.now();
    const cameras = camerasOfConfig(await this.#client.json("/api/config"));
    if (!cameras) throw new FrigateError("Frigate's answer to /api/config names no cameras");
    this.#cameras = cameras;
    return cameras;
  }

  async #tryToLoad(): Promise<void> {
    try {
      await this.load();
    } catch (error) {
      if (!(error instanceof FrigateError)) throw error;
    } finally {
      this.#loading = null;
    }
  }
}
