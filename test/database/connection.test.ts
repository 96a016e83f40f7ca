// Not on a cluster: its coordinator is connected to like any server.
import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { migrateServer } from "../../src/engine/database/client.js";
import { onServer } from "../support/databases.js";
import { createUser, createWorkspace } from "../support/factories.js";
import { dataForTest, gatewayForTest, gatewayOn } from "../support/harness.js";
import { emptyServerDatabase } from "./fresh-database.js";

const { server } = inject("resources");
const serverUrl = () => (server as { url: string }).url;

/** Returns a changed copy of a database URL. */
function changed(url: string, change: (url: URL) => void): string {
  const copy = new URL(url);
  change(copy);
  return copy.href;
}

describe.runIf(server)("a database that cannot be used", () => {
  const password = "open-sesame";
  const addresses: [string, () => string, RegExp][] = [
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
      "nothing listens on its port, and the password contains an @",
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
  const gateway = await gatewayForTest({ environment: { DATABASE_URL } });
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
    workspaceId: await createWorkspace(gateway.prisma),
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
    const gateway = await gatewayForTest({ environment: { ...variables, DATABASE_URL } });
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

it.runIf(server)("has the server compile no statements", async () => {
  const gateway = await gatewayForTest({ environment: await dataForTest() });
  expect(await gateway.prisma.$queryRaw`SHOW jit`).toEqual([{ jit: "off" }]);
});
