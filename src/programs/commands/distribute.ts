import { parseArgs } from "node:util";
import { distributeServer, withConnection } from "../../engine/database/client.js";
import { describeCluster } from "../../engine/database/cluster/cluster.js";
import { distributionIssues } from "../../engine/database/cluster/distribution-check.js";
import { readDatabaseUrl } from "../../engine/settings/commands.js";
import { fail, messageOf } from "../../platform/thrown.js";

const usage = "Usage: npm run distribute, or npm run distribute -- --check";

/** `npm run distribute`: distributes the database at DATABASE_URL over its Citus cluster, or reports problems. */
try {
  const { check } = readArguments();
  const url = readDatabaseUrl();
  if (check) {
    const issues = await withConnection(url, distributionIssues);
    if (issues.length > 0) throw new Error(issues.join("\n"));
    write(["The database is distributed as it should be."]);
  } else {
    const lines = await distributeServer(url, (message) => process.stderr.write(`${message}\n`));
    write(lines.length > 0 ? lines : ["All tables are distributed."]);
  }
  write(await withConnection(url, ({ query }) => describeCluster(query)));
} catch (error) {
  fail(error);
}

function write(lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

function readArguments() {
  try {
    return parseArgs({ options: { check: { type: "boolean" } } }).values;
  } catch (error) {
    throw new Error(`${messageOf(error)}\n${usage}`);
  }
}
