import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Detector } from "../detection/detector.js";
import { eventually } from "../support/eventually.js";
import { createApiKey } from "../support/factories.js";
import type { Gateway } from "../support/harness.js";
import { type RunningCommand, startCommand } from "../support/running-command.js";
import { MqttBroker } from "./mqtt-broker.js";

/** The metrics of a running connector: samples by name and labels. */
export type Samples = ReadonlyMap<string, number>;

/** A gateway's camera with an evaluated rule, a broker, and connectors between them. */
export class MqttSite {
  readonly directory = mkdtempSync(path.join(tmpdir(), "connector-"));

  private constructor(
    readonly detector: Detector,
    readonly broker: MqttBroker,
    readonly apiKey: string,
  ) {
    onTestFinished(() => rmSync(this.directory, { recursive: true }));
  }

  static async forTest(
    gateway: Gateway,
    broker: Parameters<typeof MqttBroker.forTest>[0] = {},
  ): Promise<MqttSite> {
    const detector = await Detector.open(gateway);
    const { key } = await createApiKey(gateway.prisma, {
      workspaceId: detector.workspaceId,
      permissions: ["facilities:read", "cameras:read", "alerts:write"],
    });
    return new MqttSite(detector, await MqttBroker.forTest(broker), key);
  }

  /** Writes a configuration with these settings beyond the usual ones. */
  configuration(settings: object = {}): string {
    const { gateway, cameraId } = this.detector;
    const configuration = {
      name: "test",
      gateway: { url: gateway.url, apiKey: { environment: "GATEWAY_API_KEY" } },
      broker: { url: this.broker.url },
      sources: [{ topic: "frames/+", format: "GATEWAY", camera: "$1" }],
      cameras: { yard: cameraId },
      metricsPort: 0,
      ...settings,
    };
    const file = path.join(this.directory, "config.json");
    writeFileSync(file, JSON.stringify(configuration));
    return file;
  }

  /** Runs the connector with parameters after its configuration. */
  run(settings: object = {}, ...parameters: string[]): RunningCommand {
    return startCommand("commands/connect-mqtt", {
      environment: { GATEWAY_API_KEY: this.apiKey, MQTT_PASSWORD: "right" },
      parameters: [this.configuration(settings), ...parameters],
    });
  }

  /** Starts the connector, and waits until it is connected to the broker. */
  async connect(settings: object = {}): Promise<RunningCommand> {
    const connector = this.run(settings);
    await connector.said(/Connected to the broker/);
    return connector;
  }

  /** Waits until a number of alerts has been raised. */
  alerts(count: number) {
    return eventually(
      () => this.detector.alerts(),
      (alerts) => alerts.length >= count,
    );
  }
}

/** The metrics of a connector. */
export async function samplesOf(connector: RunningCommand): Promise<Samples> {
  const [, url] = await connector.said(/Metrics are at (http:[^"]+)/);
  const text = await (await fetch(url as string)).text();
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(" ");
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

/** Waits until a metric of a connector has a value. */
export const eventuallyCounts = (connector: RunningCommand, sample: string, value: number) =>
  eventually(
    async () => (await samplesOf(connector)).get(sample) ?? 0,
    (found) => found >= value,
  );
