import { Counter, type Registry } from "prom-client";
import { addGauge } from "../../../platform/telemetry/gauge.js";
import type { Outcome } from "./reviews/review-recorder.js";

export class FrigateMetrics {
  readonly #reviews: Counter<"outcome">;
  readonly #ignored: Counter;

  constructor(registry: Registry, settledUntil: () => number) {
    const registers = [registry];
    this.#reviews = new Counter({
      name: "connector_frigate_reviews_total",
      help: "Reviews of Frigate that are alerts, by what became of them. Those put off are met again.",
      labelNames: ["outcome"],
      registers,
    });
    this.#ignored = new Counter({
      name: "connector_frigate_ignored_messages_total",
      help: "Messages on Frigate's topics that are not as Frigate's are.",
      registers,
    });
    addGauge(
      registry,
      "connector_frigate_settled_until_seconds",
      "All that became an alert before this time is settled, in seconds since 1970 by Frigate's clock.",
      () => settledUntil() / 1000,
    );
  }

  reviewed(outcome: Outcome | "put_off"): void {
    this.#reviews.inc({ outcome });
  }

  ignored(): void {
    this.#ignored.inc();
  }
}
