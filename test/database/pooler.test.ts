import { describe, expect, inject, it } from "vitest";
import { onServer } from "../support/databases.js";
import { createApiKey, createCamera, createFacility, createWorkspace } from "../support/factories.js";
import { dataForTest, type Gateway, gatewayForTest } from "../support/harness.js";
import { pgbouncerVersion, startPgbouncer } from "../support/pgbouncer.js";
import { gatewaySettings, runCommand } from "../support/running-command.js";

const { server } = inject("templates");

/** As `ALTER ROLE … SET …` gives them to the connections of a pooler. */
const timeouts = { statement_timeout: 30_000, idle_in_transaction_session_timeout: 35_000 };

async function freshDatabase() {
  const variables = await dataForTest();
  return { variables, url: variables.DATABASE_URL as string };
}

/** Runs so many reads at once, each of them several times, which has their statements prepared. */
async function readRepeatedly(gateway: Gateway): Promise<unknown[]> {
  const workspaceId = await createWorkspace(gateway.prisma, {});
  const { authorization } = await createApiKey(gateway.prisma, { workspaceId, permissions: ["cameras:read"] });
  const facilityId = await createFacility(gateway.prisma, { workspaceId });
  await createCamera(gateway.prisma, { workspaceId, facilityId, name: "Gate" });
  const answers: unknown[] = [];
  for (let round = 0; round < 8; round += 1) {
    const documents = ["{ workspace { cameras { name } } }", "{ workspace { id } }"];
    answers.push(...(await Promise.all(documents.map((document) => gateway.data(document, { as: { authorization } })))));
  }
  const [cameras, workspace] = [{ workspace: { cameras: [{ name: "Gate" }] } }, { workspace: { id: workspaceId } }];
  expect(answers).toEqual(Array.from({ length: 8 }, () => [cameras, workspace]).flat());
  return answers;
}

describe.runIf(server && !server.isCluster && pgbouncerVersion)("PgBouncer", () => {
  /** A database with the time-outs that a pooler needs, and the gateway's settings but the URL. */
  async function preparedDatabase() {
    const { variables, url } = await freshDatabase();
    const name = new URL(url).pathname.slice(1);
    for (const [setting, value] of Object.entries(timeouts)) await onServer(url, `ALTER DATABASE "${name}" SET ${setting} = ${value}`);
    return { variables, url };
  }
  const [major, minor] = pgbouncerVersion ?? [0, 0];
  const canRename = major > 1 || minor >= 21;

  it("with pool_mode = session serves requests and events", async () => {
    const { variables, url } = await preparedDatabase();
    const DATABASE_URL = await startPgbouncer(url, { pool_mode: "session" });
    const gateway = await gatewayForTest({ seed: "none", environment: { ...variables, DATABASE_URL } });
    await readRepeatedly(gateway);
    expect(await (await gateway.fetch("/readyz")).json()).toMatchObject({ status: "ok", events: { connected: true } });
  });

  it("with pool_mode = transaction is refused by two gateways where it does not rename prepared statements", async () => {
    const { variables, url } = await preparedDatabase();
    const DATABASE_URL = await startPgbouncer(url, { pool_mode: "transaction", ...(canRename && { max_prepared_statements: "0" }) });
    const environment = gatewaySettings({ ...variables, DATABASE_URL, DATABASE_LISTEN_URL: url });
    for (const { code, errors } of await Promise.all([runCommand("main", { environment }), runCommand("main", { environment })])) {
      expect(code).toBe(1);
      expect(errors).toMatch(
        /^The database cannot be used through the pooler at .*:\n- It does not rename prepared statements.*PgBouncer 1\.21.*\n$/,
      );
    }
  });

  it.runIf(canRename)("with max_prepared_statements serves requests", async () => {
    const { variables, url } = await preparedDatabase();
    const DATABASE_URL = await startPgbouncer(url, { pool_mode: "transaction", max_prepared_statements: "200" });
    await readRepeatedly(await gatewayForTest({ seed: "none", environment: { ...variables, DATABASE_URL, DATABASE_LISTEN_URL: url } }));
  });

  it("with pool_mode = statement is refused", async () => {
    const { variables, url } = await preparedDatabase();
    const DATABASE_URL = await startPgbouncer(url, { pool_mode: "statement" });
    const { code, errors } = await runCommand("main", { environment: gatewaySettings({ ...variables, DATABASE_URL, DATABASE_LISTEN_URL: url }) });
    expect(code).toBe(1);
    expect(errors).toMatch(/- It does not keep a transaction on one server connection: set `pool_mode = transaction`/);
  });
});
