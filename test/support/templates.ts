import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { builtCommand, testSecrets } from "./environment.js";

declare module "vitest" {
  export interface ProvidedContext {
    templates: Templates;
  }
}

/** Databases that tests start from as copies: one with nothing but the schema, one with the demo fleet. */
export interface Templates {
  directory: string;
  /** Where the copies of the server's templates are made; none for the embedded database. */
  server?: { url: string; prefix: string };
}

export type Seed = "none" | "demo";

/** Makes the templates of a project once, with the built gateway itself, and removes them and whatever copies are left. */
export default async function prepareTemplates(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(path.join(tmpdir(), "gateway-test-"));
  const templates: Templates = { directory };
  if (project.name === "postgresql") {
    const url = process.env.TEST_DATABASE_URL as string;
    templates.server = { url, prefix: `gateway_test_${process.pid}_${Date.now().toString(36)}` };
  }
  const remove = async () => {
    await rm(directory, { recursive: true, force: true });
    if (templates.server) await dropDatabases(templates.server);
  };
  try {
    await Promise.all((["none", "demo"] as const).map((seed) => makeTemplate(templates, seed)));
  } catch (error) {
    await remove();
    throw error;
  }
  project.provide("templates", templates);
  return remove;
}

async function makeTemplate({ directory, server }: Templates, seed: Seed): Promise<void> {
  const environment: Record<string, string> = {
    ...testSecrets,
    DATA_DIR: path.join(directory, seed),
    SEED: seed,
    PORT: "0",
    LOG_LEVEL: "warn",
    SHUTDOWN_DELAY: "0",
  };
  if (server) {
    environment.DATABASE_URL = await createDatabase(server, seed);
    await run("commands/migrate", environment);
  }
  await run("main", environment);
}

/** Runs a built command; the gateway is stopped as soon as it says that it is ready. */
async function run(name: string, environment: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [builtCommand(name)], { env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.on("data", (text) => {
    if (String(text).includes("The gateway is ready")) child.kill("SIGTERM");
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`${name} ended with ${code} while the test databases were made`);
}

/** Creates a database, as a copy of another where one is given, and answers its address. */
export async function createDatabase(server: { url: string; prefix: string }, name: string, template?: string): Promise<string> {
  const database = `${server.prefix}_${name}`;
  await onServer(server.url, `CREATE DATABASE "${database}"${template ? ` TEMPLATE "${server.prefix}_${template}"` : ""}`);
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  return url.href;
}

async function dropDatabases({ url, prefix }: { url: string; prefix: string }): Promise<void> {
  const names = await onServer(url, `SELECT datname FROM pg_database WHERE starts_with(datname, '${prefix}')`);
  for (const { datname } of names) await onServer(url, `DROP DATABASE "${datname}" WITH (FORCE)`);
}

/** Runs one statement on the server's maintenance connection. */
export async function onServer(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
