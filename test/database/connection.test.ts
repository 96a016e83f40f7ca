// Not on a cluster: its coordinator is connected to like any server.
import { randomUUID } from "node:crypto";
import pg from "pg";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { migrateServer } from "../../src/database/client.js";
import { onServer } from "../support/databases.js";
import { eventually } from "../support/eventually.js";
import {
  createAlerts,
  createApiKey,
  createPlace,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import { dataForTest, type Gateway, gatewayForTest, gatewayOn } from "../support/harness.js";
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
  it("returns the same times, also with options in its URL", async () => {
    const variables = await dataForTest();
    const url = variables.DATABASE_URL as string;
    await onServer(serverUrl(), `ALTER DATABASE "${databaseOf(url)}" SET timezone = 'Asia/Tokyo'`);
    const DATABASE_URL = changed(url, (address) =>
      address.searchParams.set("options", "-c lock_timeout=10s"),
    );
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
    const { facilityId, cameraId } = await createPlace(gateway.prisma, { workspaceId });
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
    "ends the gateway and a migration with a one-line error without the password: %s",
    async (_name, address, reason) => {
      const starts = [
        gatewayOn({ SEED: "none", ...(await dataForTest()), DATABASE_URL: address() }),
        migrateServer(address()),
      ];
      for (const start of await Promise.allSettled(starts)) {
        const { message } = (start as PromiseRejectedResult).reason;
        expect(message).toMatch(/^Cannot connect to the database .*Check DATABASE_URL.*$/);
        expect(message).toMatch(reason);
        expect(message).not.toContain(password);
      }
    },
  );

  it("ends the gateway with the setting's name if it is that of DATABASE_LISTEN_URL", async () => {
    const DATABASE_LISTEN_URL = `postgresql://gateway:${password}@127.0.0.1:1/cameras`;
    await expect(gatewayOn({ SEED: "none", ...(await dataForTest()), DATABASE_LISTEN_URL })).rejects.toThrow(
      /^Cannot connect to the database postgresql:\/\/127\.0\.0\.1:1\/cameras: .*ECONNREFUSED.*Check DATABASE_LISTEN_URL.*$/,
    );
  });
});

it.runIf(server)("a database that is not migrated keeps the gateway unready until it is", async () => {
  const DATABASE_URL = await emptyServerDatabase();
  const gateway = await gatewayForTest({ seed: "none", environment: { DATABASE_URL } });
  const me = () => gateway.graphql("{ me { authId } }", { as: { user: "test|admin" } });
  const before = await gateway.fetch("/readyz");
  expect(before.status).toBe(503);
  expect(await before.json()).toEqual({
    status: "error",
    code: "UNAVAILABLE",
    message: expect.stringMatching(/npm run migrate/),
  });
  expect((await gateway.fetch("/healthz")).status).toBe(200);
  expect(await me()).toMatchObject({ status: 503, errors: [{ extensions: { code: "UNAVAILABLE" } }] });
  await migrateServer(DATABASE_URL);
  expect((await gateway.fetch("/readyz")).status).toBe(200);
  await createUser(gateway.prisma, {
    workspaceId: await createWorkspace(gateway.prisma, {}),
    authId: "test|admin",
  });
  expect(await me()).toMatchObject({ status: 200, data: { me: { authId: "test|admin" } } });
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

it.runIf(server)(
  "connections that the server terminates during a statement make only that one UNAVAILABLE",
  async () => {
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
  },
);

it.runIf(server)("has the server compile no statements", async () => {
  const gateway = await gatewayForTest({ seed: "none", environment: await dataForTest() });
  expect(await gateway.prisma.$queryRaw`SHOW jit`).toEqual([{ jit: "off" }]);
});
