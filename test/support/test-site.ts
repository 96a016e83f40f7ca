import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { onServer } from "./databases.js";
import { freshData, type Gateway, type GatewayOptions, gatewayOn } from "./harness.js";
import { addressOf, gatewaySettings, type RunningCommand, startCommand } from "./running-command.js";

/**
 * One database and one object store, on which gateways start one after the other or, on a
 * server, side by side.
 */
export class TestSite {
  private constructor(
    /** The settings that lead to it. */
    readonly variables: Record<string, string>,
    private readonly cleanUp: () => Promise<void>,
  ) {}

  static async open(): Promise<TestSite> {
    const { variables, cleanUp } = await freshData("none");
    return new TestSite(variables, cleanUp);
  }

  /** A site that is removed with the running test. */
  static async forTest(): Promise<TestSite> {
    const site = await TestSite.open();
    onTestFinished(() => site.remove());
    return site;
  }

  /** The DATA_DIR of the gateways. */
  get directory(): string {
    return this.variables.DATA_DIR as string;
  }

  /** Starts a gateway in this process. */
  start({ environment, ...options }: Omit<GatewayOptions, "seed"> = {}): Promise<Gateway> {
    return gatewayOn({ SEED: "none", ...this.variables, ...environment }, options);
  }

  /** Starts a gateway as a process that ends with the running test at the latest. */
  async startProcess(
    environment: Record<string, string> = {},
  ): Promise<{ process: RunningCommand; address: string }> {
    const process = startCommand("main", {
      environment: { ...gatewaySettings(this.variables), ...environment },
    });
    return { process, address: await addressOf(process) };
  }

  /** Runs a statement; on the embedded database no gateway may run meanwhile. */
  async query(sql: string): Promise<unknown[]> {
    if (this.variables.DATABASE_URL) return onServer(this.variables.DATABASE_URL, sql);
    const database = await PGlite.create(path.join(this.directory, "postgresql"));
    try {
      return (await database.query(sql)).rows;
    } finally {
      await database.close();
    }
  }

  /** Puts a picture into the object store and returns its key. */
  async storePicture(key: string): Promise<string> {
    await mkdir(path.dirname(this.#fileOf(key)), { recursive: true });
    await writeFile(this.#fileOf(key), "a picture");
    return key;
  }

  isStored(key: string): boolean {
    return existsSync(this.#fileOf(key));
  }

  /** To be called when all gateways are closed. */
  remove(): Promise<void> {
    return this.cleanUp();
  }

  #fileOf(key: string): string {
    return path.join(this.directory, "objects", key);
  }
}
