import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { migrateServer } from "../../src/engine/database/client.js";
import { createDatabase, dropDatabase } from "../support/databases.js";
import { eventually } from "../support/eventually.js";
import { addressOf, gatewaySettings, RunningCommand } from "../support/running-command.js";
import { unusedPort } from "../support/unused-port.js";
import { haproxyPath } from "./programs.js";

/** The configuration that is tested. */
export const configuration = "deployment/haproxy.cfg";

/**
 * Two gateways behind HAProxy, on one database and one directory for pictures, as
 * compose.yaml has them.
 */
export interface Site {
  proxy: string;
  gateways: [RunningCommand, RunningCommand];
  /** Starts a gateway on the port of one that has ended. */
  restart: (gateway: RunningCommand) => Promise<RunningCommand>;
  authorization: string;
  close: () => Promise<void>;
}

/** Starts a site on a separate database. */
export async function startSite(): Promise<Site> {
  const server = {
    url: process.env.TEST_DATABASE_URL as string,
    prefix: `gateway_test_${process.pid}`,
    isCluster: false,
  };
  const name = `proxy_${randomUUID().slice(0, 8)}`;
  const DATABASE_URL = await createDatabase(server, name);
  await migrateServer(DATABASE_URL);
  const parameters = [
    "--workspace",
    "Plant",
    "--auth-id",
    "idp|1",
    "--email",
    "one@plant.example",
    "--key",
    "First",
  ];
  const { output } = await new RunningCommand("commands/bootstrap", {
    environment: { DATABASE_URL },
    parameters,
  }).ended;
  const [key] = /cmk_[0-9a-f]{32}_[0-9a-f]{64}/.exec(output) as RegExpExecArray;
  const DATA_DIR = await mkdtemp(path.join(tmpdir(), ".gateway-data-"));
  const environment = gatewaySettings({
    DATABASE_URL,
    DATA_DIR,
    NODE_ENV: "production",
    TRUST_PROXY: "1",
    SHUTDOWN_DELAY: "5000",
  });
  const start = (port = "0") => new RunningCommand("main", { environment: { ...environment, PORT: port } });
  const [one, other] = [start(), start()];
  const gateways = [one, other];
  const [first, second] = (await Promise.all(gateways.map(addressOf))).map(
    (address) => new URL(address).host,
  ) as [string, string];
  const listen = `127.0.0.1:${await unusedPort()}`;
  const haproxy = spawn(haproxyPath, ["-f", configuration], {
    env: { LISTEN: listen, GATEWAY_1: first, GATEWAY_2: second },
    stdio: "pipe",
  });
  const said = text(haproxy.stderr);
  haproxy.stdout.resume();
  const proxy = `http://${listen}`;
  const isUp = eventually(
    () => fetch(`${proxy}/readyz`).catch(() => undefined),
    (answer) => answer?.status === 200,
  );
  await Promise.race([isUp, said.then((errors) => Promise.reject(new Error(`HAProxy ended: ${errors}`)))]);
  const restart = async (gateway: RunningCommand) => {
    const restarted = start(new URL(await addressOf(gateway)).port);
    gateways.push(restarted);
    await addressOf(restarted);
    return restarted;
  };
  const close = async () => {
    haproxy.kill();
    await said;
    await Promise.all(gateways.map((gateway) => gateway.kill()));
    await dropDatabase(server, name);
    await promisify(execFile)("rm", ["-rf", DATA_DIR]);
  };
  return { proxy, gateways: [one, other], restart, authorization: `Basic ${key}`, close };
}

/** Sends a request through the proxy. */
export const send = (site: Site, target: string, options: RequestInit = {}) =>
  fetch(site.proxy + target, {
    ...options,
    headers: { ...options.headers, authorization: site.authorization },
  });

/** Runs a GraphQL operation through the proxy. */
export async function graphql<Data>(site: Site, query: string, variables: object = {}): Promise<Data> {
  const body = JSON.stringify({ query, variables });
  const response = await send(site, "/graphql", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return ((await response.json()) as { data: Data }).data;
}
