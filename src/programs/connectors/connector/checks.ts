import { access, constants } from "node:fs/promises";
import path from "node:path";
import { tryBroker } from "./broker-connection.js";
import type { GatewayCamera } from "./cameras.js";
import type { Check, Connector } from "./connector.js";

/** Runs checks and prints what each has found. Returns whether all is well. */
export async function runChecks(checks: readonly Check[]): Promise<boolean> {
  const width = Math.max(...checks.map(({ name }) => name.length));
  let isWell = true;
  for (const { name, run } of checks) {
    const finding = await run().catch((error: Error) => {
      isWell = false;
      return `FAILED: ${error.message}`;
    });
    process.stdout.write(`${name.padEnd(width)}  ${finding}\n`);
  }
  return isWell;
}

/** What all connectors need: the gateway with its cameras, the broker, and a file for their state. */
export const sharedChecks = (
  { configuration, cameras }: Connector,
  permissions: readonly string[],
  topics: readonly string[],
): Check[] => [
  {
    name: "gateway",
    run: async () => {
      await cameras.load();
      const { list } = cameras;
      const scope = configuration.facility === undefined ? "" : ` at the facility ${configuration.facility}`;
      if (list.length === 0) throw new Error(`the API key sees no cameras${scope}`);
      const missing = missingPermissions(list, permissions);
      if (missing.length > 0) throw new Error(`the API key lacks ${missing.join(", ")}`);
      return `cameras${scope}: ${list.length}`;
    },
  },
  {
    name: "cameras",
    run: async () => {
      const unknown = Object.entries(configuration.cameras)
        .filter(([source]) => cameras.areLoaded && !cameras.find(source))
        .map(([source, target]) => `${source} → ${target}`);
      if (unknown.length > 0) throw new Error(`not one camera, but none or several: ${unknown.join(", ")}`);
      return `mapped to others: ${Object.keys(configuration.cameras).length}`;
    },
  },
  {
    name: "broker",
    run: async () => {
      await tryBroker(configuration.broker, topics);
      return `${configuration.broker.url}, ${topics.join(", ")}`;
    },
  },
  ...(configuration.stateFile === undefined ? [] : [stateCheck(configuration.stateFile)]),
];

const stateCheck = (file: string): Check => ({
  name: "state",
  run: async () => {
    const directory = path.resolve(path.dirname(file));
    // The file is replaced, so its directory has to be writable.
    await access(directory, constants.W_OK).catch(({ code }: NodeJS.ErrnoException) => {
      throw new Error(`the directory ${directory} cannot be written to: ${code}`);
    });
    return file;
  },
});

function missingPermissions(cameras: readonly GatewayCamera[], needed: readonly string[]): string[] {
  const facilities = new Map(cameras.map(({ facility }) => [facility.id, facility]));
  return [...facilities.values()].flatMap(({ name, viewerPermissions }) =>
    needed
      .filter((permission) => !viewerPermissions.includes(permission))
      .map((permission) => `${permission} at ${name}`),
  );
}
