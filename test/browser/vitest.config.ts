import { defineConfig } from "vitest/config";
import { gatewayTestOptions } from "../support/vitest-options.js";

export default defineConfig({
  ...gatewayTestOptions,
  test: { ...gatewayTestOptions.test, name: "embedded", include: ["test/browser/*.check.ts"] },
});
