import { gatewayForTest } from "../support/harness.js";
import { databaseForPooler, readRepeatedly } from "../support/pooled-database.js";
import { gatewaySettings, runCommand } from "../support/running-command.js";
import { startPgbouncer } from "./pgbouncer.js";
import { readPgbouncerVersion } from "./pgbouncer-version.js";

describe("PgBouncer", () => {
  const [major, minor] = readPgbouncerVersion() ?? [0, 0];
  const canRename = major > 1 || minor >= 21;

  it("with pool_mode = session serves requests and events", async () => {
    const { variables, url } = await databaseForPooler();
    const DATABASE_URL = await startPgbouncer(url, { pool_mode: "session" });
    const gateway = await gatewayForTest({ environment: { ...variables, DATABASE_URL } });
    await readRepeatedly(gateway);
    expect(await (await gateway.fetch("/readyz")).json()).toMatchObject({
      status: "ok",
      events: { connected: true },
    });
  });

  it("with pool_mode = transaction is refused by two gateways where it does not rename prepared statements", async () => {
    const { variables, url } = await databaseForPooler();
    const DATABASE_URL = await startPgbouncer(url, {
      pool_mode: "transaction",
      ...(canRename && { max_prepared_statements: "0" }),
    });
    const environment = gatewaySettings({ ...variables, DATABASE_URL, DATABASE_LISTEN_URL: url });
    for (const { code, errors } of await Promise.all([
      runCommand("main", { environment }),
      runCommand("main", { environment }),
    ])) {
      expect(code).toBe(1);
      expect(errors).toMatch(
        /^The database cannot be used through the pooler at .*:\n- It does not rename prepared statements.*PgBouncer 1\.21.*\n$/,
      );
    }
  });

  it.runIf(canRename)("with max_prepared_statements serves requests", async () => {
    const { variables, url } = await databaseForPooler();
    const DATABASE_URL = await startPgbouncer(url, {
      pool_mode: "transaction",
      max_prepared_statements: "200",
    });
    await readRepeatedly(
      await gatewayForTest({
        environment: { ...variables, DATABASE_URL, DATABASE_LISTEN_URL: url },
      }),
    );
  });

  it("with pool_mode = statement is refused", async () => {
    const { variables, url } = await databaseForPooler();
    const DATABASE_URL = await startPgbouncer(url, { pool_mode: "statement" });
    const { code, errors } = await runCommand("main", {
      environment: gatewaySettings({ ...variables, DATABASE_URL, DATABASE_LISTEN_URL: url }),
    });
    expect(code).toBe(1);
    expect(errors).toMatch(
      /- It does not keep a transaction on one server connection: set `pool_mode = transaction`/,
    );
  });
});
