import { execFile, spawn } from "node:child_process";
import { existsSync, statfsSync } from "node:fs";
import { cp, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { closeDatabase, createDatabase, dropDatabases } from "./databases.js";
import { briefProcess, builtCommand, testSecrets } from "./environment.js";
import { scanLog, takeLeaks } from "./log-scan.js";
import { databaseOf, directoryOf, firstStartOutput, type Resource, type TestResources } from "./resources.js";

const run = promisify(execFile);
const fileBeside = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** What the projects that test on one kind of database share. */
interface SharedResources {
  resources: TestResources;
  remove: () => Promise<void>;
}

/** Each project loads this module separately, but all share one build, and templates by their kind of database. */
const inAllProjects = globalThis as {
  gatewayBuild?: Promise<void>;
  testResources?: Map<string, Promise<SharedResources>>;
};

/**
 * Gives a project the resources that its tests need. In the end, removes them with all
 * remaining copies.
 */
export default async function offerResources(project: TestProject): Promise<() => Promise<void>> {
  inAllProjects.testResources ??= new Map();
  const kind = project.name.replace("slow-", "");
  const shared = inAllProjects.testResources.get(kind) ?? openResources(kind);
  inAllProjects.testResources.set(kind, shared);
  const { resources, remove } = await shared;
  project.provide("resources", resources);
  return async () => {
    // All projects end at once.
    if (!inAllProjects.testResources?.delete(kind)) return;
    await remove();
  };
}

/**
 * The directory for databases, each of which has 600 files. Creating them takes less than a
 * tenth of the time in memory, of which containers may have little.
 */
function directoryOfData(): string {
  const inMemory = "/dev/shm";
  if (!existsSync(inMemory)) return tmpdir();
  const { bavail, bsize } = statfsSync(inMemory);
  return bavail * bsize > 4e9 ? inMemory : tmpdir();
}

async function openResources(kind: string): Promise<SharedResources> {
  const directory = await mkdtemp(path.join(directoryOfData(), "gateway-test-"));
  const made = new Map<Resource, Promise<void>>();
  const make = (resource: Resource): Promise<void> => {
    const making = made.get(resource) ?? makers[resource]();
    made.set(resource, making);
    return making;
  };
  const makers: Record<Resource, () => Promise<void>> = {
    build: buildOnce,
    pages: async () =>
      void (
        pages.every((name) => existsSync(fileBeside(`../../dist/${name}/page.html`))) || (await make("build"))
      ),
    none: () => makeSchemaTemplate(resources),
    demo: async () => {
      await Promise.all([make("build"), make("none")]);
      await makeDemoTemplate(resources);
    },
  };
  const server = createServer((request, response) => {
    make(request.url?.slice(1) as Resource).then(
      () => response.end(),
      (error: Error) => response.writeHead(500).end(error.stack),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const resources: TestResources = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    directory,
  };
  const isCluster = kind === "citus";
  if (isCluster || kind === "postgresql") {
    const url = process.env[isCluster ? "TEST_CITUS_URL" : "TEST_DATABASE_URL"] as string;
    resources.server = { url, prefix: `gateway_test_${process.pid}_${Date.now().toString(36)}`, isCluster };
  }
  // Most files need it, once they are loaded. Who asks for it learns of a failure.
  make("none").catch(() => {});
  const remove = async () => {
    await Promise.allSettled(made.values());
    server.closeAllConnections();
    server.close();
    await run("rm", ["-rf", directory]);
    if (resources.server) await dropDatabases(resources.server);
  };
  return { resources, remove };
}

/** Whose pages are read when a gateway starts. */
const pages = ["console", "playground"];

function buildOnce(): Promise<void> {
  inAllProjects.gatewayBuild ??= run(process.execPath, [
    fileBeside("../../src/programs/commands/prepare.mjs"),
  ]).then(() => {});
  return inAllProjects.gatewayBuild;
}

async function makeSchemaTemplate({ directory, server }: TestResources): Promise<void> {
  const place = server ? await createDatabase(server, "none") : databaseOf(directory, "none");
  await mkdir(directoryOf(directory, "none"), { recursive: true });
  const parameters = [place, ...(server?.isCluster ? ["--distribute"] : [])];
  await run(process.execPath, [
    ...briefProcess,
    "--import",
    "tsx",
    fileBeside("schema-template.ts"),
    ...parameters,
  ]);
  if (server) await closeDatabase(server, "none");
}

/** Seeds a copy of the template without data, by the built gateway. */
async function makeDemoTemplate({ directory, server }: TestResources): Promise<void> {
  const environment: Record<string, string> = {
    ...testSecrets,
    CAMERA_FEED: "off",
    DATA_DIR: directoryOf(directory, "demo"),
    SEED: "demo",
    DEMO_LIVE: "off",
    PORT: "0",
    LOG_LEVEL: "info",
    SHUTDOWN_DELAY: "0",
  };
  if (server) environment.DATABASE_URL = await createDatabase(server, "demo", "none");
  else await cp(databaseOf(directory, "none"), databaseOf(directory, "demo"), { recursive: true });
  await writeFile(firstStartOutput(directory), await startAndStop(environment));
  if (server) await closeDatabase(server, "demo");
}

/** Starts the built gateway and stops it as soon as it is ready. Returns its output. */
async function startAndStop(environment: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, [...briefProcess, builtCommand("main")], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (text) => {
    output += text;
    if (output.includes("The gateway is ready")) child.kill("SIGTERM");
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`The gateway ended with ${code} while the demo was made`);
  scanLog(output);
  const leaks = takeLeaks();
  if (leaks.length > 0) throw new Error(`The gateway logged secrets or personal data: ${leaks.join("\n")}`);
  return output;
}
