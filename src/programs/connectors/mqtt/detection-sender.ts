import { setTimeout as sleep } from "node:timers/promises";
import { ConnectorDetectionsDocument, type DetectionFrameInput } from "../../../generated/connectors.js";
import { defined } from "../../../platform/defined.js";
import { groupBy } from "../../../platform/group-by.js";
import type { Connector } from "../connector/connector.js";
import { GatewayError } from "../connector/gateway-client.js";
import { untilDone } from "../connector/retries.js";
import type { BufferedFrame, FrameBuffer } from "./frame-buffer.js";
import type { MqttMetrics } from "./mqtt-metrics.js";

/** How long frames are collected for a request. */
const batchMs = 200;
/** How often a request is repeated that makes the gateway fail by itself. */
const maxFailures = 5;

/**
 * Sends the frames of the buffer to the gateway in their order. Whatever makes a request fail: it is
 * repeated if that may pass, and otherwise made without the frames that are to blame.
 */
export class DetectionSender {
  readonly #connector: Connector;
  readonly #buffer: FrameBuffer;
  readonly #metrics: MqttMetrics;
  readonly #onCaughtUp: () => void;
  /** The refusals that were logged, so that each is logged once. */
  readonly #logged = new Set<string>();

  /** Calls `onCaughtUp` whenever all frames have been sent. */
  constructor(connector: Connector, buffer: FrameBuffer, metrics: MqttMetrics, onCaughtUp: () => void) {
    this.#connector = connector;
    this.#buffer = buffer;
    this.#metrics = metrics;
    this.#onCaughtUp = onCaughtUp;
  }

  /** Sends frames as they come, until the signal ends it. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#connector.cameras.whenLoaded(signal);
    while (!signal.aborted) {
      await this.#buffer.filled(signal);
      if (!this.#buffer.hasBatch) await sleep(batchMs, undefined, { signal }).catch(() => {});
      await this.#sendBatch(signal);
      if (this.#buffer.length === 0) this.#onCaughtUp();
    }
  }

  /** Sends what is left. Ends early when the signal says so, or the gateway does not answer. */
  async sendRest(signal: AbortSignal): Promise<void> {
    if (this.#buffer.length === 0 || !(await this.#loadCameras(signal))) return;
    while (this.#buffer.length > 0 && !signal.aborted) await this.#sendBatch(signal);
  }

  /** Whether the list of cameras is there, which may not have come before the stop. */
  async #loadCameras(signal: AbortSignal): Promise<boolean> {
    const { cameras } = this.#connector;
    try {
      if (!cameras.areLoaded) await cameras.load(signal);
      return true;
    } catch (error) {
      if (signal.aborted || error instanceof GatewayError) return false;
      throw error;
    }
  }

  async #sendBatch(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const batch = this.#buffer.take();
    try {
      await this.#record(this.#inputOf(batch), signal);
    } catch (error) {
      // What of it was sent is sent again, and changes nothing.
      this.#buffer.restore(batch);
      if (!signal.aborted) throw error;
    }
  }

  #inputOf(batch: readonly BufferedFrame[]): DetectionFrameInput[] {
    const input = batch.flatMap(({ camera, text }): DetectionFrameInput[] => {
      const found = this.#connector.cameras.find(camera);
      return found ? [{ cameraId: found.id, ...JSON.parse(text) }] : [];
    });
    const unknown = batch.length - input.length;
    if (unknown > 0) this.#metrics.frames("unknownCamera", unknown);
    return input;
  }

  async #record(input: DetectionFrameInput[], signal: AbortSignal): Promise<void> {
    if (input.length === 0) return;
    const { gateway, log } = this.#connector;
    const mayPass = (error: unknown, attempts: number) =>
      error instanceof GatewayError && error.mayPass && (error.code !== "INTERNAL" || attempts < maxFailures);
    try {
      const { recordDetections } = await untilDone(
        () => gateway.run(ConnectorDetectionsDocument, { input }, signal),
        { signal, log, what: "Detections", mayPass },
      );
      this.#metrics.frames("processed", recordDetections.processed);
      this.#metrics.frames("late", recordDetections.dropped);
      this.#metrics.alerts(recordDetections.alerts.length);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      for (const part of this.#withoutRefused(input, error)) await this.#record(part, signal);
    }
  }

  /** The parts of a refused request that are worth trying; the other frames are counted. */
  #withoutRefused(input: DetectionFrameInput[], error: GatewayError): DetectionFrameInput[][] {
    const blamed = new Map(
      error.details.flatMap(({ path, message }): [number, string][] => {
        const [, index] = /^input\.(\d+)(?:\.|$)/.exec(path) ?? [];
        return index === undefined ? [] : [[Number(index), `${path.replace(/\d+/g, "<n>")}: ${message}`]];
      }),
    );
    if (blamed.size > 0) {
      for (const [index, reason] of blamed) this.#refused([defined(input[index])], reason);
      return [input.filter((_, index) => !blamed.has(index))];
    }
    const byCamera = [...groupBy(input, ({ cameraId }) => cameraId).values()];
    if (byCamera.length > 1) return byCamera;
    // All frames of a camera are refused alike, unless it is for their pictures.
    const isForCamera =
      ["NOT_FOUND", "FORBIDDEN"].includes(error.code) && input.every(({ uploadId }) => !uploadId);
    if (input.length === 1 || isForCamera) {
      if (error.code === "NOT_FOUND") this.#connector.cameras.refreshSoon();
      this.#refused(input, `${error.code}: ${error.message}`);
      return [];
    }
    const half = Math.ceil(input.length / 2);
    return [input.slice(0, half), input.slice(half)];
  }

  #refused(frames: readonly DetectionFrameInput[], reason: string): void {
    this.#metrics.frames("refused", frames.length);
    if (this.#logged.has(reason) || this.#logged.size >= 100) return;
    this.#logged.add(reason);
    const { cameraId } = defined(frames[0]);
    this.#connector.log.warn({ cameraId }, `The gateway refuses frames: ${reason} (told once)`);
  }
}
