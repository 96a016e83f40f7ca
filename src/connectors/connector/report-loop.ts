import { setTimeout as sleep } from "node:timers/promises";
import { ConnectorReportDocument } from "../../generated/connectors.js";
import { version } from "../../platform/version.js";
import type { Connector, ConnectorProgram } from "./connector.js";
import { GatewayError } from "./gateway-client.js";
import { untilDone } from "./retries.js";

const intervalMs = 60_000;

/**
 * Reports each minute that the connector runs and what it could not map, for the console
 * to show, until the signal ends it.
 */
export async function reportRegularly(
  kind: ConnectorProgram<never>["kind"],
  { configuration, gateway, unmapped, log }: Connector,
  signal: AbortSignal,
): Promise<void> {
  const report = () =>
    gateway.run(
      ConnectorReportDocument,
      { input: { name: configuration.name, kind, version, unmapped: unmapped.list() } },
      signal,
    );
  // Nothing else depends on reports, so that any refusal may be told and waited for.
  const mayPass = (error: unknown) => error instanceof GatewayError;
  while (!signal.aborted) {
    await untilDone(report, { signal, log, what: "The report to the gateway", mayPass });
    await sleep(intervalMs, undefined, { signal });
  }
}
