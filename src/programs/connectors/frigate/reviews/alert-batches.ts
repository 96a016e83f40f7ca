import pLimit from "p-limit";
import { ConnectorFrigateAlertsDocument } from "../../../../generated/connectors.js";
import { type GatewayClient, GatewayError } from "../../connector/gateway-client.js";
import type { ReviewAlert } from "./review-alert.js";

/** An alert as the gateway takes it. */
type GivenAlert = ReviewAlert & { uploadId: string | null };

interface Waiting {
  alert: GivenAlert;
  resolve: (outcome: "recorded" | "known") => void;
  reject: (error: unknown) => void;
}

const maxBatch = 100;

/** Records alerts, one call at a time: what comes while one is under way goes together in the next. */
export class AlertBatches {
  readonly #gateway: GatewayClient;
  readonly #stopped: AbortSignal;
  readonly #waiting: Waiting[] = [];
  readonly #oneAtATime = pLimit(1);

  constructor(gateway: GatewayClient, stopped: AbortSignal) {
    this.#gateway = gateway;
    this.#stopped = stopped;
  }

  record(alert: GivenAlert): Promise<"recorded" | "known"> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ alert, resolve, reject });
      void this.#oneAtATime(() => this.#call(this.#waiting.splice(0, maxBatch)));
    });
  }

  async #call(batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 0) return;
    const alerts = batch.map(({ alert }) => alert);
    try {
      const { recordAlerts } = await this.#gateway.run(
        ConnectorFrigateAlertsDocument,
        { alerts },
        this.#stopped,
      );
      for (const [index, { resolve }] of batch.entries())
        resolve(index < recordAlerts.recorded ? "recorded" : "known");
    } catch (error) {
      // The gateway takes all of them or none. Those that it would take are not to wait.
      if (batch.length > 1 && isAboutAlerts(error)) for (const each of batch) await this.#call([each]);
      else for (const { reject } of batch) reject(error);
    }
  }
}

/** Whether an error may be about one of several alerts, and not about the call. */
const isAboutAlerts = (error: unknown): boolean => error instanceof GatewayError && !error.mayPass;
