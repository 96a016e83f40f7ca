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
import type { Logger } from "../platform/telemetry/log.js";

const name = "camera-monitoring-gateway";
/** How long a batch may take to be exported; also how long closing waits. */
const timeoutMs = 5_000;
/** Failures are logged at most this often. */
const logIntervalMs = 60_000;

const failure = "traces could not be exported";

/** What records spans, and how to stop. */
export interface TraceExport {
  tracer: Tracer;
  propagator: TextMapPropagator;
  /** Exports what is left. */
  close(): Promise<void>;
}

/**
 * Exports spans in batches to an OpenTelemetry collector, as JSON over HTTP: those of so
 * many of the traces that begin here, and of the others as their callers have decided.
 * Headers for the collector and the name of the service are read by the SDK itself, from
 * OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
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
    // What does not fit into the queue is dropped.
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: timeoutMs })],
  });
  const close = () => provider.shutdown().catch((error) => log.warn({ err: error }, failure));
  return { tracer: provider.getTracer(name), propagator: new W3CTraceContextPropagator(), close };
}

/**
 * The SDK itself tells of failures only through a listener of the whole process, and by
 * failing to shut down.
 */
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
