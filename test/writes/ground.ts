import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { createApp } from "../../src/app.js";
import { readEnvironment } from "../../src/environment.js";
import { testSecrets } from "../support/environment.js";
import { freshData, Gateway, type GatewayOptions } from "../support/harness.js";

/** One database and one object store, on which gateways start one after the other or, on a server, side by side. */
export interface Ground {
  /** The DATA_DIR of the gateways. */
  directory: string;
  /** The settings that lead to it. */
  variables: Record<string, string>;
  start(options?: Pick<GatewayOptions, "environment" | "now">): Promise<Gateway>;
  /** Puts a picture into the object store and answers its key. */
  storePicture(key: string): Promise<string>;
  isStored(key: string): boolean;
  /** To be called when all gateways are closed. */
  remove(): Promise<void>;
}

export async function newGround(): Promise<Ground> {
  const { variables, cleanUp } = await freshData("none");
  const directory = variables.DATA_DIR as string;
  const fileOf = (key: string) => path.join(directory, "objects", key);
  return {
    directory,
    variables,
    start: async ({ environment, now } = {}) => {
      const settings = { ...testSecrets, SEED: "none", PORT: "0", LOG_LEVEL: "silent", RATE_LIMIT: "off", ...variables, ...environment };
      const statements: string[] = [];
      const app = await createApp(readEnvironment(settings), { ...(now && { now }), onStatement: (sql) => void statements.push(sql) });
      return new Gateway(app, statements, async () => {});
    },
    storePicture: async (key) => {
      await mkdir(path.dirname(fileOf(key)), { recursive: true });
      await writeFile(fileOf(key), "a picture");
      return key;
    },
    isStored: (key) => existsSync(fileOf(key)),
    remove: cleanUp,
  };
}
