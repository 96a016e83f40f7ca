import { ConnectorFrigateHeartbeatDocument } from "../../../generated/connectors.js";
import type { Logger } from "../../../platform/telemetry/log.js";
import { messageOf } from "../../../platform/thrown.js";
import type { Cameras } from "../connector/cameras.js";
import type { GatewayClient } from "../connector/gateway-client.js";

export class FacilityHeartbeats {
  readonly #gateway: GatewayClient;
  readonly #cameras: Cameras;
  readonly #log: Logger;
  readonly #stopped: AbortSignal;
  readonly #failing = new Set<string>();

  constructor(gateway: GatewayClient, cameras: Cameras, log: Logger, stopped: AbortSignal) {
    this.#gateway = gateway;
    this.#cameras = cameras;
    this.#log = log;
    this.#stopped = stopped;
  }

  /** Records that Frigate, with the cameras of these names, is there. */
  async beat(frigateCameras: Iterable<string>): Promise<void> {
    const facilities = new Map(
      [...frigateCameras].flatMap((name) => {
        const facility = this.#cameras.lookUp(name)?.facility;
        return facility ? [[facility.id, facility.name] as const] : [];
      }),
    );
    for (const [facilityId, name] of facilities) await this.#beatOne(facilityId, name);
  }

  /** A heartbeat that fails is not tried again: the next one follows in a minute. */
  async #beatOne(facilityId: string, name: string): Promise<void> {
    try {
      await this.#gateway.run(ConnectorFrigateHeartbeatDocument, { facilityId }, this.#stopped);
      this.#failing.delete(facilityId);
    } catch (error) {
      this.#stopped.throwIfAborted();
      if (!this.#failing.has(facilityId))
        this.#log.warn(`The heartbeat of ${name} cannot be recorded: ${messageOf(error)}`);
      this.#failing.add(facilityId);
    }
  }
}
