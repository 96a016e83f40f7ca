import { Counter, type Registry } from "prom-client";
import { addGauge } from "../../../platform/telemetry/gauge.js";
import type { FrameBuffer } from "./frame-buffer.js";

/**
 * What became of a frame: the gateway processed it; it was not later than the camera's last one; it was refused; its
 * camera is not known; or the buffer was full.
 */
type FrameOutcome = "processed" | "late" | "refused" | "unknownCamera" | "overflow";

export class MqttMetrics {
  readonly #registry: Registry;
  readonly #messages: Counter<"source">;
  readonly #badMessages: Counter<"source" | "reason">;
  readonly #frames: Counter<"outcome">;
  readonly #leftOut: Counter;
  readonly #alerts: Counter;

  constructor(registry: Registry, sources: readonly string[]) {
    this.#registry = registry;
    const registers = [registry];
    this.#messages = new Counter({
      name: "connector_messages_total",
      help: "The messages received, by the topic of the source.",
      labelNames: ["source"],
      registers,
    });
    this.#badMessages = new Counter({
      name: "connector_bad_messages_total",
      help: "The messages that were of no use, by the topic of the source and the reason.",
      labelNames: ["source", "reason"],
      registers,
    });
    this.#frames = new Counter({
      name: "connector_frames_total",
      help: "The frames, by what became of them: processed, late (not later than the camera's last one), refused, unknownCamera, overflow (dropped from the full buffer).",
      labelNames: ["outcome"],
      registers,
    });
    this.#leftOut = new Counter({
      name: "connector_objects_left_out_total",
      help: "The objects that were left out of frames, such as those with a box outside.",
      registers,
    });
    this.#alerts = new Counter({
      name: "connector_alerts_total",
      help: "The alerts that the gateway raised from frames.",
      registers,
    });
    for (const source of sources) this.#messages.inc({ source }, 0);
  }

  watch(buffer: FrameBuffer): void {
    addGauge(
      this.#registry,
      "connector_buffered_frames",
      "The frames that wait, besides those of the request under way.",
      () => buffer.length,
    );
    addGauge(this.#registry, "connector_buffered_bytes", "What these frames take.", () => buffer.bytes);
  }

  message(source: string): void {
    this.#messages.inc({ source });
  }

  badMessage(source: string, reason: string): void {
    this.#badMessages.inc({ source, reason });
  }

  frames(outcome: FrameOutcome, count: number): void {
    this.#frames.inc({ outcome }, count);
  }

  leftOut(count: number): void {
    this.#leftOut.inc(count);
  }

  alerts(count: number): void {
    this.#alerts.inc(count);
  }
}
