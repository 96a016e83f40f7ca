import { execFile, spawn } from "node:child_process";
import { appendFile, cp, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { PGlite } from "@electric-sql/pglite";
import type { TestProject } from "vitest/node";
import { closeDatabase, createDatabase, dropDatabases, type TestServer } from "./databases.js";
import { briefProcess, builtCommand, testSecrets } from "./environment.js";
import { scanLog, takeLeaks } from "./log-scan.js";

declare module "vitest" {
  export interface ProvidedContext {
    templates: Templates;
  }
}

/** Databases that tests start from as copies: one with nothing but the schema, one with the demo fleet. */
export interface Templates {
  directory: string;
  /** Where the copies of the server's templates are made; none for the embedded database. */
  server?: TestServer;
}

export type Seed = "none" | "demo";

/** Makes the templates of a project once, with the built gateway itself, and removes them and whatever copies are left. */
export default async function prepareTemplates(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(path.join(tmpdir(), "gateway-test-"));
  const templates: Templates = { directory };
  const isCluster = project.name === "citus";
  if (isCluster || project.name === "postgresql") {
    const url = process.env[isCluster ? "TEST_CITUS_URL" : "TEST_DATABASE_URL"] as string;
    templates.server = { url, prefix: `gateway_test_${process.pid}_${Date.now().toString(36)}`, isCluster };
  }
  const remove = async () => {
    await promisify(execFile)("rm", ["-rf", directory]);
    if (templates.server) await dropDatabases(templates.server);
  };
  try {
    await makeSchemaTemplate(templates);
    await makeDemoTemplate(templates);
  } catch (error) {
    await remove();
    throw error;
  }
  project.provide("templates", templates);
  return remove;
}

/** The output of the gateway's first start on an empty database that is to be seeded. */
export const firstStartOutput = (directory: string): string => path.join(directory, "first-start.txt");

const templateSettings = ({ directory }: Templates, seed: Seed): Record<string, string> => ({
  ...testSecrets,
  DATA_DIR: path.join(directory, seed),
  SEED: seed,
  DEMO_LIVE: "off",
  PORT: "0",
  LOG_LEVEL: "info",
  SHUTDOWN_DELAY: "0",
});

async function makeSchemaTemplate(templates: Templates): Promise<void> {
  const environment = templateSettings(templates, "none");
  if (templates.server) {
    environment.DATABASE_URL = await createDatabase(templates.server, "none");
    await run("commands/migrate", environment);
    if (templates.server.isCluster) await run("commands/distribute", environment);
    await closeDatabase(templates.server, "none");
    return;
  }
  await run("main", environment);
  await shrink(path.join(environment.DATA_DIR as string, "postgresql"));
}

/** Makes an embedded database cheaper to copy, to start and to remove. */
async function shrink(directory: string): Promise<void> {
  const database = await PGlite.create(directory);
  // Two thirds of the files belong to databases that only CREATE DATABASE would need.
  await database.exec("UPDATE pg_database SET datistemplate = false");
  for (const name of ["template0", "template1"]) await database.exec(`DROP DATABASE ${name}`);
  await database.close();
  // Every start clears the buffer cache. The default of 128 MB takes half of the start, and no test needs that much.
  await appendFile(path.join(directory, "postgresql.conf"), "\nshared_buffers = 16MB\n");
}

/** Seeds a copy of the template without data: creating an embedded database takes seconds. */
async function makeDemoTemplate(templates: Templates): Promise<void> {
  const environment = templateSettings(templates, "demo");
  if (templates.server) environment.DATABASE_URL = await createDatabase(templates.server, "demo", "none");
  else await cp(path.join(templates.directory, "none", "postgresql"), path.join(templates.directory, "demo", "postgresql"), { recursive: true });
  await writeFile(firstStartOutput(templates.directory), await run("main", environment));
  if (templates.server) await closeDatabase(templates.server, "demo");
}

/** Runs a built command and returns its output; the gateway is stopped as soon as it is ready. */
async function run(name: string, environment: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, [...briefProcess, builtCommand(name)], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (text) => {
    output += text;
    if (output.includes("The gateway is ready")) child.kill("SIGTERM");
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`${name} ended with ${code} while the test databases were made`);
  scanLog(output);
  const leaks = takeLeaks();
  if (leaks.length > 0) throw new Error(`${name} logged secrets or personal data: ${leaks.join("\n")}`);
  return output;
}
