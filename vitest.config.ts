import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { promtool, promtoolPath } from "./test/monitoring/promtool.js";
import { missingCameraPackages } from "./test/support/cameras/camera-programs.js";
import { postgresqlProgramsVersion } from "./test/support/postgresql-programs.js";
import { findPreviousVersion } from "./test/support/previous-version.js";
import { gatewayTestOptions, sharedTestOptions } from "./test/support/vitest-options.js";

// The sources import what is generated from others.
execFileSync(process.execPath, ["src/commands/prepare.mjs", "--sources"], { stdio: "inherit" });

if (!process.env.TEST_DATABASE_URL)
  console.warn("TEST_DATABASE_URL is not set: the suite runs on the embedded database only");
else console.log("The suite runs on the embedded database and on the PostgreSQL server at TEST_DATABASE_URL");
if (!process.env.TEST_CITUS_URL)
  console.warn("TEST_CITUS_URL is not set: nothing is tested on a Citus cluster");
if (!findPreviousVersion())
  console.warn(
    "There is no tag of a release (git fetch --tags): the code of none is tested on the schema of this version",
  );
if (!postgresqlProgramsVersion()) console.warn("pg_dump is not installed: no dump of a database is restored");
if (!process.env.TEST_REDIS_URL)
  console.warn("TEST_REDIS_URL is not set: instances that share a Redis are not tested");

if (!promtool(["--version"]))
  console.warn(
    `SKIPPED: there is no promtool at ${promtoolPath} (PROMTOOL_PATH) to check metrics and alerting rules with`,
  );

if (missingCameraPackages.length > 0)
  console.warn(`SKIPPED: no streams of cameras are tested without ${missingCameraPackages.join(", ")}`);

/** The files of the suite whose first line begins like this. */
const testsMarked = (mark: string) =>
  readdirSync(path.join(sharedTestOptions.root, "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `test/${name}`)
    .filter((name) => readFileSync(path.join(sharedTestOptions.root, name), "utf8").startsWith(mark));

/** What needs neither a gateway nor a database nor the build. */
const runAlone = testsMarked("// Needs no gateway.");

/**
 * What need not run on both: it runs on the server where there is one, since embedded
 * databases take longer to start.
 */
const runOnce = testsMarked("// Runs once: ");

/** What runs on the embedded database alone. */
const runEmbedded = testsMarked("// Runs on the embedded database: ");

/**
 * What runs once because PostgreSQL and the embedded database plan alike. A cluster plans
 * otherwise.
 */
const runOncePerPlanner = testsMarked("// Runs once: both kinds of databases run the same statements.");

const project = (name: string, include: string[], exclude: string[]) => ({
  ...gatewayTestOptions,
  test: { ...gatewayTestOptions.test, name, include, exclude: [...runAlone, ...exclude] },
});

/**
 * In a process that stays, the modules of an edited schema would declare their types
 * beside those that they declared before.
 */
const isWatching = !process.argv.includes("run");

const unit = (include: string[]) => ({
  ...sharedTestOptions,
  test: { ...sharedTestOptions.test, name: "unit", include, isolate: isWatching },
});

/**
 * The short form: something of each subsystem, above all of what rests on Node.js itself,
 * such as sockets, streams and native code.
 */
const shortForm = [
  "test/access/{api-key,authenticator}.test.ts",
  "test/delivery/webhooks.test.ts",
  "test/export/{cells,formats}.test.ts",
  "test/graphql/{compiled-operations,large-answers,transport}.test.ts",
  "test/http/{limits,request-log}.test.ts",
  "test/ingestion/record-alerts.test.ts",
  "test/live/{connection,subscriptions}.test.ts",
  "test/operation/{process,refused-commands,settings}.test.ts",
  "test/rest/caching.test.ts",
  "test/storage/annotated-pictures.test.ts",
  "test/uploads/pictures.test.ts",
  "test/writes/users.test.ts",
];

/** What of the short form needs no gateway. */
const shortFormAlone = [
  "test/delivery/email.test.ts",
  "test/http/connections.test.ts",
  "test/storage/object-store.test.ts",
];

/**
 * What the short form runs on the embedded database where the rest runs on a server:
 * making the templates has started and filled one.
 */
const shortFormEmbedded = ["test/writes/users.test.ts"];

/**
 * Files are run by how long they took, or by their size where that is not known: by it,
 * the longest would come last and run alone.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification) => moduleId.endsWith("/graphql/differential.test.ts");
    const sorted = await super.sort(files);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

const isOnServer = Boolean(process.env.TEST_DATABASE_URL);
const onEmbedded = (include: string[]) => project("embedded", include, isOnServer ? runOnce : []);
const onServer = (include: string[]) => (isOnServer ? [project("postgresql", include, runEmbedded)] : []);
const notOnCluster = [
  ...runEmbedded,
  ...testsMarked("// Not on a cluster: "),
  ...runOnce.filter((name) => !runOncePerPlanner.includes(name)),
];
const onCluster = (include: string[]) =>
  process.env.TEST_CITUS_URL ? [project("citus", include, notOnCluster)] : [];
const all = ["test/**/*.test.ts"];

export default defineConfig(({ mode }) => ({
  test: {
    sequence: { sequencer: LongestFirst },
    projects:
      mode === "short"
        ? [
            unit(shortFormAlone),
            onEmbedded(isOnServer ? shortFormEmbedded : shortForm),
            ...onServer(shortForm),
          ]
        : [unit(runAlone), onEmbedded(all), ...onServer(all), ...onCluster(all)],
  },
}));
