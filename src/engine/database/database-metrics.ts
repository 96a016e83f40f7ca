import { Gauge, Histogram, type Registry } from "prom-client";
import { addGauge } from "../../platform/telemetry/gauge.js";

export interface ConnectionUsage {
  used: number;
  idle: number;
  /** The number of requests that wait for a connection. */
  waiting: number;
  max: number;
}

/** Creates the histogram of statement times. Returns the function that records a time, in milliseconds. */
export function statementTimes(registry: Registry): (milliseconds: number) => void {
  const histogram = new Histogram({
    name: "gateway_database_statement_duration_seconds",
    help: "Time from sending a statement to the database until its answer was there, including those that begin and end transactions",
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  return (milliseconds) => histogram.observe(milliseconds / 1000);
}

export function addConnectionMetrics(registry: Registry, usage: () => ConnectionUsage): void {
  const registers = [registry];
  new Gauge({
    name: "gateway_database_connections",
    help: "Open connections of the pool to the database, by whether they are in use",
    labelNames: ["state"],
    registers,
    collect() {
      const { used, idle } = usage();
      this.set({ state: "used" }, used);
      this.set({ state: "idle" }, idle);
    },
  });
  addGauge(
    registry,
    "gateway_database_connections_max",
    "How many connections the pool to the database may have",
    () => usage().max,
  );
  addGauge(
    registry,
    "gateway_database_connection_requests_waiting",
    "Statements and transactions that wait for a connection of the pool",
    () => usage().waiting,
  );
}
