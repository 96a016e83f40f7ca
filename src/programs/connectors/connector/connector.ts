import type { z } from "zod";
import type { DisposerStack } from "../../../platform/disposer-stack.js";
import type { Logger } from "../../../platform/telemetry/log.js";
import type { Cameras } from "./cameras.js";
import type { OptionValues } from "./command-line.js";
import type { SharedConfiguration } from "./configuration.js";
import type { GatewayClient } from "./gateway-client.js";
import type { ConnectorMetrics } from "./metrics.js";
import type { UnmappedSources } from "./unmapped-sources.js";

export interface Check {
  /** What is tried, such as “broker”. */
  name: string;
  /** Answers what was found, or throws what is wrong. */
  run: () => Promise<string>;
}

/** What is special about one kind of connector. */
export interface ConnectorProgram<Configuration extends SharedConfiguration> {
  kind: "FRIGATE" | "MQTT";
  command: string;
  configuration: z.ZodType<Configuration>;
  /** The options of this program alone, each with what stands for the value in the usage. */
  options?: Readonly<Record<string, string>>;
  /** The permissions that it needs at the facilities of its cameras. */
  permissions: readonly string[];
  /** The topics at the broker that it subscribes to. */
  topicsOf: (configuration: Configuration) => readonly string[];
  /** What `--check` tries besides the gateway and the broker. */
  checksOf?: (connector: Connector<Configuration>) => readonly Check[];
  /** Begins the work. What it opens, it leaves to the disposers. */
  start: (connector: Connector<Configuration>) => Promise<void>;
}

export interface Connector<Configuration extends SharedConfiguration = SharedConfiguration> {
  configuration: Configuration;
  /** The values of the program's own options. */
  options: OptionValues;
  log: Logger;
  gateway: GatewayClient;
  cameras: Cameras;
  unmapped: UnmappedSources;
  metrics: ConnectorMetrics;
  /** Whether to print what would be recorded, instead of recording it. */
  isDryRun: boolean;
  /** Aborts when the connector begins to stop. */
  signal: AbortSignal;
  /** Dispose of what was opened, the latest first, after the signal was aborted. */
  disposers: DisposerStack;
  /** Lets work run until the signal ends it. The program ends if it fails before. */
  inBackground: (work: (signal: AbortSignal) => Promise<void>) => void;
}
