import {
  ConnectorFrigateAlertClipDocument,
  ConnectorFrigateAlertUploadDocument,
  ConnectorFrigateClipUploadDocument,
} from "../../../../generated/connectors.js";
import { retryAfterMs } from "../../../../platform/network/retry-after.js";
import type { Logger } from "../../../../platform/telemetry/log.js";
import { type GatewayClient, GatewayError, reasonOf } from "../../connector/gateway-client.js";
import { AlertBatches } from "./alert-batches.js";
import type { ReviewAlert } from "./review-alert.js";

export interface AlertRecorder {
  /** Records an alert with its picture, if there is one. `known` if it is recorded already. */
  record(alert: ReviewAlert, picture: Buffer | null): Promise<"recorded" | "known">;
}

/** How files are uploaded, and the time that this may take: a site's uplink may be slow. */
const uploads = {
  PICTURE: { operation: ConnectorFrigateAlertUploadDocument, timeoutMs: 60_000 },
  CLIP: { operation: ConnectorFrigateClipUploadDocument, timeoutMs: 600_000 },
};

/** Nothing can be uploaded: their server, which may be another than the API's, may never be reached. */
export class UploadError extends Error {}

export class GatewayAlerts implements AlertRecorder {
  readonly #gateway: GatewayClient;
  readonly #log: Logger;
  readonly #stopped: AbortSignal;
  readonly #batches: AlertBatches;

  constructor(gateway: GatewayClient, log: Logger, stopped: AbortSignal) {
    this.#gateway = gateway;
    this.#log = log;
    this.#stopped = stopped;
    this.#batches = new AlertBatches(gateway, stopped);
  }

  async record(alert: ReviewAlert, picture: Buffer | null): Promise<"recorded" | "known"> {
    const uploadId = picture && (await this.#upload(alert.cameraId, picture, "PICTURE"));
    try {
      return await this.#batches.record({ ...alert, uploadId });
    } catch (error) {
      // Nobody else makes this id. What was known of the review was different then.
      if (error instanceof GatewayError && error.code === "CONFLICT") return "known";
      throw error;
    }
  }

  /** Adds a clip to an alert that is recorded. Returns false if the gateway does not take the clip. */
  async addClip(alertId: string, cameraId: string, clip: Buffer): Promise<boolean> {
    const uploadId = await this.#upload(cameraId, clip, "CLIP");
    if (uploadId === null) return false;
    try {
      await this.#gateway.run(ConnectorFrigateAlertClipDocument, { alertId, uploadId }, this.#stopped);
    } catch (error) {
      // The alert has a clip already.
      if (!(error instanceof GatewayError && error.code === "CONFLICT")) throw error;
    }
    return true;
  }

  /** The id of the upload of a file; null if the gateway does not take the file. */
  async #upload(cameraId: string, file: Buffer, kind: keyof typeof uploads): Promise<string | null> {
    const { operation, timeoutMs } = uploads[kind];
    const { createAlertUpload } = await this.#gateway.run(operation, { cameraId }, this.#stopped);
    const signal = AbortSignal.any([this.#stopped, AbortSignal.timeout(timeoutMs)]);
    let response: Response;
    try {
      response = await fetch(createAlertUpload.url, { method: "PUT", body: new Uint8Array(file), signal });
      await response.arrayBuffer();
    } catch (error) {
      this.#stopped.throwIfAborted();
      const { origin } = new URL(createAlertUpload.url);
      throw new UploadError(`A file cannot be uploaded to ${origin}: ${reasonOf(error)}`);
    }
    if (response.ok) return createAlertUpload.uploadId;
    if (response.status >= 500 || response.status === 429 || response.status === 408)
      throw new GatewayError(
        "UNAVAILABLE",
        `The upload of a file was answered by ${response.status}`,
        [],
        retryAfterMs(response.headers, new Date()),
      );
    this.#log.warn(
      { status: response.status, kind },
      "The gateway does not take a file; the alert goes without",
    );
    return null;
  }
}

export class PrintedAlerts implements AlertRecorder {
  async record(alert: ReviewAlert, picture: Buffer | null): Promise<"recorded"> {
    process.stdout.write(`${JSON.stringify({ ...alert, pictureBytes: picture?.length ?? 0 })}\n`);
    return "recorded";
  }
}
