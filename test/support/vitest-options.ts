import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { UserWorkspaceConfig } from "vitest/config";
import { briefProcess } from "./environment.js";

/** The options of all projects of tests. */
export const sharedTestOptions = {
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve: {
    // Without this, CommonJS packages get another copy of graphql than we do, and its
    // types are "from another realm".
    alias: [{ find: /^graphql$/, replacement: "graphql/index.js" }],
  },
  test: {
    environment: "node",
    globals: true,
    setupFiles: ["reflect-metadata", "test/support/unchanged-globals.ts"],
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // Most awaited results arrive within milliseconds, but all of them may be slow on a
    // busy machine.
    expect: { poll: { timeout: 60_000, interval: 10 } },
    // Each takes some 500 MB.
    maxWorkers: Math.min(availableParallelism(), 8),
    // Modules hold no state that tests change: each worker imports them once instead of
    // once per file.
    isolate: false,
    // Otherwise, each project and each run would transform hundreds of sources again.
    experimental: { fsModuleCache: true },
    // Tests make much garbage that lives briefly, and few files run a statement often enough
    // for optimized WebAssembly.
    execArgv: [...briefProcess, "--max-semi-space-size=32"],
  },
} satisfies UserWorkspaceConfig;

/** The options of projects whose tests start gateways. */
export const gatewayTestOptions = {
  ...sharedTestOptions,
  test: {
    ...sharedTestOptions.test,
    setupFiles: [...sharedTestOptions.test.setupFiles, "test/support/setup.ts"],
    globalSetup: "test/support/global-setup.ts",
  },
} satisfies UserWorkspaceConfig;
