import { inject } from "vitest";
import { subscriber } from "../live/live-socket.js";
import { createAdmin, createFacility, createWorkspace } from "../support/factories.js";
import { dataForTest, gatewayForTest, gatewayOn, run } from "../support/harness.js";
import { databaseForPooler, readRepeatedly } from "../support/pooled-database.js";
import { gatewaySettings, runCommand } from "../support/running-command.js";
import { TcpPooler } from "../support/tcp-pooler.js";

const { server } = inject("resources");

/** The URL of a database through a pooler that ends with the running test. */
async function throughPooler(url: string, mode: "session" | "transaction"): Promise<string> {
  const pooler = await TcpPooler.open(url, { mode });
  onTestFinished(() => pooler.close());
  return pooler.url;
}

describe.runIf(server && !server.isCluster)(
  "a pooler that gives each transaction a server connection",
  () => {
    it("and does not rename prepared statements is refused by two gateways, in one message with all cures", async () => {
      const variables = await dataForTest();
      const DATABASE_URL = await throughPooler(variables.DATABASE_URL as string, "transaction");
      const environment = gatewaySettings({ ...variables, DATABASE_URL });
      const endings = await Promise.all([
        runCommand("main", { environment }),
        runCommand("main", { environment }),
      ]);
      const { host, pathname } = new URL(DATABASE_URL);
      const at = `postgresql://${host}${pathname}`;
      for (const { code, errors } of endings) {
        expect(code).toBe(1);
        expect(errors.split("\n")).toEqual([
          `The database cannot be used through the pooler at ${at}:`,
          expect.stringMatching(
            /^- It does not rename prepared statements, .*PgBouncer 1\.21 or newer with `max_prepared_statements = 200`, or set /,
          ),
          expect.stringMatching(
            /^- statement_timeout is off .*`ALTER ROLE \S+ IN DATABASE \S+ SET statement_timeout = 30000`/,
          ),
          expect.stringMatching(
            /^- idle_in_transaction_session_timeout is off .*`ALTER ROLE .* SET idle_in_transaction_session_timeout = 35000`/,
          ),
          `Events cannot be received through the pooler at ${at}:`,
          expect.stringMatching(
            /^- It does not keep sessions, .* set DATABASE_LISTEN_URL to the server itself .* or set REDIS_URL\.$/,
          ),
          "",
        ]);
      }
    });

    it("is refused as DATABASE_LISTEN_URL, because notifications would be lost", async () => {
      const variables = await dataForTest();
      const DATABASE_LISTEN_URL = await throughPooler(variables.DATABASE_URL as string, "transaction");
      await expect(gatewayOn({ SEED: "none", ...variables, DATABASE_LISTEN_URL })).rejects.toThrow(
        /^Events cannot be received through the pooler at \S+:\n- It does not keep sessions, .*DATABASE_LISTEN_URL.*\.$/,
      );
    });
  },
);

describe.runIf(server && !server.isCluster)("a pooler that keeps sessions", () => {
  it("serves requests, and events as DATABASE_LISTEN_URL", async () => {
    const { variables, url } = await databaseForPooler();
    const [DATABASE_URL, DATABASE_LISTEN_URL] = [
      await throughPooler(url, "session"),
      await throughPooler(url, "session"),
    ];
    const gateway = await gatewayForTest({
      environment: { ...variables, DATABASE_URL, DATABASE_LISTEN_URL },
    });
    await readRepeatedly(gateway);
    const workspaceId = await createWorkspace(gateway.prisma);
    const facilityId = await createFacility(gateway.prisma, { workspaceId });
    const user = await createAdmin(gateway.prisma, workspaceId);
    const live = await subscriber(gateway, user.as, "subscription { facilityHeartbeat { id } }");
    await run(gateway, user, [
      "mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }",
      { id: facilityId },
    ]);
    await expect.poll(() => live.results()).toEqual([{ data: { facilityHeartbeat: { id: facilityId } } }]);
  });

  it("is refused with the cure where it does not take a startup parameter of the URL", async () => {
    const { variables, url } = await databaseForPooler();
    const DATABASE_URL = `${await throughPooler(url, "session")}?options=-c%20lock_timeout%3D10s`;
    await expect(gatewayOn({ SEED: "none", ...variables, DATABASE_URL })).rejects.toThrow(
      /unsupported startup parameter: options\. Remove it from DATABASE_URL .*`ALTER ROLE … SET …`, or add options to `ignore_startup_parameters`/,
    );
  });
});
