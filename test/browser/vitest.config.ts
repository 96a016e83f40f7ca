import { defineConfig } from "vitest/config";
import { sharedTestOptions } from "../support/vitest-options.js";

export default defineConfig({
  ...sharedTestOptions,
  test: { ...sharedTestOptions.test, name: "embedded", include: ["test/browser/*.check.ts"], globalSetup: "test/support/templates.ts" },
});
