import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { composeServices } from "@apollo/composition";
import { ApolloServer } from "@apollo/server";
import { startStandaloneServer } from "@apollo/server/standalone";
import { parse } from "graphql";
import { floorPlansSchema, floorPlansSdl } from "../graphql/floor-plans-subgraph.js";
import { eventually } from "../support/eventually.js";
import { createUser, createWorkspace } from "../support/factories.js";
import { authorizationOf, type Sender } from "../support/harness.js";
import { directoryForTest } from "../support/temporary-directory.js";
import { unusedPort } from "../support/unused-port.js";
import { documentSnippetsOfFile } from "./document-snippets.js";

const admin = { user: "demo|admin" };
/** Routers bring many packages, which are installed while a check runs. */
const timeout = 400_000;

const snippets = documentSnippetsOfFile({ environment: { FEDERATION: "on" } });
let cameras: { id: string; name: string; facility: { nodeId: string; name: string } }[];
let floors: ApolloServer;
let floorsUrl: string;
beforeAll(async () => {
  const query = "{ cameras { id name facility { nodeId name } } }";
  ({ cameras } = await snippets.ask<{ cameras: typeof cameras }>(query));
  floors = new ApolloServer({ schema: floorPlansSchema(cameras.map(({ id }) => id)) });
  ({ url: floorsUrl } = await startStandaloneServer(floors, { listen: { port: 0, host: "127.0.0.1" } }));
});
afterAll(() => floors.stop());

/** A directory with packages of the registry, which is removed after the running test. */
async function directoryWith(packages: readonly string[]): Promise<string> {
  const directory = await directoryForTest();
  await writeFile(path.join(directory, "package.json"), '{ "type": "module" }');
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts"];
  await promisify(execFile)("npm", ["install", ...quiet, ...packages], { cwd: directory });
  return directory;
}

/** Starts a router until the end of the running test, and waits until it answers. */
async function startRouter(
  url: string,
  parameters: string[],
  { directory, environment = {} }: { directory: string; environment?: NodeJS.ProcessEnv },
): Promise<void> {
  const env = { PATH: process.env.PATH, HOME: directory, ...environment };
  const child = spawn(process.execPath, parameters, { cwd: directory, env, stdio: "pipe" });
  const ended = once(child, "exit");
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`The router ended with ${child.exitCode}: ${said}`);
    return answers(url);
  }, Boolean);
}

const answers = async (url: string) =>
  (await send(url, "{ __typename }", "nobody").catch(() => ({ data: undefined }))).data !== undefined;

async function send(url: string, query: string, as: Sender): Promise<{ data?: unknown; errors?: unknown[] }> {
  const authorization = await authorizationOf(as);
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(authorization && { authorization }) },
    body: JSON.stringify({ query }),
  });
  return (await response.json()) as { data?: unknown };
}

/** Checks that a router leads from each subgraph to the other, and back. */
async function checkRouter(url: string): Promise<void> {
  const fromFloors = "{ places { floor camera { name facility { name caretaker } } } }";
  expect(await send(url, fromFloors, admin)).toEqual({
    data: {
      places: cameras.map(({ name, facility }, index) => ({
        floor: index + 1,
        camera: { name, facility: { name: facility.name, caretaker: `Caretaker of ${facility.nodeId}` } },
      })),
    },
  });
  expect(await send(url, "{ cameras { name place { floor } } }", admin)).toEqual({
    data: { cameras: cameras.map(({ name }, index) => ({ name, place: { floor: index + 1 } })) },
  });
  // Of another workspace: the objects are there, and null is not their name.
  await createUser(snippets.gateway.prisma, {
    workspaceId: await createWorkspace(snippets.gateway.prisma),
    authId: `federation|${url}`,
    roles: ["cameras:write"],
  });
  const foreign = JSON.stringify(await send(url, fromFloors, { user: `federation|${url}` }));
  for (const { name, facility } of cameras)
    for (const hidden of [name, facility.name, facility.nodeId]) expect(foreign).not.toContain(hidden);
}

test("Apollo Gateway serves the gateway and another subgraph as one graph", { timeout }, async () => {
  const directory = await directoryWith([
    "@apollo/gateway@2.14.4",
    "@apollo/server@5.5.1",
    "graphql@16.15.0",
  ]);
  const port = await unusedPort();
  const program = (await snippets.read("router.js"))
    .replace("http://localhost:4001/", floorsUrl)
    .replace("4002", String(port));
  await writeFile(path.join(directory, "router.js"), program);
  const url = `http://localhost:${port}/`;
  await startRouter(url, ["router.js"], {
    directory,
    environment: { SCHEMA_AUTHORIZATION: await authorizationOf(admin) },
  });
  await checkRouter(url);
});

test("Hive Gateway serves them, too", { timeout }, async () => {
  const directory = await directoryWith(["@graphql-hive/gateway@2.15.1"]);
  const { _service } = await snippets.ask<{ _service: { sdl: string } }>("{ _service { sdl } }");
  const { supergraphSdl } = composeServices([
    { name: "cameras", url: `${snippets.gateway.url}/graphql`, typeDefs: parse(_service.sdl) },
    { name: "floors", url: floorsUrl, typeDefs: parse(floorPlansSdl) },
  ]);
  await writeFile(path.join(directory, "supergraph.graphql"), supergraphSdl as string);
  await writeFile(path.join(directory, "gateway.config.mjs"), await snippets.read("gateway.config.mjs"));
  const port = await unusedPort();
  await startRouter(
    `http://127.0.0.1:${port}/graphql`,
    ["node_modules/.bin/hive-gateway", "supergraph", "--host", "127.0.0.1", "--port", String(port)],
    { directory },
  );
  await checkRouter(`http://127.0.0.1:${port}/graphql`);
});
