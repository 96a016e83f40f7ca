import pg from "pg";
import { inject } from "vitest";
import { distributeServer, migrateServer } from "../../src/engine/database/client.js";
import { distributeTables } from "../../src/engine/database/cluster/distribute.js";
import {
  distributionIssues,
  foreignKeysAndTriggers,
} from "../../src/engine/database/cluster/distribution-check.js";
import { migrate } from "../../src/engine/database/migrate.js";
import { createDatabase, dropDatabase, onServer } from "../support/databases.js";
import { eventually } from "../support/eventually.js";
import { runCommand, startCommand } from "../support/running-command.js";
import {
  connectToServer,
  emptyDatabase,
  emptyServerDatabase,
  migrationsBefore,
  migrationsWith,
} from "./fresh-database.js";

const { server } = inject("resources");
const id = (kind: number, n = 1) =>
  `d0000000-0000-4000-8000-${String(kind).padStart(6, "0")}${String(n).padStart(6, "0")}`;

const fill = `
  INSERT INTO "Workspace" ("id", "name") SELECT ('${id(1, 0).slice(0, -1)}' || w)::uuid, 'Workspace' FROM generate_series(1, 4) AS w;
  INSERT INTO "Facility" ("id", "workspaceId", "name", "timeZoneId", "updatedAt") SELECT "id", "id", 'Facility', 'Asia/Tokyo', now() FROM "Workspace";
  INSERT INTO "Camera" ("id", "workspaceId", "facilityId", "name", "updatedAt") SELECT "id", "id", "id", 'Camera', now() FROM "Workspace";
  INSERT INTO "StreamRequestLookup" SELECT "id", "id" FROM "Workspace";
  INSERT INTO "Alert" ("id", "workspaceId", "facilityId", "cameraId", "name", "createdAt", "storageClass")
    SELECT gen_random_uuid(), "id", "id", "id", 'SMOKE', timestamptz '2026-11-20T12:00:00Z' + n * interval '1 hour', 'local' FROM "Workspace", generate_series(1, 30) AS n`;

const distribute = (url: string, ...parameters: string[]) =>
  runCommand("commands/distribute", { environment: { DATABASE_URL: url }, parameters });

/** An empty, migrated database on the cluster. */
async function migratedDatabase(): Promise<string> {
  const url = await emptyServerDatabase();
  await migrateServer(url);
  return url;
}

/** A database with distributed tables, and a connection to it. Dropped after the test. */
async function distributedDatabase(name: string) {
  const cluster = server as NonNullable<typeof server>;
  onTestFinished(() => dropDatabase(cluster, name));
  const url = await createDatabase(cluster, name, "none");
  const { connection, close } = await connectToServer(url);
  onTestFinished(close);
  return { url, connection };
}

const places = `
  SELECT citus_table_type AS "type", distribution_column AS "column", colocation_id AS "group", array_agg(table_name::text ORDER BY table_name::text) AS "tables"
  FROM citus_tables GROUP BY 1, 2, 3 ORDER BY 1, 2`;
const sound = [
  "The database is distributed as it should be.",
  "The workspaces are in 2 shards on 2 nodes.",
  "",
].join("\n");

describe.runIf(server?.isCluster)("npm run distribute", () => {
  it("moves the rows of a filled database with their counts, which are kept from then on, and does nothing the second time", async () => {
    const url = await migratedDatabase();
    await onServer(url, fill);
    const counts = `SELECT "workspaceId", "day"::text, "count" FROM "AlertDayCount" ORDER BY 1, 2`;
    const before = await onServer(url, counts);
    expect(before).toHaveLength(12);
    const { code, output, errors } = await distribute(url);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(output).toMatch(/^"AuthIdLookup" is kept on the coordinator \(\d+ \w+\)\.\n/);
    expect(output).toMatch(/\n"Alert" is distributed by workspaceId \(\d+ kB\)\.\n/);
    expect(output).toMatch(/\nThe workspaces are in 2 shards on 2 nodes\.\n$/);
    expect(await onServer(url, counts)).toEqual(before);
    expect(await onServer(url, `SELECT count(*)::int AS "alerts" FROM "Alert"`)).toEqual([{ alerts: 120 }]);
    await onServer(url, `DELETE FROM "Alert" WHERE "workspaceId" = '${id(1)}'`);
    expect(await onServer(url, counts)).toEqual(before.filter(({ workspaceId }) => workspaceId !== id(1)));
    expect(await onServer(url, `SELECT * FROM "alertCountDifferences"()`)).toEqual([]);
    expect(await onServer(url, places)).toEqual([
      { type: "distributed", column: "id", group: 1, tables: ['"Workspace"'] },
      {
        type: "distributed",
        column: "workspaceId",
        group: 1,
        tables: expect.arrayContaining(['"Alert"', '"AlertDayKindCount"']),
      },
      {
        type: "local",
        column: "<none>",
        group: 0,
        tables: [
          '"ApiKeyLookup"',
          '"AuthIdLookup"',
          '"EmailLookup"',
          '"InvitationLookup"',
          '"SignInLinkRequest"',
          '"StreamRequestLookup"',
        ],
      },
    ]);
    expect(await distributeServer(url)).toEqual([]);
    expect(await distribute(url, "--check")).toEqual({ code: 0, output: sound, errors: "" });
  });

  it("is all or nothing when it is interrupted, and another one waits for it", async () => {
    const url = await migratedDatabase();
    const { connection, close } = await connectToServer(url);
    onTestFinished(close);
    // Every distribution is recorded in this table.
    await connection.script("BEGIN; LOCK TABLE pg_dist_object IN SHARE MODE");
    const interrupted = distribute(url);
    const waiting = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'SELECT c%'`;
    const [first] = await eventually(
      () => onServer(url, waiting),
      (rows) => rows.length > 0,
    );
    const second = startCommand("commands/distribute", { environment: { DATABASE_URL: url } });
    await eventually(
      async () => second.errors,
      (errors) =>
        errors.includes(
          `Waiting for another process that migrates or distributes the database, by the server's process ${first?.pid}`,
        ),
    );
    await onServer(url, `SELECT pg_terminate_backend(${first?.pid})`);
    expect(await interrupted).toMatchObject({
      code: 1,
      errors: expect.stringMatching(
        /^Nothing was distributed: terminating .* Fix the cause and run the command again/,
      ),
    });
    await connection.script("COMMIT");
    expect(await second.ended).toMatchObject({
      code: 0,
      output: expect.stringMatching(/"Workspace" is distributed by id[\s\S]*"AlertComment" is/),
    });
    expect(await distributionIssues(connection)).toEqual([]);
  });

  it("refuses impossible distributions, and changes nothing", async () => {
    const url = await emptyServerDatabase();
    await expect(distributeServer(url)).rejects.toThrow(
      "The database lacks migrations; run `npm run migrate` first",
    );
    await migrateServer(url);
    const { connection, close } = await connectToServer(url);
    onTestFinished(close);
    await connection.script(`BEGIN; SELECT * FROM "Alert"`);
    await expect(distributeServer(url)).rejects.toThrow(
      "The tables are in use (canceling statement due to lock timeout), and nothing was changed. Run the command again, or stop the gateways first.",
    );
    await connection.script("COMMIT");
    const worker = new URL(url);
    worker.port = String((await onServer(url, "SELECT max(nodeport) AS port FROM pg_dist_node"))[0]?.port);
    await expect(distributeServer(worker.href)).rejects.toThrow(
      "This is a worker node: DATABASE_URL has to be the address of the coordinator.",
    );
    const settings = `ALTER DATABASE "${worker.pathname.slice(1)}" SET citus.enable_unsafe_triggers = off`;
    worker.pathname = new URL(server?.url as string).pathname;
    await onServer(worker.href, settings);
    await expect(distributeServer(url)).rejects.toThrow(
      `Node ${worker.host} has citus.enable_unsafe_triggers off`,
    );
    expect(await onServer(url, places)).toEqual([]);
    const usage = "Usage: npm run distribute, or npm run distribute -- --check\n";
    expect(await distribute(url, "--chekc")).toEqual({
      code: 1,
      output: "",
      errors: `Unknown option '--chekc'\n${usage}`,
    });
  });
});

describe.runIf(server?.isCluster)("a distributed database", () => {
  it("gets the tables of later migrations distributed with them, and keeps its rows", async () => {
    const url = await emptyServerDatabase();
    const { connection, close } = await connectToServer(url);
    onTestFinished(close);
    const first = "20261122180000_deliveries";
    await migrate(connection, await migrationsBefore(first));
    await connection.script("BEGIN");
    await distributeTables(connection);
    await connection.script("COMMIT");
    await onServer(url, fill);
    const directory = await migrationsWith({
      "29990101000000_a": `
        CREATE TABLE "AlertNote" ("workspaceId" UUID NOT NULL, "id" UUID NOT NULL, "alertId" UUID NOT NULL, PRIMARY KEY ("workspaceId", "id"));
        INSERT INTO "AlertNote" SELECT "workspaceId", "id", "id" FROM "Alert";
        CREATE FUNCTION "refuseNote"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'No; not this one'; END $$;
        CREATE TRIGGER "AlertNote_refused" BEFORE UPDATE ON "AlertNote" FOR EACH ROW EXECUTE FUNCTION "refuseNote"();
        ALTER TABLE "AlertNote" ADD CONSTRAINT "AlertNote_alert_fkey" FOREIGN KEY ("workspaceId", "alertId") REFERENCES "Alert" ("workspaceId", "id") ON DELETE CASCADE;`,
      "29990101000001_b": `CREATE INDEX CONCURRENTLY "AlertNote_alert_idx" ON "AlertNote" ("workspaceId", "alertId")`,
    });
    const applied = await migrate(connection, directory);
    expect({ first: applied[0], last: applied.slice(-2) }).toEqual({
      first,
      last: ["29990101000000_a", "29990101000001_b"],
    });
    expect(await distributionIssues(connection)).toEqual([]);
    expect(await distributeServer(url)).toEqual([]);
    await expect(
      onServer(url, `UPDATE "AlertNote" SET "id" = "id" WHERE "workspaceId" = '${id(1)}'`),
    ).rejects.toThrow("No; not this one");
    await onServer(url, `DELETE FROM "Alert" WHERE "workspaceId" = '${id(1)}'`);
    expect(await onServer(url, `SELECT count(*)::int AS "notes" FROM "AlertNote"`)).toEqual([{ notes: 90 }]);
    expect(await onServer(url, `SELECT * FROM "alertCountDifferences"()`)).toEqual([]);
  });

  it("commits the lookup rows of a workspace together with its rows, and reads and writes them while another node is down", async () => {
    const { url, connection } = await distributedDatabase("lookups");
    await onServer(url, fill);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    const commands: string[] = [];
    client.on("notice", ({ message }) => void commands.push(message as string));
    await client.query("SET citus.log_remote_commands = on");
    /** Writes both as gateways do, by prepared statements. */
    const write = async (workspace: number, requestId: string) => {
      await client.query("BEGIN");
      try {
        const values = [requestId, id(1, workspace)];
        await client.query({
          name: "lookup",
          text: `INSERT INTO "StreamRequestLookup" ("requestId", "workspaceId") VALUES ($1, $2)`,
          values,
        });
        await client.query({
          name: "row",
          text: `UPDATE "Workspace" SET "name" = 'Renamed' WHERE "id" = $1`,
          values: [id(1, workspace)],
        });
        await client.query("COMMIT");
      } catch (error) {
        await client.query("ROLLBACK");
        throw error;
      }
    };
    const find = async (requestId: string) => {
      const text = `SELECT "workspaceId" FROM "StreamRequestLookup" WHERE "requestId" = $1`;
      return (await client.query({ name: "find", text, values: [requestId] })).rows;
    };
    await write(1, id(2, 1));
    expect(commands.filter((command) => command.includes("PREPARE TRANSACTION"))).toHaveLength(1);
    commands.length = 0;
    expect(await find(id(2, 1))).toEqual([{ workspaceId: id(1, 1) }]);
    expect(commands).toEqual([expect.stringMatching(/^executing the command locally/)]);

    const [node] = await connection.query(`
      SELECT nodeid, nodename, nodeport FROM pg_dist_node JOIN pg_dist_placement USING (groupid)
      WHERE shardid = get_shard_id_for_distribution_column('"Workspace"', '${id(1, 1)}')`);
    const others = await connection.query(`
      SELECT "id" FROM generate_series(2, 4) AS w, LATERAL (SELECT ('${id(1, 0).slice(0, -1)}' || w)::uuid AS "id") AS workspace
      JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column('"Workspace"', "id") JOIN pg_dist_node USING (groupid)
      WHERE nodeid <> ${node?.nodeid}`);
    // The node refuses connections to this database, as if it were down.
    const worker = new URL(server?.url as string);
    worker.port = String(node?.nodeport);
    const name = new URL(url).pathname.slice(1);
    await onServer(worker.href, `UPDATE pg_database SET datallowconn = false WHERE datname = '${name}'`);
    await onServer(
      worker.href,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
    await expect(write(1, id(2, 2))).rejects.toThrow(/connection to the remote node|terminating connection/);
    expect(await find(id(2, 2))).toEqual([]);
    await write(Number(String(others[0]?.id).slice(-1)), id(2, 3));
    expect(await find(id(2, 3))).toEqual([{ workspaceId: others[0]?.id }]);
    const { code, errors } = await distribute(url, "--check");
    expect(code).toBe(1);
    expect(errors).toContain(`Node ${worker.host} does not answer`);
  });

  it("reports deviations, and npm run distribute repairs those that it can", async () => {
    const { url, connection } = await distributedDatabase("differing");
    const key = `"workspaceId" UUID NOT NULL, "id" UUID NOT NULL, PRIMARY KEY ("workspaceId", "id")`;
    const changes = [
      `INSERT INTO "AuthIdLookup" VALUES ('user|1', '${id(1)}', '${id(2)}')`,
      // Version 0.2.0 distributed the table in this way.
      `SELECT undistribute_table('"AuthIdLookup"')`,
      `SELECT create_distributed_table('"AuthIdLookup"', 'authId')`,
      `ALTER TABLE "AlertDayKindCount" REPLICA IDENTITY DEFAULT`,
      `CREATE TABLE "New" (${key})`,
      `CREATE TABLE "Copied" (${key})`,
      `INSERT INTO "Copied" VALUES ('${id(1)}', '${id(2)}')`,
      `SELECT create_distributed_table('"Copied"', 'workspaceId', colocate_with => '"Workspace"')`,
      "SET citus.enable_ddl_propagation = off",
      `CREATE FUNCTION "local"() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
      "SET citus.enable_ddl_propagation = on",
      `ALTER TABLE "AlertComment" DROP CONSTRAINT "AlertComment_workspaceId_alertId_fkey"`,
      `DROP TRIGGER "Camera_marked" ON "Camera"`,
    ];
    for (const change of changes) await connection.script(change);
    const [shard] = await connection.query(`
      SELECT nodename, nodeport, shard_name(logicalrelid, shardid) AS "name"
      FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid) WHERE logicalrelid = '"Facility"'::regclass LIMIT 1`);
    const node = new URL(url);
    node.port = String(shard?.nodeport);
    await onServer(
      node.href,
      `SET citus.enable_manual_changes_to_shards = on; DROP INDEX "Facility_workspaceId_name_idx_${String(shard?.name).match(/\d+/)}"`,
    );

    const remedy = "run `npm run distribute`";
    const beyond = [
      'The foreign key or trigger "Camera_marked" is missing: create it as its migration does.',
      'The foreign key or trigger "AlertComment_workspaceId_alertId_fkey" is missing: create it as its migration does.',
      `Shards on node ${node.host} are not active, or have other triggers, foreign keys or indexes than their tables: those of "Facility".`,
    ];
    const { code, output, errors } = await distribute(url, "--check");
    expect({ code, output }).toEqual({ code: 1, output: "" });
    expect(errors.split("\n").slice(0, -1)).toEqual([
      `"AuthIdLookup" is distributed instead of kept on the coordinator: ${remedy}.`,
      `"AlertDayKindCount" cannot be moved while it is written: ${remedy}.`,
      `"New" is not distributed: ${remedy}.`,
      `"Copied" has local rows from before it was distributed: ${remedy}.`,
      `Only the coordinator has the function local(): ${remedy}.`,
      ...beyond,
    ]);
    expect(await distributeServer(url)).toHaveLength(4);
    expect(await distributionIssues(connection)).toEqual(beyond);
    for (const table of ["AuthIdLookup", "Copied"])
      expect(await connection.query(`SELECT FROM "${table}"`)).toHaveLength(1);

    await connection.script(`
      BEGIN; UPDATE pg_dist_node SET isactive = false WHERE nodeport = ${node.port}; UPDATE pg_dist_node SET metadatasynced = false WHERE isactive AND groupid > 0`);
    expect(await distributionIssues(connection)).toEqual([
      `Node ${node.host} is not active: add it back with SELECT citus_activate_node('${node.hostname}', ${node.port}).`,
      expect.stringMatching(
        /^Node \S+ lacks the latest metadata: run SELECT start_metadata_sync_to_all_nodes\(\)\.$/,
      ),
    ]);
    await connection.script("ROLLBACK");
    await connection.script(`DROP TABLE "New"; CREATE TABLE "New" (${key})`);
    await connection.script(
      `SELECT create_distributed_table('"New"', 'workspaceId', colocate_with => 'none')`,
    );
    const misplaced = `"New" is distributed, but not by workspaceId together with "Workspace": restore a dump into a new database, and distribute that.`;
    expect(await distributionIssues(connection)).toEqual([misplaced, ...beyond]);
    await expect(distributeServer(url)).rejects.toThrow(misplaced);
  });
});

describe.runIf(server && !server.isCluster)("npm run distribute on a single server", () => {
  it("reports that Citus is missing, and changes nothing", async () => {
    const url = await migratedDatabase();
    await expect(distributeServer(url)).rejects.toThrow("The database has no Citus extension");
    expect(await distribute(url, "--check")).toMatchObject({
      code: 1,
      errors: expect.stringContaining("The database has no Citus extension"),
    });
  });
});

it("npm run distribute -- --check knows the foreign keys and triggers that the migrations make", async () => {
  const connection = await emptyDatabase();
  await migrate(connection);
  const rows = await connection.query(`
    SELECT quote_ident(conname) AS "name" FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace
    UNION ALL SELECT quote_ident(tgname) FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text NOT LIKE 'pg_dist%'`);
  expect((await foreignKeysAndTriggers()).sort()).toEqual(rows.map(({ name }) => name).sort());
});
