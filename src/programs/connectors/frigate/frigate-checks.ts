import { z } from "zod";
import { ConnectorFrigateAlertUploadDocument } from "../../../generated/connectors.js";
import type { Check, Connector } from "../connector/connector.js";
import { reasonOf } from "../connector/gateway-client.js";
import { FrigateError } from "./frigate-client.js";
import type { FrigateConfiguration } from "./frigate-configuration.js";
import { clientOf } from "./frigate-connector.js";
import { camerasOfConfig } from "./frigate-site.js";
import { isFrom } from "./frigate-version.js";

const checkMs = 10_000;

/** The first version that has reviews. */
const oldestVersion = [0, 14] as const;
/** The first version that tells the status of streams. */
const statusVersion = [0, 17] as const;

const site = z.object({
  mqtt: z.object({ enabled: z.boolean().catch(true), topic_prefix: z.string().catch("frigate") }),
  cameras: z.record(
    z.string(),
    z.object({ record: z.object({ enabled: z.boolean() }).catch({ enabled: true }) }),
  ),
});

/** What `--check` tries of Frigate: its version and login, its configuration, its cameras. */
export function frigateChecks({
  configuration,
  cameras,
  gateway,
  signal,
}: Connector<FrigateConfiguration>): readonly Check[] {
  const client = clientOf(configuration, signal);
  let config: unknown;
  return [
    {
      name: "frigate",
      run: async () => {
        const version = await client.version();
        if (!isFrom(version, ...oldestVersion))
          throw new Error(`Frigate ${version} is too old: ${oldestVersion.join(".")} or newer is needed`);
        config = await client.json("/api/config");
        const lacks = isFrom(version, ...statusVersion) ? "" : ", which does not tell the status of cameras";
        return `${configuration.frigate.url}, version ${version}${lacks}`;
      },
    },
    {
      name: "frigate's topics",
      run: async () => {
        const { mqtt } = settingsOf(config);
        if (!mqtt.enabled) throw new Error("mqtt is not enabled in Frigate's configuration");
        if (mqtt.topic_prefix === configuration.frigate.topicPrefix) return `${mqtt.topic_prefix}/…`;
        throw new Error(`Frigate publishes on ${mqtt.topic_prefix}/…: set frigate.topicPrefix`);
      },
    },
    {
      name: "frigate's cameras",
      run: async () => {
        const settings = settingsOf(config);
        const names = Object.keys(settings.cameras);
        const known = camerasOfConfig(config) ?? new Map();
        const mapped = names.filter((name) => cameras.lookUp(name));
        const silent = mapped.filter((name) => !settings.cameras[name]?.record.enabled || !known.has(name));
        if (mapped.length === 0) throw new Error(`none is known to the gateway: ${names.join(", ")}`);
        const others = names.filter((name) => !mapped.includes(name));
        return [
          `${mapped.join(", ")}`,
          ...(others.length > 0 ? [`not known to the gateway: ${others.join(", ")}`] : []),
          ...(silent.length > 0
            ? [`without reviews, since record is not enabled: ${silent.join(", ")}`]
            : []),
        ].join("; ");
      },
    },
    {
      name: "pictures",
      run: async () => {
        const [camera] = cameras.list;
        if (!camera) throw new Error("the API key sees no cameras");
        const { createAlertUpload } = await gateway.run(ConnectorFrigateAlertUploadDocument, {
          cameraId: camera.id,
        });
        const { origin } = new URL(createAlertUpload.url);
        // Any response shows that this can be reached.
        await fetch(origin, { signal: AbortSignal.timeout(checkMs), redirect: "manual" }).catch((error) => {
          throw new Error(
            `the gateway takes pictures at ${origin}, which cannot be reached: ${reasonOf(error)}; see its PUBLIC_URL`,
          );
        });
        return `to be uploaded to ${origin}`;
      },
    },
  ];
}

function settingsOf(config: unknown): z.infer<typeof site> {
  const { data } = site.safeParse(config);
  if (data) return data;
  throw new FrigateError("Frigate's configuration could not be read");
}
