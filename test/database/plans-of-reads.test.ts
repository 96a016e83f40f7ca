import { inject } from "vitest";
import { type Database, openDatabase } from "../../src/engine/database/client.js";
import { withConstantWorkspace } from "../../src/engine/database/cluster/constant-workspace.js";
import { Prisma } from "../../src/generated/prisma/client.js";
import { onServer } from "../support/databases.js";
import { dataForTest } from "../support/harness.js";

const { server } = inject("resources");
const [one, other] = [
  "d0000000-0000-4000-8000-000000000001",
  "d0000000-0000-4000-8000-000000000002",
] as const;

/** A database with two workspaces of a facility each, opened with a single connection. */
async function openWithWorkspaces(): Promise<Database> {
  const url = (await dataForTest()).DATABASE_URL as string;
  await onServer(
    url,
    `INSERT INTO "Workspace" ("id", "name") VALUES ('${one}', 'One'), ('${other}', 'Other')`,
  );
  await onServer(
    url,
    `INSERT INTO "Facility" ("id", "workspaceId", "name", "timeZoneId", "updatedAt")
     SELECT "id", "id", 'Facility of ' || "name", 'UTC', now() FROM "Workspace" WHERE "id" IN ('${one}', '${other}')`,
  );
  const settings = { url, poolSize: 1, connectTimeoutMs: 10_000, statementTimeoutMs: 10_000 };
  const database = await openDatabase(settings, { onConnectionLost: () => {} });
  onTestFinished(() => database.close());
  return database;
}

/**
 * The names of a workspace's facilities. The statement has a join, because Citus always
 * keeps the plans of the simplest statements.
 */
const namesIn = ({ read }: Database, workspaceId: string, name: string) =>
  read<{ facility: string; workspace: string }>(Prisma.sql`
    SELECT facility."name" AS "facility", workspace."name" AS "workspace" FROM "Facility" AS facility
    JOIN "Workspace" AS workspace ON workspace."id" = facility."workspaceId"
    WHERE facility."workspaceId" = ${workspaceId}::uuid AND workspace."id" = ${workspaceId}::uuid AND facility."name" = ${name}`);

/** The number of reuses of each prepared statement's plan. */
const reuses = async ({ read }: Database) => {
  const rows = await read<{ reused: number }>(Prisma.sql`
    SELECT generic_plans::int AS "reused" FROM pg_prepared_statements WHERE statement LIKE '%AS "facility"%'`);
  return rows.map(({ reused }) => reused);
};

describe.runIf(server)("plans of reads", () => {
  it(`are kept ${server?.isCluster ? "for each workspace on a cluster" : "for all workspaces together on one server"}`, async () => {
    const database = await openWithWorkspaces();
    for (let times = 0; times < 12; times += 1) {
      expect(await namesIn(database, one, "Facility of One")).toEqual([
        { facility: "Facility of One", workspace: "One" },
      ]);
      expect(await namesIn(database, other, "Facility of Other")).toEqual([
        { facility: "Facility of Other", workspace: "Other" },
      ]);
      expect(await namesIn(database, other, "Facility of One")).toEqual([]);
    }
    const kept = await reuses(database);
    expect(kept).toHaveLength(server?.isCluster ? 2 : 1);
    for (const reused of kept) expect(reused).toBeGreaterThan(0);
  });
});

it("a value that is not an id never becomes part of a statement's text", () => {
  const value = "' OR true OR '";
  const { text, values } = withConstantWorkspace(
    Prisma.sql`SELECT 1 FROM "Facility" WHERE "workspaceId" = ${value} AND "name" = ${"x"}`,
  );
  expect({ text, values }).toEqual({
    text: 'SELECT 1 FROM "Facility" WHERE "workspaceId" = $1 AND "name" = $2',
    values: [value, "x"],
  });
});
