import { LRUCache } from "lru-cache";
import { ConnectorFrigateCameraRulesDocument } from "../../../generated/connectors.js";
import type { GatewayClient } from "../connector/gateway-client.js";
import type { RuledCamera } from "./reviews/review-alert.js";

/** After this time, a changed rule counts. */
const freshMs = 60_000;
const maxCameras = 1000;

export class CameraRules {
  readonly #cameras: LRUCache<string, { camera: RuledCamera | null }>;

  constructor(gateway: GatewayClient, stopped: AbortSignal) {
    this.#cameras = new LRUCache({
      max: maxCameras,
      ttl: freshMs,
      fetchMethod: async (id: string) => ({ camera: await readCamera(gateway, id, stopped) }),
    });
  }

  /** A camera with its rules; null if the API key sees no camera with this id. */
  async of(id: string): Promise<RuledCamera | null> {
    return (await this.#cameras.fetch(id))?.camera ?? null;
  }

  forget(id: string): void {
    this.#cameras.delete(id);
  }
}

async function readCamera(
  gateway: GatewayClient,
  id: string,
  stopped: AbortSignal,
): Promise<RuledCamera | null> {
  const { camera } = await gateway.run(ConnectorFrigateCameraRulesDocument, { id }, stopped);
  if (!camera) return null;
  return {
    id,
    timeZoneId: camera.facility.timeZoneId,
    rules: camera.alertRules.map(({ timeRange, ...rule }) => {
      const [start, end] = (timeRange ?? []).map((at) => Date.parse(at));
      return { ...rule, timeRange: start === undefined || end === undefined ? null : { start, end } };
    }),
  };
}
