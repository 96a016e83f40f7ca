import type { TextMapPropagator, Tracer } from "@opentelemetry/api";
import { ExportResultCode, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Logger } from "../../platform/telemetry/log.js";

const name = "camera-monitoring-gateway";
/** The time limit for exporting a batch, and for closing. */
const timeoutMs = 5_000;
/** The minimum time between two log lines about failures. */
const logIntervalMs = 60_000;

const failure = "traces could not be exported";

interface TraceExport {
  tracer: Tracer;
  propagator: TextMapPropagator;
  close(): Promise<void>;
}

/**
 * Exports spans in batches to an OpenTelemetry collector, as JSON over HTTP. `ratio` is the share of exported traces
 * among those that begin here; for others, their callers decide. The SDK itself reads the collector's headers and the
 * service name from OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
 */
export function openTraceExport(
  { endpoint, ratio }: { endpoint: string; ratio: number },
  log: Logger,
): TraceExport {
  const exporter = reportingFailures(
    new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: timeoutMs }),
    log,
  );
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": name }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    // The processor drops spans that do not fit into its queue.
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: timeoutMs })],
  });
  const close = () => provider.shutdown().catch((error) => log.warn({ err: error }, failure));
  return { tracer: provider.getTracer(name), propagator: new W3CTraceContextPropagator(), close };
}

/** Logs failures: the SDK reports them only through a process-wide listener, and by failing to shut down. */
function reportingFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let lost = 0;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.FAILED) {
          lost += spans.length;
          if (performance.now() - loggedAt >= logIntervalMs) {
            loggedAt = performance.now();
            log.warn({ err: result.error, spans: lost }, failure);
            lost = 0;
          }
        }
        done({ code: ExportResultCode.SUCCESS });
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
