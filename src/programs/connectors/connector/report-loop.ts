import { setTimeout as sleep } from "node:timers/promises";
import { ConnectorReportDocument } from "../../../generated/connectors.js";
import { version } from "../../../platform/version.js";
import type { Connector, ConnectorProgram } from "./connector.js";
import { GatewayError } from "./gateway-client.js";
import { untilDone } from "./retries.js";

const intervalMs = 60_000;
/** How long names that are found one after the other are collected. */
const collectionMs = 2000;

/** Reports, for the console, that the connector runs: each minute, and soon after something could not be mapped. */
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
    // What is found while the report is on its way is in the next one.
    const found = unmapped.nextNew().then(() => sleep(collectionMs, undefined, { ref: false }));
    await untilDone(report, { signal, log, what: "The report to the gateway", mayPass });
    const waited = new AbortController();
    const interval = sleep(intervalMs, undefined, { signal: AbortSignal.any([signal, waited.signal]) });
    await Promise.race([interval, found]);
    waited.abort();
  }
}
