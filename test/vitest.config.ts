import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { sharedTestOptions } from "./support/vitest-options.js";

const servers = process.env.TEST_DATABASE_URL ? ["postgresql"] : [];
if (servers.length === 0) console.warn("TEST_DATABASE_URL is not set: the suite runs on the embedded database only");
else console.log("The suite runs on the embedded database and on the PostgreSQL server at TEST_DATABASE_URL");
if (!process.env.TEST_REDIS_URL) console.warn("TEST_REDIS_URL is not set: instances that share a Redis are not tested");

/** Files whose first line says that no database can influence them; they run in the first project alone. */
const runOnce = readdirSync(path.join(sharedTestOptions.root, "test"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => `test/${name}`)
  .filter((name) => readFileSync(path.join(sharedTestOptions.root, name), "utf8").startsWith("// Runs once: "));

export default defineConfig({
  test: {
    projects: ["embedded", ...servers].map((name) => ({
      ...sharedTestOptions,
      test: {
        ...sharedTestOptions.test,
        name,
        include: ["test/**/*.test.ts"],
        exclude: name === "embedded" ? [] : runOnce,
        globalSetup: "test/support/templates.ts",
      },
    })),
  },
});
