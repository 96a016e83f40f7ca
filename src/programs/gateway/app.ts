import type { Database } from "../../engine/database/client.js";
import type { EventHub } from "../../engine/events/event-hub.js";
import { RequestMetrics } from "../../engine/http/monitoring/request-metrics.js";
import type { Environment } from "../../engine/settings/environment.js";
import { releaseAllObjects } from "../../engine/storage/object-removal.js";
import type { LiveLimits, LiveReaders } from "../../features/camera-feed/live/live-readers.js";
import type { RingHolder } from "../../features/camera-feed/ring/ring-holder.js";
import { DisposerStack } from "../../platform/disposer-stack.js";
import { createLog, type DestinationStream, type Logger } from "../../platform/telemetry/log.js";
import { Tracing } from "../../platform/telemetry/tracing.js";
import { version } from "../../platform/version.js";
import { createHttpApp } from "./http/http.js";
import { createHttpServer, drain, listen, publicUrlOf } from "./http/http-server.js";
import { openInfrastructure } from "./infrastructure.js";
import { createOperations, type Operations } from "./operations.js";
import type { Runtime } from "./runtime.js";
import { createServices } from "./services.js";
import { Shutdown } from "./shutdown.js";
import { addBackgroundWorkers } from "./workers/background-workers.js";
import { addCameraFeed } from "./workers/camera-feed.js";
import { addClips } from "./workers/clips.js";
import { addDeliveries } from "./workers/deliveries.js";
import { addLiveDetector, demoToken, demoUserOf, openDemoStream, seedDemoFleet } from "./workers/demo.js";
import { openLiveViews } from "./workers/live-views.js";
import { createSubscriptionServer } from "./workers/subscriptions.js";

/** Exports traces to the collector at OTEL_EXPORTER_OTLP_ENDPOINT; undefined without it. */
async function openTracing(
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

export interface AppOptions {
  now?: () => Date;
  onStatement?: (sql: string) => void;
  logDestination?: DestinationStream;
  /** Milliseconds that a client may take to answer when its socket is closed. */
  socketCloseTimeoutMs?: number;
  /** Limits of live views, and how often the access of their viewers is checked. */
  live?: Partial<LiveLimits> & { checkIntervalMs?: number };
}

export interface App {
  url: string;
  log: Logger;
  database: Database;
  /** The administrator of the demo fleet; undefined in production, and where there is no such fleet. */
  demoUser: string | undefined;
  /** Events emitted here reach every instance. */
  events: EventHub;
  idle(): Promise<void>;
  /**
   * Turns `/readyz` to 503, keeps serving for `shutdownDelay` milliseconds so that load balancers notice, waits for
   * requests in flight (15 seconds in all), and closes everything.
   */
  close(options?: { shutdownDelay?: number }): Promise<void>;
}

/** Starts a gateway. If any step fails, what was opened before it is closed again. */
export async function createApp(environment: Environment, options: AppOptions = {}): Promise<App> {
  const { now = () => new Date(), onStatement, logDestination, socketCloseTimeoutMs = 5_000 } = options;
  const log = createLog(environment.LOG_LEVEL, logDestination);
  const disposers = new DisposerStack();
  const shutdown = new Shutdown();
  const runtime: Runtime = { environment, log, now, shutdown, disposers };
  try {
    const operations = createOperations(environment);
    const tracing = await openTracing(runtime, operations);
    const infrastructure = await openInfrastructure(runtime, onStatement);
    const { database, events, workers } = infrastructure;
    await seedDemoFleet(runtime, infrastructure);

    const server = createHttpServer();
    const publicUrl = publicUrlOf(server, environment);
    let liveReaders: LiveReaders | undefined;
    let rings: RingHolder | undefined;
    const services = createServices(runtime, infrastructure, tracing, {
      publicUrl,
      newestFrame: (camera) => {
        const frame = liveReaders?.newestFrame(camera);
        const ring = rings?.find(camera);
        return frame && { ...frame, hasRing: ring?.span !== undefined };
      },
    });
    addBackgroundWorkers(runtime, infrastructure);
    await addDeliveries(runtime, infrastructure, services, publicUrl);
    const demoStream = await openDemoStream(runtime, infrastructure);
    const feed = await addCameraFeed(
      runtime,
      infrastructure,
      services,
      demoStream ? [demoStream.server.port] : [],
    );
    rings = feed?.rings;
    liveReaders = openLiveViews(runtime, infrastructure, rings, options.live);
    addClips(runtime, infrastructure, services, rings);
    await addLiveDetector(runtime, infrastructure, services, demoStream);

    const metrics = new RequestMetrics(infrastructure.registry, (name) => operations.names.of(name));
    const demoUser = await demoUserOf(environment, database);
    const initialToken = demoToken(runtime, database, demoUser);
    const app = await createHttpApp(
      runtime,
      infrastructure,
      services,
      {
        operations,
        metrics,
        initialToken,
        live: { readers: liveReaders, checkIntervalMs: options.live?.checkIntervalMs },
      },
      publicUrl,
    );
    const { sockets, subscriptionServer } = createSubscriptionServer(
      runtime,
      infrastructure,
      services,
      { documents: operations.documents, metrics, socketCloseTimeoutMs },
      app,
    );
    disposers.defer(() => Promise.all([drain(server, shutdown.remainingMs), sockets.close()]));

    // Reservations are left from an earlier run that crashed. Release them before the first request, which may add
    // valid ones.
    if (database.embedded) await releaseAllObjects(database.prisma, now());
    const url = await listen(server, environment, { app, subscriptionServer, shutdown, log });
    workers.wake();
    log.info({ version, url }, "the gateway is ready");
    return {
      url,
      log,
      database,
      demoUser,
      events,
      idle: () => workers.idle(),
      close: async ({ shutdownDelay = 0 } = {}) => {
        await shutdown.begin(shutdownDelay);
        await disposers.dispose();
      },
    };
  } catch (error) {
    await disposers
      .dispose()
      .catch((failure) => log.error({ err: failure }, "not everything could be closed after a failed start"));
    throw error;
  }
}
