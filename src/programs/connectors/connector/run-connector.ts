import { DisposerStack } from "../../../platform/disposer-stack.js";
import { createLog } from "../../../platform/telemetry/log.js";
import { messageOf } from "../../../platform/thrown.js";
import { version } from "../../../platform/version.js";
import { Cameras } from "./cameras.js";
import { runChecks, sharedChecks } from "./checks.js";
import { type CommandLine, readCommandLine } from "./command-line.js";
import {
  ConfigurationError,
  jsonSchemaOf,
  readConfiguration,
  type SharedConfiguration,
} from "./configuration.js";
import type { Connector, ConnectorProgram } from "./connector.js";
import { GatewayClient } from "./gateway-client.js";
import { ConnectorMetrics } from "./metrics.js";
import { reportRegularly } from "./report-loop.js";
import { UnmappedSources } from "./unmapped-sources.js";

/** Runs a connector as its command line says. Returns when it has stopped. */
export async function runConnector<Configuration extends SharedConfiguration>(
  program: ConnectorProgram<Configuration>,
): Promise<void> {
  try {
    const commandLine = readCommandLine(program.command, process.argv.slice(2), program.options);
    if (commandLine.action === "schema")
      return void process.stdout.write(jsonSchemaOf(program.configuration));
    const configuration = readConfiguration(program.configuration, commandLine.file);
    await operate(program, configuration, commandLine);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}

async function operate<Configuration extends SharedConfiguration>(
  program: ConnectorProgram<Configuration>,
  configuration: Configuration,
  { action, values }: CommandLine,
): Promise<void> {
  const isDryRun = action === "dryRun";
  const level = action === "check" ? "silent" : configuration.logLevel;
  // What would be recorded is on standard output alone, for other programs to read.
  const log = createLog(level, isDryRun ? process.stderr : undefined);
  const stop = new AbortController();
  const disposers = new DisposerStack();
  const metrics = new ConnectorMetrics(program.kind, configuration.name);
  const clientName = `connector-${program.kind.toLowerCase()}`;
  const gateway = new GatewayClient(configuration.gateway, clientName, (operation, outcome) =>
    metrics.called(operation, outcome),
  );
  const unmapped = new UnmappedSources(log);
  const cameras = new Cameras(gateway, configuration, unmapped);
  const connector: Connector<Configuration> = {
    configuration,
    options: values,
    log,
    gateway,
    cameras,
    unmapped,
    metrics,
    isDryRun,
    signal: stop.signal,
    disposers,
    inBackground: (work) => {
      work(stop.signal).catch((error: unknown) => {
        if (stop.signal.aborted) return;
        log.fatal(error, "The connector failed");
        process.exit(1);
      });
    },
  };
  if (action === "check") {
    const { permissions, topicsOf, checksOf } = program;
    const own = checksOf?.(connector) ?? [];
    const checks = [...sharedChecks(connector, permissions, topicsOf(configuration)), ...own];
    if (!(await runChecks(checks))) process.exitCode = 1;
    return;
  }
  const stopped = stopSignal();
  try {
    await openMetrics(connector);
    await program.start(connector);
    connector.inBackground((signal) => cameras.keepFresh(signal, log));
    if (!isDryRun) connector.inBackground((signal) => reportRegularly(program.kind, connector, signal));
    log.info({ connector: configuration.name, version }, "The connector has started");
    log.info(`${await stopped}: stopping`);
  } finally {
    stop.abort();
    await disposers.dispose();
  }
}

async function openMetrics({ configuration, metrics, disposers, log }: Connector): Promise<void> {
  const { metricsHost, metricsPort } = configuration;
  if (metricsPort === undefined) return;
  const { url, close } = await metrics
    .serve(metricsHost, metricsPort)
    .catch((error: NodeJS.ErrnoException) => {
      throw new ConfigurationError(
        `/metrics cannot be served on ${metricsHost}:${metricsPort}: ${error.code}`,
      );
    });
  disposers.defer(close);
  log.info(`Metrics are at ${url}`);
}

/** Signals within this time are the same wish: Ctrl-C comes from the terminal and from npm. */
const sameWishMs = 2_000;

/** The signal by which the program was told to stop. A later one ends it at once. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let signalledAt: number | undefined;
    for (const signal of ["SIGTERM", "SIGINT"] as const)
      process.on(signal, () => {
        signalledAt ??= performance.now();
        if (performance.now() > signalledAt + sameWishMs) process.exit(1);
        resolve(signal);
      });
  });
}
