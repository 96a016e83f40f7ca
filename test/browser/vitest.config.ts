import { defineConfig } from "vitest/config";
import { gatewayTestOptions } from "../support/vitest-options.js";

if (!process.env.TEST_DATABASE_URL)
  console.warn("SKIPPED: the console is not walked through on an empty server: TEST_DATABASE_URL is not set");

export default defineConfig({
  ...gatewayTestOptions,
  test: { ...gatewayTestOptions.test, name: "embedded", include: ["test/browser/*.check.ts"] },
});
