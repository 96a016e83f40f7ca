import { ConnectorFrigateCameraStatusDocument } from "../../../generated/connectors.js";
import type { Logger } from "../../../platform/telemetry/log.js";
import { messageOf } from "../../../platform/thrown.js";
import type { Cameras } from "../connector/cameras.js";
import type { GatewayClient } from "../connector/gateway-client.js";
import { type StreamStatus, statusDetails } from "./camera-statuses.js";
import type { Journal } from "./reviews/journal.js";

/** The pause after a status of a camera could not be reported. */
const pauseMs = 60_000;

interface ReportParts {
  gateway: GatewayClient;
  cameras: Cameras;
  journal: Journal;
  log: Logger;
  stopped: AbortSignal;
}

/** Reports to the gateway how the streams of cameras are, when that has changed. */
export class StatusReports {
  readonly #parts: ReportParts;
  readonly #pausedUntil = new Map<string, number>();
  readonly #logged = new Set<string>();

  constructor(parts: ReportParts) {
    this.#parts = parts;
  }

  /** Sends those of the settled statuses that were not reported yet. */
  async send(statuses: ReadonlyMap<string, StreamStatus>): Promise<void> {
    const { cameras, journal } = this.#parts;
    for (const [name, status] of statuses) {
      const id = cameras.lookUp(name)?.id;
      if (id === undefined || journal.reportedStatus(name, id) === status) continue;
      if (performance.now() >= (this.#pausedUntil.get(name) ?? 0)) await this.#sendOne(name, id, status);
    }
  }

  async #sendOne(name: string, id: string, status: StreamStatus): Promise<void> {
    const { gateway, journal, log, stopped } = this.#parts;
    try {
      await gateway.run(
        ConnectorFrigateCameraStatusDocument,
        { id, statusDetail: statusDetails[status] },
        stopped,
      );
      journal.recordStatus(name, id, status);
      this.#logged.delete(name);
      log.info({ camera: name, status: statusDetails[status] }, "A camera's status has changed");
    } catch (error) {
      stopped.throwIfAborted();
      this.#pausedUntil.set(name, performance.now() + pauseMs);
      if (!this.#logged.has(name))
        log.warn({ camera: name }, `The status of a camera cannot be told: ${messageOf(error)}`);
      this.#logged.add(name);
    }
  }
}
