import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { ConnectorCamerasDocument, type ConnectorCamerasQuery } from "../../../generated/connectors.js";
import { groupBy } from "../../../platform/group-by.js";
import type { Logger } from "../../../platform/telemetry/log.js";
import { type GatewayClient, GatewayError } from "./gateway-client.js";
import { untilDone } from "./retries.js";
import type { UnmappedSources } from "./unmapped-sources.js";

export type GatewayCamera = ConnectorCamerasQuery["cameras"][number];

const refreshMs = 5 * 60_000;
/** The least time between two refreshes because of a name that is not known. */
const earlyRefreshMs = 30_000;

interface CameraMapping {
  /** The names or ids at the gateway, by the names at the source. */
  cameras: Readonly<Record<string, string>>;
  /** The name or id of the only facility to look in. */
  facility?: string | undefined;
}

export class Cameras {
  readonly #gateway: GatewayClient;
  readonly #unmapped: UnmappedSources;
  readonly #targets: ReadonlyMap<string, string>;
  readonly #facility: string | undefined;
  #byId = new Map<string, GatewayCamera>();
  #byName = new Map<string, GatewayCamera[]>();
  #loadedAt = 0;
  #setLoaded: () => void = () => {};
  readonly #loaded = new Promise<void>((resolve) => {
    this.#setLoaded = resolve;
  });
  #wake: () => void = () => {};

  constructor(gateway: GatewayClient, { cameras, facility }: CameraMapping, unmapped: UnmappedSources) {
    this.#gateway = gateway;
    this.#unmapped = unmapped;
    this.#targets = new Map(Object.entries(cameras));
    this.#facility = facility;
  }

  get areLoaded(): boolean {
    return this.#loadedAt > 0;
  }

  /** Waits until the cameras have been read for the first time, or the signal ends it. */
  async whenLoaded(signal: AbortSignal): Promise<void> {
    if (!signal.aborted) await Promise.race([this.#loaded, once(signal, "abort")]);
  }

  get list(): GatewayCamera[] {
    return [...this.#byId.values()];
  }

  /** Reads the cameras from the gateway. */
  async load(signal?: AbortSignal): Promise<void> {
    const { cameras } = await this.#gateway.run(ConnectorCamerasDocument, {}, signal);
    const isChosen = ({ facility: { id, name } }: GatewayCamera) =>
      this.#facility === undefined || this.#facility === id || this.#facility === name;
    const chosen = cameras.filter(isChosen);
    this.#byId = new Map(chosen.map((camera) => [camera.id, camera]));
    this.#byName = groupBy(chosen, ({ name }) => name);
    this.#loadedAt = Date.now();
    this.#setLoaded();
  }

  /** Loads the cameras, again and again, until the signal ends it. */
  async keepFresh(signal: AbortSignal, log: Logger): Promise<void> {
    // Without the list, nothing can be done but to wait for a gateway that responds.
    const mayPass = (error: unknown) => error instanceof GatewayError;
    while (!signal.aborted) {
      await untilDone(() => this.load(signal), { signal, log, what: "The list of cameras", mayPass });
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      await sleep(refreshMs, undefined, { signal: AbortSignal.any([signal, woken.signal]) }).catch(() => {});
    }
  }

  /** Asks for a refresh soon, because something suggests that the cameras have changed. */
  refreshSoon(): void {
    if (Date.now() - this.#loadedAt >= earlyRefreshMs) this.#wake();
  }

  /** The camera that a source calls by a name; undefined if there is none or several. */
  lookUp(name: string): GatewayCamera | undefined {
    const [found, ...others] = this.#named(name);
    return others.length === 0 ? found : undefined;
  }

  /** Like {@link lookUp}, but a name that cannot be mapped is counted and logged. */
  find(name: string): GatewayCamera | undefined {
    const camera = this.lookUp(name);
    if (camera) {
      this.#unmapped.remove("CAMERA", name);
      return camera;
    }
    const isConfigured = this.#targets.has(name);
    const problem =
      this.#named(name).length > 0
        ? "several cameras have its name: configure `cameras` with an id, or `facility`"
        : `the API key sees no camera of this name${isConfigured ? ", to which `cameras` maps it" : ""}`;
    this.#unmapped.add("CAMERA", name, problem);
    this.refreshSoon();
    return undefined;
  }

  #named(name: string): GatewayCamera[] {
    const target = this.#targets.get(name) ?? name;
    const withId = this.#byId.get(target.toLowerCase());
    return this.#byName.get(target) ?? (withId ? [withId] : []);
  }
}
