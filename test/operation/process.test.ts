import { readdir } from "node:fs/promises";
import { Agent, request } from "node:http";
import pg from "pg";
import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { emptyServerDatabase } from "../database/fresh-database.js";
import { onServer } from "../support/databases.js";
import { eventually } from "../support/eventually.js";
import { createUser, createWorkspace } from "../support/factories.js";
import { dataForTest, freshData, type Gateway, gatewayForTest } from "../support/harness.js";
import {
  addressOf,
  gatewaySettings,
  RunningCommand,
  runCommand,
  startCommand,
} from "../support/running-command.js";
import { TestSite } from "../support/test-site.js";

const { server } = inject("resources");

async function startGatewayProcess(variables: Record<string, string>) {
  const gateway = startCommand("main", { environment: gatewaySettings(variables) });
  return { gateway, address: await addressOf(gateway) };
}

/** A running gateway for the tests that do not stop it. */
let running: { gateway: RunningCommand; address: string; variables: Record<string, string> };
beforeAll(async () => {
  const { variables, cleanUp } = await freshData("none");
  const gateway = new RunningCommand("main", { environment: gatewaySettings(variables) });
  running = { gateway, variables, address: await addressOf(gateway) };
  return async () => {
    await gateway.kill();
    await cleanUp();
  };
});

describe("the gateway as a process", () => {
  it("prints its links and how to get a token", async () => {
    const { gateway, address } = running;
    const shown = address.replace("127.0.0.1", "localhost");
    // The log is written in addition to the printed lines.
    await gateway.said(new RegExp(`"version":"${packageJson.version}"`));
    for (const link of [`${shown}/graphql`, `${shown}/healthz`, `${shown}/readyz`])
      expect(gateway.output).toContain(link);
    expect(gateway.output).toContain("npm run --silent token -- '<authId of a user>'");
    expect(gateway.output).not.toContain("demo");
    const [playground, health, readiness] = await Promise.all([
      fetch(`${address}/graphql`, { headers: { accept: "text/html" } }),
      fetch(`${address}/healthz`),
      fetch(`${address}/readyz`),
    ]);
    expect([playground, health, readiness].map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(playground?.headers.get("content-type")).toMatch(/^text\/html/);
  });

  it("states the end of support for Node.js 20 when running on it, and only then", async () => {
    const warning = /"level":"warn",.*Node\.js 20 is supported until 0\.4\.0/;
    if (process.version.startsWith("v20.")) await running.gateway.said(warning);
    else expect(running.gateway.output).not.toMatch(warning);
  });

  it.runIf(server)("restarts immediately after it was killed", async () => {
    const variables = await dataForTest();
    const first = await startGatewayProcess(variables);
    expect(await first.gateway.kill()).toMatchObject({ code: null });
    const second = await startGatewayProcess(variables);
    expect((await fetch(`${second.address}/readyz`)).status).toBe(200);
  });

  it("lets a pending request finish on SIGINT, restarts with the same data, does not mention its users in production, and exits with code 0 when stopped while idle", async () => {
    const variables = await dataForTest("demo");
    const locks = async () =>
      (await readdir(variables.DATA_DIR as string)).filter((name) => name.startsWith("lock"));
    const first = await startGatewayProcess({ ...variables, SEED: "demo" });
    expect(await locks()).toHaveLength(server ? 0 : 1);
    await expectToFinish(first, "SIGINT");
    expect(await locks()).toEqual([]);
    expect(first.gateway.output).toContain("npm run --silent token -- 'demo|admin'");
    const second = await startGatewayProcess({ ...variables, SEED: "demo", NODE_ENV: "production" });
    expect(second.gateway.output).not.toContain("demo|admin");
    expect(first.gateway.output + second.gateway.output).not.toMatch(/API key of the demo workspace/);
    const token = await runCommand("commands/token", {
      environment: gatewaySettings(variables),
      parameters: ["demo|admin"],
    });
    const headers = { "content-type": "application/json", authorization: `Bearer ${token.output.trim()}` };
    const body = JSON.stringify({
      query: "{ me { authId } workspace { cameras { name } alerts(first: 1) { totalCount } } }",
    });
    const response = await fetch(`${second.address}/graphql`, { method: "POST", headers, body });
    expect(await response.json()).toEqual({
      data: {
        me: { authId: "demo|admin" },
        workspace: { cameras: Array(24).fill({ name: expect.any(String) }), alerts: { totalCount: 20_000 } },
      },
    });
    second.gateway.signal("SIGTERM");
    expect(await second.gateway.ended).toMatchObject({ code: 0, errors: "" });
  }, 90_000);
});

describe.runIf(!server)("a second process on the same DATA_DIR", () => {
  it("ends with a one-line error, and the first keeps running", async () => {
    const { address, variables } = running;
    const { code, output, errors } = await runCommand("main", { environment: gatewaySettings(variables) });
    expect({ code, output }).toEqual({ code: 1, output: "" });
    expect(errors).toBe(
      `Another process is using ${variables.DATA_DIR}. Stop it first, or set DATA_DIR to another directory.\n`,
    );
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
  });

  it("only one of two that start immediately after a crash succeeds", async () => {
    const variables = await dataForTest();
    const crashed = await startGatewayProcess(variables);
    expect(await crashed.gateway.kill()).toMatchObject({ code: null });
    const contenders = [1, 2].map(() => startCommand("main", { environment: gatewaySettings(variables) }));
    const outcomes = await Promise.all(
      contenders.map((contender) =>
        addressOf(contender).then(
          async (address) => `started: ${(await fetch(`${address}/readyz`)).status}`,
          (error: Error) => (/Another process is using/.test(error.message) ? "rejected" : error.message),
        ),
      ),
    );
    expect(outcomes.sort()).toEqual(["rejected", "started: 200"]);
  });
});

it("on SIGTERM lets a pending request finish, makes /readyz return 503 during SHUTDOWN_DELAY, and closes connections after their responses", async () => {
  const { gateway, address } = await startGatewayProcess({
    ...(await dataForTest()),
    SHUTDOWN_DELAY: "2000",
  });
  const ready = await fetch(`${address}/readyz`);
  expect([ready.status, ready.headers.get("connection")]).toEqual([200, "keep-alive"]);
  await expectToFinish({ gateway, address }, "SIGTERM", async () => {
    const readiness = await eventually(
      () => fetch(`${address}/readyz`),
      ({ status }) => status !== 200,
    );
    expect(readiness.status).toBe(503);
    expect(readiness.headers.get("connection")).toBe("close");
    expect(await readiness.json()).toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringMatching(/shutting down/),
    });
  });
});

/**
 * Stops a gateway by a signal while a request is pending, which has its connection close.
 */
async function expectToFinish(
  { gateway, address }: { gateway: RunningCommand; address: string },
  signal: NodeJS.Signals,
  whilePending: () => Promise<void> = async () => {},
): Promise<void> {
  const held = holdRequest(address, JSON.stringify({ query: "{ __typename }" }));
  await held.received;
  gateway.signal(signal);
  await gateway.said(/shutting down/);
  await whilePending();
  held.complete();
  expect(await held.response).toEqual({
    status: 200,
    connection: "close",
    text: '{"data":{"__typename":"Query"}}\n',
  });
  expect(await gateway.ended).toMatchObject({ code: 0, errors: "" });
}

/** Sends a request except for the last byte of its body, which `complete` sends. */
function holdRequest(address: string, body: string) {
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    expect: "100-continue",
  };
  const outgoing = request(`${address}/graphql`, {
    method: "POST",
    headers,
    agent: new Agent({ keepAlive: true }),
  });
  outgoing.flushHeaders();
  // Sent once the server has begun to handle the request.
  const received = new Promise<void>((resolve) => outgoing.once("continue", resolve)).then(
    () => void outgoing.write(body.slice(0, -1)),
  );
  const response = new Promise<{ status: number | undefined; connection: string | undefined; text: string }>(
    (resolve, reject) => {
      outgoing.once("error", reject);
      outgoing.once("response", async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode, connection: response.headers.connection, text });
      });
    },
  );
  return { received, response, complete: () => void outgoing.end(body.slice(-1)) };
}

describe("commands/token", () => {
  /** Runs the command where a gateway runs in this process. */
  const printToken = (gateway: Gateway, variables: Record<string, string>, authId: string) =>
    runCommand("commands/token", {
      environment: gatewaySettings({ ...variables, PORT: new URL(gateway.url).port }),
      parameters: [authId],
    });

  it("prints only a working token, and warns if there is no such user", async () => {
    const site = await TestSite.forTest();
    const gateway = await site.start();
    onTestFinished(() => gateway.close());
    await createUser(gateway.prisma, {
      workspaceId: await createWorkspace(gateway.prisma, {}),
      authId: "test|user",
    });
    const { code, output, errors } = await printToken(gateway, site.variables, "test|user");
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(output).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    expect(
      await gateway.data("{ me { authId } }", { as: { authorization: `Bearer ${output.trim()}` } }),
    ).toEqual({ me: { authId: "test|user" } });
    expect(await printToken(gateway, site.variables, "test|usher")).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/),
      errors: "Warning: there is no user test|usher, so that the gateway will not accept this token\n",
    });
  });

  it("prints a token although the user cannot be checked, and says so", async () => {
    const { DATABASE_URL, ...variables } = await dataForTest();
    const away: Record<string, string> = DATABASE_URL
      ? { DATABASE_URL: "postgresql://postgres@127.0.0.1:1/away" }
      : { PORT: "1" };
    const { code, output, errors } = await runCommand("commands/token", {
      environment: gatewaySettings({ ...variables, ...away }),
      parameters: ["test|user"],
    });
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/),
    });
    expect(errors).toMatch(/^Whether test\|user is a user was not checked: .*\n$/);
  });
});

describe.runIf(server)("commands/bootstrap", () => {
  const bootstrap = (DATABASE_URL: string, authId: string, workspace = "Plant") =>
    runCommand("commands/bootstrap", {
      environment: { DATABASE_URL },
      parameters: ["--workspace", workspace, "--auth-id", authId, "--email", "one@plant.example"],
    });

  it("creates a workspace with a working administrator and key", async () => {
    const { DATABASE_URL = "", ...others } = await dataForTest();
    const { code, output, errors } = await bootstrap(DATABASE_URL, "idp|1");
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    const gateway = await gatewayForTest({ seed: "none", environment: { ...others, DATABASE_URL } });
    const [, id] = /^Created workspace (\S+) "Plant" with the administrator idp\|1$/m.exec(output) ?? [];
    const [key] = /cmk_[0-9a-f]{32}_[0-9a-f]{64}/.exec(output) ?? [];
    const query = "{ workspace { id name users { authId email } apiKeys { name } } }";
    const workspace = {
      id,
      name: "Plant",
      users: [{ authId: "idp|1", email: "one@plant.example" }],
      apiKeys: [{ name: "First key" }],
    };
    expect(await gateway.data(query, { as: { user: "idp|1" } })).toEqual({ workspace });
    expect(await gateway.data(query, { as: { authorization: `Basic ${key}` } })).toEqual({ workspace });
  });

  it("rejects an existing user and creates nothing", async () => {
    const { DATABASE_URL = "" } = await dataForTest();
    expect(await bootstrap(DATABASE_URL, "idp|1")).toMatchObject({ code: 0 });
    expect(await bootstrap(DATABASE_URL, "idp|1", "Second plant")).toEqual({
      code: 1,
      output: "",
      errors: "User idp|1 already exists; nothing was created\n",
    });
    const [counts] = await onServer(
      DATABASE_URL,
      `SELECT (SELECT count(*) FROM "Workspace")::int AS "workspaces", (SELECT count(*) FROM "User")::int AS "users", (SELECT count(*) FROM "ApiKey")::int AS "keys"`,
    );
    expect(counts).toEqual({ workspaces: 1, users: 1, keys: 1 });
  });

  it("rejects a user that another process is creating, with the same error", async () => {
    const { DATABASE_URL = "" } = await dataForTest();
    const other = new pg.Client({ connectionString: DATABASE_URL });
    await other.connect();
    try {
      await other.query(`
        BEGIN; INSERT INTO "Workspace" ("id", "name") VALUES (gen_random_uuid(), 'First');
        INSERT INTO "User" ("id", "workspaceId", "authId", "email", "updatedAt") SELECT gen_random_uuid(), "id", 'idp|1', 'a@b.example', now() FROM "Workspace";
        INSERT INTO "AuthIdLookup" SELECT "authId", "workspaceId", "id" FROM "User"`);
      const result = bootstrap(DATABASE_URL, "idp|1", "Second plant");
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE "datname" = current_database() AND "wait_event_type" = 'Lock'`;
      await eventually(
        () => onServer(DATABASE_URL, waiting),
        (rows) => rows.length > 0,
      );
      await other.query("COMMIT");
      expect(await result).toEqual({
        code: 1,
        output: "",
        errors: "User idp|1 already exists; nothing was created\n",
      });
    } finally {
      await other.end();
    }
    expect(await onServer(DATABASE_URL, `SELECT "name" FROM "Workspace"`)).toEqual([{ name: "First" }]);
  });

  it("requires a migrated database", async () => {
    const { code, errors } = await bootstrap(await emptyServerDatabase(), "idp|1");
    expect(code).toBe(1);
    expect(errors).toMatch(/npm run migrate/);
  });
});
