import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { gatewayTestOptions } from "../support/vitest-options.js";

if (!process.env.TEST_DATABASE_URL)
  console.warn("SKIPPED: the console is not walked through on an empty server: TEST_DATABASE_URL is not set");

export default defineConfig({
  ...gatewayTestOptions,
  test: {
    ...gatewayTestOptions.test,
    name: "embedded",
    include: ["test/browser/*.check.ts"],
    // A test waits for the browser while the browser waits for timers and frames, so a CPU for each worker would
    // idle a third of the time. The rest is left to the processes of live views, which yield to all others.
    maxWorkers: Math.min(Math.ceil(1.5 * availableParallelism()), 8),
    // To ask a page takes longer than to ask a gateway.
    expect: { poll: { timeout: 60_000, interval: 50 } },
  },
});
