import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { hasOpenssl } from "./test/feed/self-signed.js";
import { promtool, promtoolPath } from "./test/monitoring/promtool.js";
import { missingCameraPackages } from "./test/support/cameras/camera-programs.js";
import { LeftOut } from "./test/support/left-out.js";
import { postgresqlProgramsVersion } from "./test/support/postgresql-programs.js";
import { findPreviousVersion } from "./test/support/previous-version.js";
import { gatewayTestOptions, sharedTestOptions } from "./test/support/vitest-options.js";

// The sources import what is generated from others.
execFileSync(process.execPath, ["src/programs/commands/prepare.mjs", "--sources"], { stdio: "inherit" });

/** The files of the suite, each with the comments that it begins with. */
const files = readdirSync(path.join(sharedTestOptions.root, "test"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => {
    const lines = readFileSync(path.join(sharedTestOptions.root, "test", name), "utf8").split("\n");
    return {
      name: `test/${name}`,
      marks: lines.slice(
        0,
        lines.findIndex((line) => !line.startsWith("// ")),
      ),
    };
  });

/** The files with a first comment that begins like this. */
const testsMarked = (mark: string) =>
  files.filter(({ marks }) => marks.some((each) => each.startsWith(mark))).map(({ name }) => name);

/** What takes long, or starts processes, is left to `npm run test:all`. */
const slow = testsMarked("// Takes long: ");

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

/** Run after slow files, of which more run at once: half of the time, they wait. */
const sequence = { groupOrder: 1 };
const forSlow = {
  maxWorkers: 2 * gatewayTestOptions.test.maxWorkers,
  sequence: { groupOrder: 0 },
};

const project = (name: string, include: string[], exclude: string[]) => ({
  ...gatewayTestOptions,
  test: {
    ...{ ...gatewayTestOptions.test, sequence, name, include, exclude: [...runAlone, ...exclude] },
    ...(name.startsWith("slow-") && forSlow),
  },
});

/**
 * In a process that stays, the modules of an edited schema would declare their types
 * beside those that they declared before.
 */
const isWatching = !process.argv.includes("run");

const unit = (name: string, include: string[]) => ({
  ...sharedTestOptions,
  test: {
    ...sharedTestOptions.test,
    sequence,
    name,
    include,
    isolate: isWatching,
    ...(name.startsWith("slow-") && forSlow),
  },
});

/**
 * The short form: something of each subsystem, above all of what rests on Node.js itself,
 * such as sockets, streams and native code.
 */
const shortForm = [
  "test/access/{api-key,authenticator}.test.ts",
  "test/delivery/webhooks.test.ts",
  "test/export/{cells,formats}.test.ts",
  "test/graphql/{compared-documents,large-answers,transport}.test.ts",
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

/** Something of each kind of statement, for a cluster. */
const clusterForm = [
  "test/access/{permissions,sessions}.test.ts",
  "test/cluster/node-failure.test.ts",
  "test/database/{alert-counts,distribute}.test.ts",
  "test/delivery/{retention,webhooks}.test.ts",
  "test/detection/record-detections.test.ts",
  "test/export/formats.test.ts",
  "test/graphql/{alert-heatmap,alert-list,camera-states,local-time,nodes}.test.ts",
  "test/ingestion/record-alerts.test.ts",
  "test/live/subscriptions.test.ts",
  "test/reading/*.test.ts",
  "test/uploads/pictures.test.ts",
  "test/writes/{alert-marks,audit-entries,delete-facility,digest,idempotency,users}.test.ts",
];

/**
 * The longest file, which would run alone if it came last, as files without a gateway
 * otherwise do. It waits most of the time.
 */
const longest = "test/feed/camera-rings.test.ts";

/**
 * Files are run by how long they took, or by their size where that is not known: in a
 * fresh clone, it is known of none.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const name = path.relative(sharedTestOptions.root, moduleId);
      return name === longest ? 0 : slow.includes(name) ? 1 : 2;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

const isOnServer = Boolean(process.env.TEST_DATABASE_URL);
const notOnCluster = [
  ...runEmbedded,
  ...testsMarked("// Not on a cluster: "),
  ...runOnce.filter((name) => !runOncePerPlanner.includes(name)),
];

const all = ["test/**/*.test.ts"];

/** What runs without a gateway, and on each kind of database there is. */
const projects = (prefix: string, include: string[], exclude: string[]) => [
  unit(
    `${prefix}unit`,
    runAlone.filter((name) => slow.includes(name) === (prefix === "slow-")),
  ),
  project(`${prefix}embedded`, include, [...exclude, ...(isOnServer ? runOnce : [])]),
  ...(isOnServer ? [project(`${prefix}postgresql`, include, [...exclude, ...runEmbedded])] : []),
];
const onCluster = (include: string[]) =>
  process.env.TEST_CITUS_URL ? [project("citus", include, notOnCluster)] : [];

/** Files that are named, by any part of their path, run even if they take long. */
const named = process.argv
  .slice(2)
  // Vitest's command, options, and the words after options, which may be their values.
  .filter((word, index, words) => !/^(?:run$|-)/.test(word) && !/^--?\w+$/.test(words[index - 1] ?? ""))
  .concat(process.argv.filter((word) => word.startsWith("test/")))
  .map((word) => path.normalize(word));
const isNamed = (file: string) => named.some((part) => file.includes(part));

const leftOut = (mode: string) => [
  ...(mode === "all" || slow.some(isNamed)
    ? []
    : [`${slow.length} files that take long or start processes: npm run test:all`]),
  ...(isOnServer ? [] : ["a PostgreSQL server: set TEST_DATABASE_URL"]),
  ...(process.env.TEST_REDIS_URL ? [] : ["instances that share a Redis: set TEST_REDIS_URL"]),
  ...(process.env.TEST_CITUS_URL ? [] : ["a Citus cluster: set TEST_CITUS_URL"]),
  ...(findPreviousVersion()
    ? []
    : ["the previous release on the new schema: fetch the history of the repository"]),
  ...(postgresqlProgramsVersion() ? [] : ["restoring a dump: install pg_dump"]),
  ...(promtool(["--version"])
    ? []
    : [`metrics and alerting rules: install promtool (${promtoolPath}), or set PROMTOOL_PATH`]),
  ...(hasOpenssl ? [] : ["cameras with certificates of their own: install openssl"]),
  ...(missingCameraPackages.length === 0
    ? []
    : [`streams of cameras: install ${missingCameraPackages.join(", ")}`]),
];

function projectsOf(mode: string) {
  if (mode === "cluster") return onCluster(clusterForm);
  if (mode === "short")
    return [
      unit("unit", shortFormAlone),
      ...(isOnServer ? [project("embedded", shortFormEmbedded, [])] : []),
      project(isOnServer ? "postgresql" : "embedded", shortForm, isOnServer ? runEmbedded : []),
    ];
  const runsSlow = mode === "all" || slow.some(isNamed);
  return [...projects("", all, slow), ...(runsSlow ? projects("slow-", slow, []) : []), ...onCluster(all)];
}

export default defineConfig(({ mode }) => ({
  test: {
    sequence: { sequencer: LongestFirst },
    reporters: ["default", new LeftOut(leftOut(mode))],
    projects: projectsOf(mode),
  },
}));
