// Not on the embedded database, which has no settings of a database or role.
// Takes long: each setting gets a database of its own.

import { inject } from "vitest";
import { migrateServer } from "../../src/engine/database/client.js";
import { uuidShape } from "../../src/platform/ids/uuid.js";
import { onServer } from "../support/databases.js";
import { createCamera } from "../support/factories.js";
import { admin, createFixedFleet, full } from "../support/fixed-fleet.js";
import { answersOf } from "../support/gateway-answers.js";
import { dataForTest, type Gateway, gatewayOn } from "../support/harness.js";
import { initOf, requestOf, routeCases } from "../support/route-cases.js";
import { TcpPooler } from "../support/tcp-pooler.js";
import { TestSite } from "../support/test-site.js";
import { createTestWorkspaces, senderFor, stateOf, type TestWorkspace } from "../support/test-workspace.js";
import { emptyServerDatabase } from "./fresh-database.js";

const { server } = inject("resources");
const onOneServer = server !== undefined && !server.isCluster;

/**
 * Values that change statements, values or connections, for every setting that a database
 * can set for its sessions.
 */
const hostile: Record<string, string> = {
  DateStyle: "German, DMY",
  IntervalStyle: "sql_standard",
  TimeZone: "Asia/Kathmandu",
  timezone_abbreviations: "India",
  client_encoding: "LATIN1",
  extra_float_digits: "-15",
  bytea_output: "escape",
  standard_conforming_strings: "off",
  backslash_quote: "off",
  array_nulls: "off",
  transform_null_equals: "on",
  quote_all_identifiers: "on",
  xmlbinary: "hex",
  xmloption: "document",
  search_path: "pg_catalog",
  lc_monetary: "C",
  lc_numeric: "C",
  lc_time: "C",
  default_text_search_config: "pg_catalog.german",
  client_min_messages: "error",
  exit_on_error: "on",
  row_security: "off",
  check_function_bodies: "off",
  default_transaction_isolation: "serializable",
  default_transaction_deferrable: "on",
  synchronous_commit: "off",
  statement_timeout: "1ms",
  lock_timeout: "1ms",
  idle_in_transaction_session_timeout: "1ms",
  idle_session_timeout: "1ms",
  default_statistics_target: "1",
  gin_fuzzy_search_limit: "1",
  synchronize_seqscans: "off",
  stats_fetch_consistency: "none",
  constraint_exclusion: "on",
  cursor_tuple_fraction: "0",
  from_collapse_limit: "1",
  join_collapse_limit: "1",
  geqo_threshold: "2",
  plan_cache_mode: "force_custom_plan",
  work_mem: "64kB",
  parallel_setup_cost: "0",
  parallel_tuple_cost: "0",
  min_parallel_table_scan_size: "0",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_indexscan: "off",
  enable_bitmapscan: "off",
  enable_sort: "off",
  enable_hashagg: "off",
  "plpgsql.variable_conflict": "use_variable",
  "plpgsql.extra_errors": "all",
};

/**
 * Sets values for all sessions of a database, in one statement: after some of them, no
 * other statement would succeed.
 */
const setOnDatabase = (settings: Record<string, string>) => {
  const statements = Object.entries(settings).map(
    ([name, value]) =>
      `EXECUTE format('ALTER DATABASE %I SET ${name} = %L', current_database(), '${value}');`,
  );
  return `DO $$ BEGIN ${statements.join(" ")} END $$`;
};

const place = { workspaceId: full.workspaceId, facilityId: full.facilityId };

const now = new Date("2026-11-25T10:00:00.000Z");

/** A gateway on a separate database with these settings. */
async function gatewayWith(settings: Record<string, string>): Promise<Gateway> {
  const site = await TestSite.forTest();
  if (Object.keys(settings).length > 0) await site.query(setOnDatabase(settings));
  const environment = { MAX_QUERY_COST: "100000000", PUBLIC_URL: "http://gateway.example" };
  const gateway = await site.start({ now: () => now, environment });
  onTestFinished(() => gateway.close());
  return gateway;
}

/**
 * A gateway's answers to every read of the fixed fleet and to every REST write, and the
 * state after the writes.
 */
async function everythingOf(gateway: Gateway): Promise<object> {
  await createFixedFleet(gateway.prisma);
  const answers = { ...(await answersOf(gateway, admin)) };
  const written: unknown[] = [];
  const writes = routeCases.filter(({ method }) => method !== "get");
  const workspaces = await createTestWorkspaces(gateway.prisma, [...writes.keys()]);
  for (const [index, each] of writes.entries()) {
    const workspace = workspaces[index] as TestWorkspace;
    const init = { as: senderFor(each, workspace.admin), ...initOf(each) };
    const { status } = await gateway.fetch(requestOf(each, { ...workspace.ids }), init);
    written.push([each.path, status, await stateOf(gateway, workspace)]);
  }
  return withoutMadeIds({ answers, written });
}

/** Ids that are made for each database, and the signatures of links, which hold such. */
const withoutMadeIds = (value: object): object =>
  JSON.parse(JSON.stringify(value).replace(new RegExp(`(?!a0000000)${uuidShape}`, "g"), "made"));

it.runIf(onOneServer)(
  "a database that sets every setting to another value is read and written like any other",
  async () => {
    const [ordinary, other] = [await gatewayWith({}), await gatewayWith(hostile)];
    expect(await everythingOf(other)).toEqual(await everythingOf(ordinary));
  },
);

describe.runIf(onOneServer)("a server", () => {
  const refusalOf = async (settings: Record<string, string>) => {
    const variables = await dataForTest();
    await onServer(variables.DATABASE_URL as string, setOnDatabase(settings));
    return gatewayOn({ SEED: "none", ...variables }).then(
      (gateway) => gateway.close().then(() => "none"),
      (error: Error) => error.message,
    );
  };

  it.each([
    ["session_replication_role", "replica", "origin"],
    ["default_transaction_read_only", "on", "off"],
  ])(
    "is refused with the remedy where it sets %s, which is not for us to change, to %s",
    async (name, value, remedy) => {
      const message = await refusalOf({ [name]: value });
      expect(message).toContain(
        `- ${name} is ${value} instead of ${remedy}: run \`ALTER ROLE postgres IN DATABASE `,
      );
      expect(message).toContain(` SET ${name} = '${remedy}'\`.`);
    },
  );

  async function createInLocaleC(suffix: string, encoding: string): Promise<string> {
    const { url, prefix } = server as NonNullable<typeof server>;
    const name = `${prefix}_${suffix}`;
    const locale = `ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C'`;
    await onServer(url, `CREATE DATABASE "${name}" ${locale} TEMPLATE template0`);
    onTestFinished(async () => void (await onServer(url, `DROP DATABASE "${name}" WITH (FORCE)`)));
    return Object.assign(new URL(url), { pathname: name }).href;
  }

  it("is refused with the remedy where its encoding is not UTF-8", async () => {
    const DATABASE_URL = await createInLocaleC("latin", "LATIN1");
    const remedy =
      /encoding is LATIN1 instead of UTF8.* `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`/;
    await expect(migrateServer(DATABASE_URL)).rejects.toThrow(remedy);
    await expect(gatewayOn({ SEED: "none", ...(await dataForTest()), DATABASE_URL })).rejects.toThrow(remedy);
  });

  it("with the locale C finds names in any case", async () => {
    const DATABASE_URL = await createInLocaleC("ctype", "UTF8");
    await migrateServer(DATABASE_URL);
    const gateway = await gatewayOn({ SEED: "none", ...(await dataForTest()), DATABASE_URL });
    onTestFinished(() => gateway.close());
    await createFixedFleet(gateway.prisma);
    for (const camera of ["\u00dcbergang", "Cafe\u0301"])
      await createCamera(gateway.prisma, { ...place, name: camera });
    const found = (text: string) =>
      gateway.data("query ($text: String) { searchCameras(filter: { text: $text }) { nodes { name } } }", {
        as: admin,
        variables: { text },
      });
    expect(await found("\u00fcbergang")).toEqual({ searchCameras: { nodes: [{ name: "\u00dcbergang" }] } });
    expect(await found("CAF\u00c9")).toEqual({ searchCameras: { nodes: [{ name: "Caf\u00e9" }] } });
  });

  it("is migrated whatever its sessions are set to", async () => {
    const url = await emptyServerDatabase();
    await onServer(url, setOnDatabase(hostile));
    const { applied } = await migrateServer(url);
    expect(applied.length).toBeGreaterThan(0);
  });

  it("that may lose committed data is used with a warning", async () => {
    const variables = await dataForTest();
    await onServer(variables.DATABASE_URL as string, setOnDatabase({ synchronous_commit: "off" }));
    const lines: string[] = [];
    const gateway = await gatewayOn(
      { SEED: "none", ...variables },
      { logDestination: { write: (line: string) => void lines.push(line) } },
    );
    await gateway.close();
    expect(lines.filter((line) => line.includes("synchronous_commit is off"))).toHaveLength(1);
  });

  it("behind a pooler must have the settings that the pooler does not pass on, or else is refused with all remedies", async () => {
    const variables = await dataForTest();
    const timeouts = { statement_timeout: "30s", idle_in_transaction_session_timeout: "35s" };
    const settings = {
      ...timeouts,
      DateStyle: "German, DMY",
      extra_float_digits: "0",
      array_nulls: "off",
      search_path: "pg_catalog",
    };
    await onServer(variables.DATABASE_URL as string, setOnDatabase(settings));
    const pooler = await TcpPooler.open(variables.DATABASE_URL as string, { mode: "session" });
    onTestFinished(() => pooler.close());
    const refused = await gatewayOn({ SEED: "none", ...variables, DATABASE_URL: pooler.url }).catch(
      (error: Error) => error.message.split("\n"),
    );
    expect(refused).toEqual([
      expect.stringContaining("through the pooler"),
      expect.stringMatching(
        /^- extra_float_digits is 0 instead of 1: run `ALTER ROLE \S+ IN DATABASE \S+ SET extra_float_digits = '1'`, and `RECONNECT`/,
      ),
      expect.stringMatching(/^- array_nulls is off instead of on: /),
      expect.stringMatching(
        /^- search_path leads to the schema pg_catalog instead of public: run `ALTER ROLE .* SET search_path = public`/,
      ),
    ]);
  });
});
