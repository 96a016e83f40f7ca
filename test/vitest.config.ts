import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { sharedTestOptions } from "./support/vitest-options.js";

if (!process.env.TEST_DATABASE_URL) console.warn("TEST_DATABASE_URL is not set: the suite runs on the embedded database only");
else console.log("The suite runs on the embedded database and on the PostgreSQL server at TEST_DATABASE_URL");
if (!process.env.TEST_CITUS_URL) console.warn("TEST_CITUS_URL is not set: nothing is tested on a Citus cluster");
if (!process.env.TEST_REDIS_URL) console.warn("TEST_REDIS_URL is not set: instances that share a Redis are not tested");

/** Files whose first line says that no database can influence them; they run on the embedded database alone, except where a project lists them. */
const runOnce = readdirSync(path.join(sharedTestOptions.root, "test"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => `test/${name}`)
  .filter((name) => readFileSync(path.join(sharedTestOptions.root, name), "utf8").startsWith("// Runs once: "));

/** What runs on a Citus cluster. */
const distributed = [
  "test/database/distribute.test.ts",
  "test/graphql/{alert-counts,alert-list,nested-view}.test.ts",
  "test/ingestion/record-alerts.test.ts",
  "test/isolation/*.test.ts",
  "test/rest/{alert-calendar,alert-list,isolation}.test.ts",
];

const project = (name: string, include: string[], exclude: string[]) => ({
  ...sharedTestOptions,
  test: { ...sharedTestOptions.test, name, include, exclude, globalSetup: "test/support/templates.ts" },
});

export default defineConfig({
  test: {
    projects: [
      project("embedded", ["test/**/*.test.ts"], []),
      ...(process.env.TEST_DATABASE_URL ? [project("postgresql", ["test/**/*.test.ts"], runOnce)] : []),
      ...(process.env.TEST_CITUS_URL ? [project("citus", distributed, [])] : []),
    ],
  },
});
