// Takes long: it restores databases, and starts commands as processes.
import { cp } from "node:fs/promises";
import path from "node:path";
import { inject } from "vitest";
import { emptyServerDatabase } from "../database/fresh-database.js";
import { Recorder } from "../ingestion/recorder.js";
import { recordPicturedAlert, storePictures } from "../storage/stored-pictures.js";
import { onServer } from "../support/databases.js";
import { type Gateway, gatewayOn, run } from "../support/harness.js";
import { filesBelow, openStore, type StoreUnderTest } from "../support/object-store.js";
import { postgresqlProgramsVersion, runPostgresqlProgram } from "../support/postgresql-programs.js";
import { runCommand } from "../support/running-command.js";
import { directoryForTest } from "../support/temporary-directory.js";
import { TestSite } from "../support/test-site.js";
import { tablesOf } from "../support/test-workspace.js";

const { server } = inject("resources");
// If they are missing, vitest.config.ts reports that this is not tested.
const hasPrograms = postgresqlProgramsVersion() !== undefined;

/** A gateway with a picture of each kind, and with its stores. */
async function filledGateway(
  kind: "local" | "s3",
): Promise<{ site: TestSite; opened: StoreUnderTest; gateway: Gateway; recorder: Recorder }> {
  const site = await TestSite.forTest();
  const opened = await openStore(kind, site.directory);
  onTestFinished(() => opened.close());
  const gateway = await site.start({ environment: opened.settings });
  const recorder = await Recorder.open(gateway);
  await storePictures(recorder, opened.store);
  await gateway.app.idle();
  return { site, opened, gateway, recorder };
}

/**
 * A workspace's pictures and daily counts as a client sees them, without the parts of
 * links that differ.
 */
async function viewOf(gateway: Gateway, { admin }: Recorder): Promise<string> {
  const query = `{
    me { picture }
    cameras {
      name imageLink thumbnailUrl calibration { calibratedImage croppedImage gridImage }
      alerts(first: 10) { totalCount nodes { id name url thumbnailUrl createdAt } }
      alertCounts(filter: { start: "2025-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }, aggregate: DAY) { key count }
    }
  }`;
  const data = JSON.stringify(await gateway.data(query, { as: admin.as }));
  return data.replaceAll(/http:\/\/localhost:\d+/g, "").replaceAll(/\?expires=\d+&signature=[\w-]+/g, "");
}

function checkStore(environment: Record<string, string>) {
  const aws = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("AWS_")));
  return runCommand("commands/check-store", { environment: { ...aws, ...environment } });
}

async function deleteAlert(gateway: Gateway, { admin }: Recorder, id: string): Promise<void> {
  expect((await gateway.fetch(`/alerts/${id}`, { method: "DELETE", as: admin.as })).status).toBe(200);
}

/**
 * Records an alert in a gateway on restored data, checks that it counts, and deletes it.
 */
async function expectToWork(gateway: Gateway, recorder: Recorder): Promise<void> {
  const counted = () => gateway.prisma.$queryRaw`SELECT sum("count")::int AS "alerts" FROM "AlertDayCount"`;
  const differences = () => gateway.prisma.$queryRaw`SELECT * FROM "alertCountDifferences"()`;
  expect(await differences()).toEqual([]);
  const [{ alerts }] = (await counted()) as [{ alerts: number }];
  const input = [recorder.alert()];
  const mutation = "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }";
  expect(await run(gateway, recorder.admin, [mutation, { input }])).toEqual({
    recordAlerts: { recorded: 1 },
  });
  expect(await counted()).toEqual([{ alerts: alerts + 1 }]);
  await deleteAlert(gateway, recorder, input[0]?.id as string);
  expect(await counted()).toEqual([{ alerts }]);
  expect(await differences()).toEqual([]);
  expect((await gateway.fetch("/readyz")).status).toBe(200);
}

describe.runIf(server && hasPrograms)("a dump of the database, restored", () => {
  const dump = async (url: string, file: string) =>
    runPostgresqlProgram("pg_dump", ["--format=custom", `--file=${file}`, url]);
  const restore = async (file: string): Promise<string> => {
    const url = await emptyServerDatabase();
    await runPostgresqlProgram("pg_restore", ["--exit-on-error", "--no-owner", `--dbname=${url}`, file]);
    if (server?.isCluster)
      expect(await runCommand("commands/distribute", { environment: { DATABASE_URL: url } })).toMatchObject({
        code: 0,
      });
    return url;
  };

  /**
   * Everything but rows and the shards of clusters: functions, triggers, constraints,
   * indexes, and sequences, of which none may exist. Compares constraints without
   * parentheses: PostgreSQL writes parentheses for BETWEEN, and fewer of them after
   * reading its own text.
   */
  const definitions = (url: string) =>
    onServer(
      url,
      `SELECT * FROM (SELECT pg_get_functiondef(oid) AS "definition" FROM pg_proc WHERE pronamespace = 'public'::regnamespace
       UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
       UNION ALL SELECT conname || translate(pg_get_constraintdef(oid), '()', '') FROM pg_constraint WHERE connamespace = 'public'::regnamespace
       UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
       UNION ALL SELECT sequencename FROM pg_sequences) AS every WHERE "definition" !~ '_\\d{6}' ORDER BY 1`,
    );

  it("is the same database, and a gateway continues on it", async () => {
    const { site, gateway, recorder } = await filledGateway("local");
    const url = site.variables.DATABASE_URL as string;
    const [view, tables] = [await viewOf(gateway, recorder), await tablesOf(gateway)];
    // While the gateway is running.
    const directory = await directoryForTest();
    const file = path.join(directory, "database.dump");
    await dump(url, file);
    await gateway.close();
    await cp(path.join(site.directory, "objects"), path.join(directory, "objects"), { recursive: true });
    const variables = { DATABASE_URL: await restore(file), DATA_DIR: directory };
    expect(await definitions(variables.DATABASE_URL)).toEqual(await definitions(url));
    expect(await checkStore(variables)).toMatchObject({ code: 0 });
    const restored = await gatewayOn({ SEED: "none", ...variables });
    onTestFinished(() => restored.close());
    expect(await tablesOf(restored)).toEqual(tables);
    expect(await viewOf(restored, recorder)).toBe(view);
    await expectToWork(restored, recorder);
    expect(await runCommand("commands/migrate", { environment: variables })).toMatchObject({
      output: "The database is up to date\n",
    });
  });

  it("that was made before a copy of the bucket lacks only pictures deleted in between, and has more only of those stored in between", async () => {
    const { site, opened, gateway, recorder } = await filledGateway("s3");
    const deleted = await recordPicturedAlert(recorder);
    const { url, thumbnailUrl } = await gateway.prisma.alert.findFirstOrThrow({ where: { id: deleted } });
    const directory = await directoryForTest();
    const file = path.join(directory, "database.dump");
    await dump(site.variables.DATABASE_URL as string, file);
    await deleteAlert(gateway, recorder, deleted);
    await gateway.app.idle();
    const added = await gateway.prisma.alert.findFirstOrThrow({
      where: { id: await recordPicturedAlert(recorder) },
    });
    await gateway.close();
    const bucket = await openStore("s3", directory);
    onTestFinished(() => bucket.close());
    await cp(path.join(opened.directory, "pictures"), path.join(bucket.directory, "pictures"), {
      recursive: true,
    });
    const variables = { DATABASE_URL: await restore(file), DATA_DIR: directory, ...bucket.settings };
    const { code, output } = await checkStore(variables);
    const place = `of ${deleted} in workspace ${recorder.workspaceId}`;
    const expected = [
      `missing ${url}: Alert.url ${place}`,
      `missing ${thumbnailUrl}: Alert.thumbnailUrl ${place}`,
      `unused ${added.url}`,
      `unused ${added.thumbnailUrl}`,
    ];
    expect({ code, lines: output.trimEnd().split("\n").sort() }).toEqual({ code: 1, lines: expected.sort() });
    const restored = await gatewayOn({ SEED: "none", ...variables });
    onTestFinished(() => restored.close());
    await expectToWork(restored, recorder);
  });
});

describe.runIf(!server)("a copy of DATA_DIR", () => {
  it("of a gateway that is stopped is a backup of everything", async () => {
    const { site, gateway, recorder } = await filledGateway("local");
    const [view, tables] = [await viewOf(gateway, recorder), await tablesOf(gateway)];
    await gateway.close();
    const copy = path.join(await directoryForTest(), "copy");
    await cp(site.directory, copy, { recursive: true });
    expect(await filesBelow(path.join(copy, "objects"))).toHaveLength(12);
    expect(await checkStore({ DATA_DIR: copy })).toMatchObject({ code: 0, errors: "" });
    const restored = await gatewayOn({ SEED: "none", DATA_DIR: copy });
    onTestFinished(() => restored.close());
    expect(await tablesOf(restored)).toEqual(tables);
    expect(await viewOf(restored, recorder)).toBe(view);
    await expectToWork(restored, recorder);
  });

  it("cannot be checked while its gateway is running", async () => {
    const site = await TestSite.forTest();
    const gateway = await site.start();
    const { code, errors } = await checkStore({ DATA_DIR: site.directory });
    await gateway.close();
    expect({ code, errors }).toEqual({
      code: 1,
      errors: `Another process is using ${site.directory}. Stop it first, or set DATA_DIR to another directory.\n`,
    });
  });
});
