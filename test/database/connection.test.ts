// Not on a cluster: its coordinator is connected to like any server.
// Takes long: it starts gateways on servers that refuse them.
import { randomUUID } from "node:crypto";
import pg from "pg";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { onServer } from "../support/databases.js";
import { testSecrets } from "../support/environment.js";
import { eventually } from "../support/eventually.js";
import {
  createAlerts,
  createApiKey,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import { dataForTest, type Gateway, gatewayForTest } from "../support/harness.js";
import { addressOf, gatewaySettings, runCommand, startCommand } from "../support/running-command.js";
import { emptyServerDatabase } from "./fresh-database.js";

const { server } = inject("resources");
const serverUrl = () => (server as { url: string }).url;

/** Returns a changed copy of a database URL. */
function changed(url: string, change: (url: URL) => void): string {
  const copy = new URL(url);
  change(copy);
  return copy.href;
}

const databaseOf = (url: string) => new URL(url).pathname.slice(1);

describe.runIf(server)("a database with another time zone", () => {
  /** Three ways to give a connection the time zone of Tokyo. */
  const configurations: [string, (url: string) => Promise<string>][] = [
    [
      "set on the database",
      async (url) => {
        await onServer(serverUrl(), `ALTER DATABASE "${databaseOf(url)}" SET timezone = 'Asia/Tokyo'`);
        return url;
      },
    ],
    [
      "set on the role",
      async (url) => {
        const role = `gateway_tokyo_${randomUUID().slice(0, 8)}`;
        await onServer(serverUrl(), `CREATE ROLE "${role}" LOGIN SUPERUSER PASSWORD 'tokyo'`);
        onTestFinished(async () => void (await onServer(serverUrl(), `DROP ROLE "${role}"`)));
        await onServer(serverUrl(), `ALTER ROLE "${role}" SET timezone = 'Asia/Tokyo'`);
        return changed(url, (address) => Object.assign(address, { username: role, password: "tokyo" }));
      },
    ],
    [
      "set on the database, with options in the URL",
      async (url) => {
        await onServer(serverUrl(), `ALTER DATABASE "${databaseOf(url)}" SET timezone = 'Asia/Tokyo'`);
        return changed(url, (address) => address.searchParams.set("options", "-c lock_timeout=10s"));
      },
    ],
  ];

  it.each(configurations)("returns the same times: %s", async (_name, configure) => {
    const variables = await dataForTest();
    const DATABASE_URL = await configure(variables.DATABASE_URL as string);
    const gateway = await gatewayForTest({ seed: "none", environment: { ...variables, DATABASE_URL } });
    expect(await timesOf(gateway)).toEqual({
      stored: "2026-11-20T21:30:00.000Z",
      // Already the next day in Istanbul.
      alert: { createdAt: "2026-11-20T21:30:00.000Z", localCreatedAt: "2026-11-21T00:30:00.000+03:00" },
      counts: [{ key: "2026-11-21", count: 1 }],
      inRange: 1,
    });
  });

  async function timesOf(gateway: Gateway) {
    const workspaceId = await createWorkspace(gateway.prisma, {});
    const { authorization } = await createApiKey(gateway.prisma, {
      workspaceId,
      permissions: ["alerts:read"],
    });
    const facilityId = await createFacility(gateway.prisma, { workspaceId });
    const cameraId = await createCamera(gateway.prisma, { workspaceId, facilityId });
    const createdAt = new Date("2026-11-20T21:30:00.000Z");
    const [id] = await createAlerts(gateway.prisma, [{ workspaceId, facilityId, cameraId, createdAt }]);
    const filter = { start: "2026-11-20T21:30:00.000Z", end: "2026-11-20T21:30:00.001Z" };
    const { alert, alertCounts, alerts } = await gateway.data<{
      alert: object;
      alertCounts: object[];
      alerts: { totalCount: number };
    }>(
      `query ($id: UUID!, $filter: AlertFilter!) {
        alert(id: $id) { createdAt localCreatedAt } alertCounts(filter: $filter, aggregate: DAY) { key count } alerts(filter: $filter) { totalCount }
      }`,
      { as: { authorization }, variables: { id, filter } },
    );
    const stored = await gateway.prisma.alert.findFirstOrThrow();
    return { stored: stored.createdAt.toISOString(), alert, counts: alertCounts, inRange: alerts.totalCount };
  }
});

describe.runIf(server)("a database that cannot be used", () => {
  const password = "open-sesame";
  const addresses: [string, () => string, RegExp][] = [
    [
      "nothing listens on its port",
      () => `postgresql://gateway:${password}@127.0.0.1:1/cameras`,
      /ECONNREFUSED/,
    ],
    [
      "it does not exist",
      () => changed(serverUrl(), (url) => Object.assign(url, { password, pathname: "/gateway_no_such" })),
      /gateway_no_such/,
    ],
    [
      "the server rejects the user or password",
      () => changed(serverUrl(), (url) => Object.assign(url, { username: "gateway_nobody", password })),
      /gateway_nobody/,
    ],
    [
      "the password contains an @",
      () => `postgresql://gateway:a@${password}@127.0.0.1:1/cameras`,
      /ECONNREFUSED/,
    ],
    [
      "the password is a parameter",
      () => `postgresql://127.0.0.1:1/cameras?user=gateway&password=${password}`,
      /ECONNREFUSED/,
    ],
  ];

  it.each(addresses)(
    "ends the gateway with a one-line error without the password: %s",
    async (_name, address, reason) => {
      const { code, errors, output } = await runCommand("main", {
        environment: { ...testSecrets, DATABASE_URL: address(), LOG_LEVEL: "silent" },
      });
      expect({ code, output }).toEqual({ code: 1, output: "" });
      expect(errors).toMatch(/^Cannot connect to the database .*Check DATABASE_URL.*\n$/);
      expect(errors).toMatch(reason);
      expect(errors).not.toContain(password);
    },
  );

  it("ends the gateway with the setting's name if it is that of DATABASE_LISTEN_URL", async () => {
    const DATABASE_LISTEN_URL = `postgresql://gateway:${password}@127.0.0.1:1/cameras`;
    const { code, errors } = await runCommand("main", {
      environment: gatewaySettings({ ...(await dataForTest()), DATABASE_LISTEN_URL }),
    });
    expect(code).toBe(1);
    expect(errors).toMatch(
      /^Cannot connect to the database postgresql:\/\/127\.0\.0\.1:1\/cameras: .*ECONNREFUSED.*Check DATABASE_LISTEN_URL.*\n$/,
    );
  });

  it.each(addresses)(
    "ends the migration with a one-line error without the password: %s",
    async (_name, address, reason) => {
      const { code, errors } = await runCommand("commands/migrate", {
        environment: { DATABASE_URL: address() },
      });
      expect(code).toBe(1);
      expect(errors).toMatch(/^Cannot connect to the database .*Check DATABASE_URL.*\n$/);
      expect(errors).toMatch(reason);
      expect(errors).not.toContain(password);
    },
  );
});

describe.runIf(server)("a database that is not migrated", () => {
  const me = (gateway: Gateway) => gateway.graphql("{ me { authId } }", { as: { user: "test|admin" } });

  it("keeps the gateway unready until it is", async () => {
    const DATABASE_URL = await emptyServerDatabase();
    const gateway = await gatewayForTest({ seed: "none", environment: { DATABASE_URL } });
    const before = await gateway.fetch("/readyz");
    expect(before.status).toBe(503);
    expect(before.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(await before.json()).toEqual({
      status: "error",
      code: "UNAVAILABLE",
      message: expect.stringMatching(/npm run migrate/),
    });
    expect((await gateway.fetch("/healthz")).status).toBe(200);
    expect(await runCommand("commands/migrate", { environment: { DATABASE_URL } })).toMatchObject({
      code: 0,
    });
    expect((await gateway.fetch("/readyz")).status).toBe(200);
  });

  it("makes operations UNAVAILABLE until it is", async () => {
    const DATABASE_URL = await emptyServerDatabase();
    const gateway = await gatewayForTest({ seed: "none", environment: { DATABASE_URL } });
    const before = await me(gateway);
    expect(before.status).toBe(503);
    expect(before.errors?.map((error) => error.extensions.code)).toEqual(["UNAVAILABLE"]);
    expect(before.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(await runCommand("commands/migrate", { environment: { DATABASE_URL } })).toMatchObject({
      code: 0,
    });
    await createUser(gateway.prisma, {
      workspaceId: await createWorkspace(gateway.prisma, {}),
      authId: "test|admin",
    });
    expect(await me(gateway)).toMatchObject({ status: 200, data: { me: { authId: "test|admin" } } });
  });
});

describe.runIf(server && !server.isCluster)("a database that refuses statements", () => {
  const grants = [
    ["all tables", "ALL TABLES IN SCHEMA public", /refuses statements/],
    ["one table", 'TABLE "Camera"', /may not read all tables of the database \(Camera\); grant it SELECT/],
  ] as const;

  it.each(grants)("makes /readyz 503 for as long as it does: those on %s", async (_name, tables, reason) => {
    const role = `gateway_reader_${randomUUID().slice(0, 8)}`;
    await onServer(serverUrl(), `CREATE ROLE "${role}" LOGIN PASSWORD 'reader'`);
    onTestFinished(async () => void (await onServer(serverUrl(), `DROP ROLE "${role}"`)));
    const variables = await dataForTest();
    const url = variables.DATABASE_URL as string;
    await onServer(url, `GRANT ALL ON ALL TABLES IN SCHEMA public TO "${role}"`);
    const DATABASE_URL = changed(url, (address) =>
      Object.assign(address, { username: role, password: "reader" }),
    );
    const gateway = await gatewayForTest({ seed: "none", environment: { ...variables, DATABASE_URL } });
    const readiness = async () => {
      const response = await gateway.fetch("/readyz");
      return { status: response.status, body: await response.json() };
    };
    expect(await readiness()).toMatchObject({ status: 200 });
    await onServer(url, `REVOKE ALL ON ${tables} FROM "${role}"`);
    // A success counts for a moment.
    const refusal = { status: "error", code: "UNAVAILABLE", message: expect.stringMatching(reason) };
    await expect.poll(readiness).toEqual({ status: 503, body: refusal });
    await onServer(url, `GRANT ALL ON ${tables} TO "${role}"`);
    expect(await readiness()).toMatchObject({ status: 200 });
  });
});

describe.runIf(server)("connections that the server terminates", () => {
  it("are replaced, with at most one UNAVAILABLE response", async () => {
    const variables = await dataForTest();
    const gateway = startCommand("main", {
      environment: gatewaySettings({ ...variables, LOG_LEVEL: "warn", RATE_LIMIT: "off" }),
    });
    const address = await addressOf(gateway);
    const send = () =>
      fetch(`${address}/graphql`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          authorization: `Basic cmk_${"0".repeat(32)}_${"0".repeat(64)}`,
        },
        body: JSON.stringify({ query: "{ workspace { id } }" }),
      }).then((response) => response.status);
    // The key is unknown, which only the database can tell.
    expect(await send()).toBe(401);
    const ended = await onServer(
      serverUrl(),
      `SELECT pg_terminate_backend("pid", 10000) AS "ended" FROM pg_stat_activity WHERE "datname" = '${databaseOf(variables.DATABASE_URL as string)}'`,
    );
    expect(ended).toContainEqual({ ended: true });
    const first = await send();
    expect([401, 503]).toContain(first);
    expect(await send()).toBe(401);
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
  });

  it("during a statement make only that one UNAVAILABLE", async () => {
    const variables = await dataForTest();
    const gateway = await gatewayForTest({ seed: "none", environment: variables });
    const workspaceId = await createWorkspace(gateway.prisma, {});
    const { authorization } = await createApiKey(gateway.prisma, {
      workspaceId,
      permissions: ["alerts:read"],
    });
    const send = () => gateway.graphql("{ workspace { cameras { name } } }", { as: { authorization } });
    expect((await send()).errors).toBeUndefined();
    const url = variables.DATABASE_URL as string;
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query(`BEGIN; LOCK TABLE "Camera" IN ACCESS EXCLUSIVE MODE`);
    const held = send();
    const waiting = `SELECT "pid" FROM pg_stat_activity WHERE "datname" = '${databaseOf(url)}' AND "wait_event_type" = 'Lock'`;
    await eventually(
      () => onServer(serverUrl(), waiting),
      (rows) => rows.length > 0,
    );
    await onServer(serverUrl(), `SELECT pg_terminate_backend("pid") FROM (${waiting}) AS waiting`);
    await holder.end();
    const { errors } = await held;
    expect(errors?.map((error) => error.extensions.code)).toEqual(["UNAVAILABLE"]);
    expect((await send()).errors).toBeUndefined();
  });
});

it.runIf(server)("has the server compile no statements", async () => {
  const gateway = await gatewayForTest({ seed: "none", environment: await dataForTest() });
  expect(await gateway.prisma.$queryRaw`SHOW jit`).toEqual([{ jit: "off" }]);
});
