import { Tracing } from "../platform/telemetry/tracing.js";
import type { Operations } from "./operations.js";
import type { Runtime } from "./runtime.js";

/**
 * Exports traces to the collector at OTEL_EXPORTER_OTLP_ENDPOINT; undefined without it.
 */
export async function openTracing(
  { environment, log, disposers }: Runtime,
  { names }: Operations,
): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: ratio } = environment;
  if (!endpoint) return undefined;
  // Load on demand: the SDK takes time to load, and memory.
  const { openTraceExport } = await import("./trace-export.js");
  const { tracer, propagator, close } = openTraceExport({ endpoint, ratio }, log);
  disposers.defer(close);
  return new Tracing({ tracer, propagator, operationName: (name) => names.of(name) });
}
