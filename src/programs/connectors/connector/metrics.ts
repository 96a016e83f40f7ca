import { once } from "node:events";
import { createServer } from "node:http";
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { listeningAddress } from "../../../platform/network/listening-address.js";
import { addGauge } from "../../../platform/telemetry/gauge.js";
import { version } from "../../../platform/version.js";

export class ConnectorMetrics {
  readonly registry = new Registry();
  readonly #calls = new Counter({
    name: "connector_gateway_calls_total",
    help: "Calls of the gateway's API, by operation and outcome: OK or the code of the error.",
    labelNames: ["operation", "outcome"],
    registers: [this.registry],
  });

  constructor(kind: string, name: string) {
    collectDefaultMetrics({ register: this.registry });
    new Gauge({
      name: "connector_info",
      help: "The connector and its version; always 1.",
      labelNames: ["kind", "name", "version"],
      registers: [this.registry],
    }).set({ kind, name, version }, 1);
  }

  called(operation: string, outcome: string): void {
    this.#calls.inc({ operation, outcome });
  }

  /** Shows whether there is a connection to the broker. */
  watchBroker(isConnected: () => boolean): void {
    addGauge(
      this.registry,
      "connector_broker_connected",
      "Whether there is a connection to the broker.",
      () => (isConnected() ? 1 : 0),
    );
  }

  /** Serves `/metrics`. Returns its URL, and how to stop. */
  async serve(host: string, port: number): Promise<{ url: string; close: () => void }> {
    const server = createServer(async ({ url, method }, response) => {
      response.setHeader("cache-control", "no-store");
      if (url !== "/metrics" || (method !== "GET" && method !== "HEAD")) {
        response.writeHead(url === "/metrics" ? 405 : 404).end();
        return;
      }
      response.setHeader("content-type", this.registry.contentType).end(await this.registry.metrics());
    });
    // Whoever asks for metrics comes again if a connection could not be accepted.
    server.on("error", () => undefined).listen(port, host);
    await once(server, "listening");
    const { address, port: actual, family } = listeningAddress(server);
    const close = () => {
      server.close();
      server.closeAllConnections();
    };
    return { url: `http://${family === "IPv6" ? `[${address}]` : address}:${actual}/metrics`, close };
  }
}
