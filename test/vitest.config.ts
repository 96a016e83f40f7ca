import { defineConfig } from "vitest/config";
import { sharedTestOptions } from "./support/vitest-options.js";

const servers = process.env.TEST_DATABASE_URL ? ["postgresql"] : [];
if (servers.length === 0) console.warn("TEST_DATABASE_URL is not set: the suite runs on the embedded database only");
else console.log("The suite runs on the embedded database and on the PostgreSQL server at TEST_DATABASE_URL");
if (!process.env.TEST_REDIS_URL) console.warn("TEST_REDIS_URL is not set: instances that share a Redis are not tested");

export default defineConfig({
  test: {
    projects: ["embedded", ...servers].map((name) => ({
      ...sharedTestOptions,
      test: { ...sharedTestOptions.test, name, include: ["test/**/*.test.ts"], globalSetup: "test/support/templates.ts" },
    })),
  },
});
