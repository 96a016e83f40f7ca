import { defineConfig } from "vitest/config";
import { sharedTestOptions } from "../support/vitest-options.js";

export default defineConfig({
  ...sharedTestOptions,
  test: {
    ...sharedTestOptions.test,
    name: "embedded",
    include: ["test/clients/*.check.ts"],
    globalSetup: "test/support/templates.ts",
    // Node.js itself loads the snippets, as in a project that uses the gateway. What Relay compiles is written for a bundler.
    server: { deps: { external: [/\/gateway-snippets-[^/]+\/[^/]+$/] } },
  },
});
