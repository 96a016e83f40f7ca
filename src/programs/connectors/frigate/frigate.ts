import { ConfigurationError } from "../connector/configuration.js";
import type { Connector, ConnectorProgram } from "../connector/connector.js";
import { frigateChecks } from "./frigate-checks.js";
import { type FrigateConfiguration, frigateConfiguration } from "./frigate-configuration.js";
import { startFrigate } from "./frigate-connector.js";
import { topicsBelow } from "./frigate-topics.js";

/** `connect:frigate`: the reviews of Frigate become alerts. */
export const frigateConnector: ConnectorProgram<FrigateConfiguration> = {
  kind: "FRIGATE",
  command: "connect:frigate",
  configuration: frigateConfiguration,
  options: { since: "<time>" },
  permissions: ["alerts:write", "cameras:write"],
  topicsOf: ({ frigate }) => topicsBelow(frigate.topicPrefix),
  checksOf: frigateChecks,
  start: (connector) => startFrigate(connector, sinceOf(connector)),
};

function sinceOf({ options: { since } }: Connector<FrigateConfiguration>): number | null {
  if (since === undefined) return null;
  // JavaScript reads other texts as dates as well: 5 as a day in May 2001.
  const time = /^\d{4}-\d\d-\d\d/.test(since) ? Date.parse(since) : Number.NaN;
  if (Number.isFinite(time) && time > 0 && time <= Date.now()) return time;
  throw new ConfigurationError(`--since ${since} is not a time of the past, such as 2026-11-27T06:00:00Z`);
}
