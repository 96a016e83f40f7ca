// Runs once: no database can influence what is tested here.
// Takes long: it starts processes.
import { readFile } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { inject } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { tokenVerifier } from "../../src/engine/access/jwt.js";
import { permissions } from "../../src/engine/access/permissions.js";
import { emptyServerDatabase } from "../database/fresh-database.js";
import { Mailbox, onlyLink, signInBy } from "../delivery/personal-mail-site.js";
import { onServer } from "../support/databases.js";
import { eventually } from "../support/eventually.js";
import { createInvitation, createUser, createWorkspace } from "../support/factories.js";
import { dataForTest, freshData, gatewayForTest } from "../support/harness.js";
import {
  addressOf,
  gatewaySettings,
  RunningCommand,
  runCommand,
  startCommand,
} from "../support/running-command.js";
import { expectToFinish, runningSite, startGatewayProcess } from "./gateway-process.js";

const { server } = inject("resources");

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
    expect(gateway.output).toContain("Camera feed  off: CAMERA_FEED is off");
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

  it("says at start that links lead to localhost where it listens on all addresses without PUBLIC_URL, and suggests an address", async () => {
    const { variables, cleanUp } = await freshData("none");
    onTestFinished(cleanUp);
    const gateway = startCommand("main", { environment: { ...gatewaySettings(variables), HOST: "::" } });
    const [, suggested] = await gateway.said(/PUBLIC_URL is not set: .* such as PUBLIC_URL=(\S+?)"/);
    expect(suggested).toMatch(/^http:\/\/(?:<address>|\d+\.\d+\.\d+\.\d+):\d+$/);
    await gateway.said(/The gateway is ready/);
    for (const signal of ["SIGINT", "SIGINT"] as const) {
      gateway.signal(signal);
      await gateway.said(/SIGINT: shutting down/);
    }
    expect(await gateway.ended).toMatchObject({ code: 0 });
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

describe("commands/token", () => {
  const printToken = (environment: Record<string, string | undefined>, authId = "test|user") =>
    runCommand("commands/token", { environment, parameters: [authId] });

  it("prints a working token without asking anybody, given the secret alone", async () => {
    const { site, gateway } = await runningSite();
    await createUser(gateway.prisma, {
      workspaceId: await createWorkspace(gateway.prisma),
      authId: "test|user",
    });
    const { AUTH_JWT_SECRET } = gatewaySettings(site.variables);
    const { code, output, errors } = await printToken({
      ...{ AUTH_JWT_SECRET, PORT: "no number" },
      DATABASE_URL: "postgresql://postgres@127.0.0.1:1/away",
    });
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(output).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    expect(
      await gateway.data("{ me { authId } }", { as: { authorization: `Bearer ${output.trim()}` } }),
    ).toEqual({ me: { authId: "test|user" } });
  });

  it("signs with the secret that is kept in DATA_DIR", async () => {
    const { DATA_DIR } = await dataForTest();
    const { code, output } = await printToken({ DATA_DIR });
    expect(code).toBe(0);
    const { AUTH_JWT_SECRET } = JSON.parse(
      await readFile(path.join(String(DATA_DIR), "secrets.json"), "utf8"),
    );
    const verify = tokenVerifier({ secret: AUTH_JWT_SECRET }, () => new Date());
    expect(await verify(output.trim())).toMatchObject({ subject: "test|user" });
  });
});

it("commands/sign-in prints a link for each user of an address, with the workspace, and fails for an unknown one", async () => {
  const { site, gateway } = await runningSite();
  const first = await createWorkspace(gateway.prisma, { name: "First plant" });
  const second = await createWorkspace(gateway.prisma, { name: "Second plant" });
  const email = "ada@plant.example";
  await createUser(gateway.prisma, { workspaceId: first, email });
  await createInvitation(gateway.prisma, { workspaceId: second, email });
  await createInvitation(gateway.prisma, {
    ...{ workspaceId: await createWorkspace(gateway.prisma), email, expiresAt: new Date() },
  });
  const print = (...parameters: string[]) =>
    runCommand("commands/sign-in", { environment: gatewaySettings(site.variables), parameters });
  const [{ output }, inSecond, ofNobody] = await Promise.all([
    print(email),
    print(email, "--workspace", second),
    print("nobody@plant.example"),
  ]);
  expect(output.match(/ \S+ "(?:First|Second) plant"\n/g)).toEqual([
    ` ${first} "First plant"\n`,
    ` ${second} "Second plant"\n`,
  ]);
  expect(inSecond.output).toContain('"Second plant"');
  const other = await createUser(gateway.prisma, { workspaceId: first, email, firstName: "Grace" });
  const [inFirst, { output: named }] = await Promise.all([
    print(email, "--workspace", first),
    print(email, "--user", other),
  ]);
  expect(inFirst.output.match(/ "First plant" \S+/g)).toHaveLength(2);
  expect(named).toMatch(new RegExp(`^\\S+ ${first} "First plant" ${other} Grace\n$`));
  expect(await signInBy(gateway, named.split(" ")[0] as string)).toMatchObject({ me: { id: other } });
  expect(ofNobody).toMatchObject({
    code: 1,
    errors: "Nobody with the address nobody@plant.example is a user or invited\n",
  });
});

describe.runIf(server)("commands/bootstrap", () => {
  const bootstrap = (DATABASE_URL: string, authId: string, workspace = "Plant") =>
    runCommand("commands/bootstrap", {
      environment: { DATABASE_URL },
      parameters: [
        "--workspace",
        workspace,
        "--auth-id",
        authId,
        "--email",
        "one@plant.example",
        "--key",
        "First",
      ],
    });

  it("creates a workspace with a working administrator, and a key if it is asked for", async () => {
    const { DATABASE_URL = "", ...others } = await dataForTest();
    const { code, output, errors } = await bootstrap(DATABASE_URL, "idp|1");
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    const gateway = await gatewayForTest({ environment: { ...others, DATABASE_URL } });
    const [, id] = /^Created workspace (\S+) "Plant" with the administrator idp\|1$/m.exec(output) ?? [];
    const [key] = /cmk_[0-9a-f]{32}_[0-9a-f]{64}/.exec(output) ?? [];
    const query = "{ workspace { id name users { authId email } apiKeys { name } } }";
    const workspace = {
      id,
      name: "Plant",
      users: [{ authId: "idp|1", email: "one@plant.example" }],
      apiKeys: [{ name: "First" }],
    };
    expect(await gateway.data(query, { as: { user: "idp|1" } })).toEqual({ workspace });
    expect(await gateway.data(query, { as: { authorization: `Basic ${key}` } })).toEqual({ workspace });
  });

  it("invites the administrator if no subject is given, by a link, and with SMTP_URL by mail once a gateway runs", async () => {
    const mailbox = await Mailbox.open();
    onTestFinished(() => mailbox.close());
    const { DATABASE_URL = "", ...others } = await dataForTest();
    const { LINK_SECRET } = gatewaySettings({});
    const invite = (email: string, settings: Record<string, string>) =>
      runCommand("commands/bootstrap", {
        environment: { DATABASE_URL, LINK_SECRET, ...settings },
        parameters: ["--workspace", "Plant", "--email", email],
      });
    const shown = await invite("one@plant.example", { PUBLIC_URL: "https://gateway.example" });
    expect(shown).toMatchObject({ code: 0, errors: "" });
    expect(shown.output).toMatch(
      /^Created workspace \S+ "Plant" with an invitation for one@plant\.example$/m,
    );
    expect(shown.output).not.toContain("API key");
    expect(await invite("two@plant.example", mailbox.settings)).toMatchObject({ code: 0, errors: "" });
    const environment = { ...others, ...mailbox.settings, DATABASE_URL };
    const gateway = await gatewayForTest({ environment });
    await gateway.app.idle();
    const [url = ""] = /https:\/\/gateway\.example\/#sign-in=\S+/.exec(shown.output) ?? [];
    for (const link of [url, onlyLink(mailbox.to("two@plant.example"))])
      expect(await signInBy(gateway, link)).toMatchObject({ workspace: { name: "Plant" } });
    const { roles } = await gateway.prisma.user.findFirstOrThrow({ where: { email: "one@plant.example" } });
    expect(roles).toEqual([...permissions]);
  });

  it("rejects a user that another process is creating, and creates nothing", async () => {
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
