// Not on a cluster: migrates databases that are not distributed.
// Takes long: it starts the command as processes.
import { inject } from "vitest";
import { migrate } from "../../src/engine/database/migrate.js";
import { onServer } from "../support/databases.js";
import { eventually } from "../support/eventually.js";
import { runCommand, startCommand } from "../support/running-command.js";
import { TestSite } from "../support/test-site.js";
import {
  connectToServer,
  emptyServerDatabase,
  later,
  laterExpansion,
  migrationsBefore,
  ownMigrations,
} from "./fresh-database.js";

const { server } = inject("resources");

describe.runIf(server)("npm run migrate", () => {
  it("is up to date with the migrations of a later version, which it names", async () => {
    const site = await TestSite.forTest();
    for (const sql of laterExpansion) await site.query(sql);
    const output = `The database is up to date\nIt has migrations of a later version, with which this one works as well: ${later}\n`;
    expect(await runCommand("commands/migrate", { environment: site.variables })).toEqual({
      code: 0,
      output,
      errors: "",
    });
  });

  const newest = async () => (await ownMigrations()).at(-1) as string;

  /**
   * A database that lacks the newest migration, and a connection that keeps it from being
   * applied.
   */
  async function blockedDatabase() {
    const url = await emptyServerDatabase();
    const { connection, close } = await connectToServer(url);
    onTestFinished(close);
    await migrate(connection, await migrationsBefore(await newest()));
    // Every migration is recorded in this table.
    await connection.script(`BEGIN; LOCK TABLE "_prisma_migrations" IN SHARE MODE`);
    return { url, unblock: () => connection.script("COMMIT") };
  }

  /**
   * Waits until a migration is waiting for a table, and returns the number of the
   * server's process.
   */
  async function blockedProcess(url: string): Promise<number> {
    const waiting = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'INSERT INTO "_prisma_migrations"%'`;
    const [row] = await eventually(
      () => onServer(url, waiting),
      (rows) => rows.length > 0,
    );
    return row?.pid as number;
  }

  it("says how to go on when it loses its connection", async () => {
    const { url, unblock } = await blockedDatabase();
    const interrupted = runCommand("commands/migrate", { environment: { DATABASE_URL: url } });
    await onServer(url, `SELECT pg_terminate_backend(${await blockedProcess(url)})`);
    const { code, errors } = await interrupted;
    expect(code).toBe(1);
    expect(errors).toMatch(
      // Depends on whether the newest migration is one transaction, or builds indexes.
      /^Migration \S+ (was interrupted|did not finish): .*[Rr]un it again: it (goes on with what is missing|continues where it stopped)\.\n$/,
    );
    await unblock();
    const again = { code: 0, output: `Applied ${await newest()}\n`, errors: "" };
    expect(await runCommand("commands/migrate", { environment: { DATABASE_URL: url } })).toEqual(again);
  });

  it("reports the other migrating process that it waits for, and how to end its session", async () => {
    const { url, unblock } = await blockedDatabase();
    const first = startCommand("commands/migrate", { environment: { DATABASE_URL: url } });
    const pid = await blockedProcess(url);
    const second = startCommand("commands/migrate", { environment: { DATABASE_URL: url } });
    await eventually(
      async () => second.errors,
      (errors) => errors.endsWith("\n"),
    );
    expect(second.errors).toContain(
      `Waiting for another process that migrates or distributes the database, by the server's process ${pid}`,
    );
    expect(second.errors).toContain(`\`SELECT pg_terminate_backend(${pid})\` ends what it left`);
    await unblock();
    expect(await first.ended).toMatchObject({ code: 0, output: `Applied ${await newest()}\n` });
    expect(await second.ended).toMatchObject({ code: 0, output: "The database is up to date\n" });
  });
});
